#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace weft {

/** Whether a PostgreSQL store searches vectors in the database, with the extension pgvector (`vector`). */
enum class pgvector_use : unsigned char {
    if_installed,  ///< In the database where it has the extension, else in the program. Both find the same.
    create,        ///< In the database; `CREATE EXTENSION` is done if it is missing, which takes a role that may.
    none,          ///< In the program. What the database has of the extension is left as it is.
};

/** An index (HNSW) over the vectors of one model: a search with it is fast and approximate. */
struct postgres_vector_index {
    std::string model;           ///< Vectors of other models are searched exactly.
    std::size_t dimensions = 0;  ///< Of that model's vectors: 1 to 4,000. Above 2,000 the index has 16-bit floats.

    /** How many a search looks at (`hnsw.ef_search`), 1 to 1,000: more are slower, and miss less. */
    std::size_t candidates = 200;

    static constexpr std::size_t dimensions_max = 4'000;
    static constexpr std::size_t candidates_max = 1'000;
};

/** How a PostgreSQL store searches vectors.
 *
 *      postgres_options options{"postgresql://weft@db.example.com/agents"};
 *      options.vectors.pgvector = pgvector_use::create;
 *      options.vectors.index = {"text-embedding-3-small", 1'536};
 */
struct postgres_vector_options {
    postgres_vector_options() {}

    pgvector_use pgvector = pgvector_use::if_installed;
    /** Made when the store is opened or prepared and may migrate, which takes minutes for a million vectors; writes of
     *  vectors wait meanwhile. Other stores on the schema keep it up to date, and use it if they name it too. It needs
     *  pgvector 0.8 or newer. */
    std::optional<postgres_vector_index> index;
};

}  // namespace weft
