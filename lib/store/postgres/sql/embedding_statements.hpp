#pragma once

#include "embedding_index.hpp"
#include "sql_statement.hpp"

#include <cstddef>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::postgres_detail {

/** The column `embedding` has the type `vector` of pgvector, which takes no more dimensions. */
inline constexpr std::size_t embedding_dimensions_max = 16'000;

/** The name of the index of a model. Both make it: equal options, equal names. */
[[nodiscard]] std::string index_name(const embedding_index& index);
/** The name of the index over the vectors of that model that have other dimensions. */
[[nodiscard]] std::string misfit_index_name(const embedding_index& index);
/** What makes both, if they are missing.
 *  @param schema   Of the extension, quoted. */
[[nodiscard]] std::vector<std::string> index_definitions(const embedding_index& index, std::string_view schema);

/** The statements that name the extension pgvector, which may be installed in any schema of the database.
 *
 *  The parameters of those that search begin as those of `sql::list_vectors`: a range of keys, the model $7; then the
 *  vector $8 and the limit $9; those with a filter have it as $10. The columns are those of `sql::list_vectors`, and
 *  the rows come by key.
 */
class embedding_statements {
public:
    /** @param schema   Of the extension, quoted. */
    embedding_statements(std::string_view schema, const std::optional<embedding_index>& index);
    embedding_statements(const embedding_statements&) = delete;
    embedding_statements& operator=(const embedding_statements&) = delete;

    /** As `sql::put_vector`, with the vector again as $6. */
    [[nodiscard]] const sql_statement& put() const noexcept { return put_; }
    /** Fills the column of a row: tenant, space, name, the bytes that it must have still, the vector. */
    [[nodiscard]] const sql_statement& fill() const noexcept { return fill_; }
    /** As `sql::list_vectors`, those whose column is not filled: an older program wrote them, or they are too long. */
    [[nodiscard]] const sql_statement& list_unfilled() const noexcept { return list_unfilled_; }
    [[nodiscard]] const sql_statement& nearest(bool has_filter) const noexcept
    {
        return has_filter ? nearest_filtered_ : nearest_;
    }
    /** By the index: only vectors of its dimensions. */
    [[nodiscard]] const sql_statement& nearest_indexed(bool has_filter) const noexcept
    {
        return has_filter ? nearest_indexed_filtered_ : nearest_indexed_;
    }
    /** One vector of the index's model that has other dimensions; the parameters are those of the range. */
    [[nodiscard]] const sql_statement& misfit() const noexcept { return misfit_; }

    /** Whether the index is over such vectors. */
    [[nodiscard]] bool has_index_for(std::string_view model, std::size_t dimensions) const noexcept;
    /** Those that every connection prepares. */
    [[nodiscard]] std::span<const sql_statement* const> all() const noexcept { return all_; }

private:
    void set(sql_statement& statement, const char* name, const char* types, std::string text);

    std::optional<embedding_index> index_;
    std::list<std::string> texts_;  // where the statements point to
    sql_statement put_{};
    sql_statement fill_{};
    sql_statement list_unfilled_{};
    sql_statement nearest_{};
    sql_statement nearest_filtered_{};
    sql_statement nearest_indexed_{};
    sql_statement nearest_indexed_filtered_{};
    sql_statement misfit_{};
    std::vector<const sql_statement*> all_;
};

}  // namespace weft::postgres_detail
