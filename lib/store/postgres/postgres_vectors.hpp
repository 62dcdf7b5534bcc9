#pragma once

#include "store/postgres/wire/pg_core.hpp"

#include <weft/store/item_vectors.hpp>

#include <optional>

namespace weft::postgres_detail {

/** Vectors beside the items of a PostgreSQL database.
 *
 *  With the extension pgvector the server searches, and gives the best rows; without it, a search reads all slice by
 *  slice. In both cases the scores are computed here, of the same bytes.
 *
 *  @par Lifetimes   The core outlives it.
 */
class postgres_vectors final : public item_vectors {
public:
    explicit postgres_vectors(pg_core& core) noexcept : core_{core} {}

    [[nodiscard]] task<void> put_with_vector(std::string tenant, item_key key, boost::json::value value,
                                             item_vector vector,
                                             std::optional<std::chrono::milliseconds> lifetime) override;
    [[nodiscard]] task<std::vector<item_match>> nearest(std::string tenant, std::vector<std::string> space,
                                                        vector_query query) override;

private:
    [[nodiscard]] bool is_for_database(const item_vector& vector) const noexcept;
    [[nodiscard]] task<void> write(sql_parameters item, const sql_statement& statement, sql_parameters vector);
    [[nodiscard]] task<bool> has_lost_extension();
    /** Nothing, if the server cannot do it. */
    [[nodiscard]] task<std::optional<std::vector<item_match>>> nearest_in_database(std::string tenant,
                                                                                   std::vector<std::string> space,
                                                                                   vector_query query);

    pg_core& core_;
};

}  // namespace weft::postgres_detail
