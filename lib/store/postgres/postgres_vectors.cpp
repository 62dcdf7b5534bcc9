#include "postgres_vectors.hpp"

#include "item_parameters.hpp"
#include "row_readers.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/nearest_items.hpp"
#include "store/record/unit_vector.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>

#include <algorithm>
#include <utility>

namespace weft::postgres_detail {

namespace {

// Each slice is one request: large enough that its round trip does not count.
constexpr std::size_t slice_bytes = 1024 * 1024;
constexpr int value_column = 2;
constexpr int vector_column = 6;

using space_names = std::vector<std::string>;

void look_at_rows(store_detail::nearest_items& best, const sql_result& rows)
{
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows.is_null(row, value_column)) continue;  // its end has come
        const std::optional<float> score = best.look_at(rows.text(row, 1), rows.text(row, vector_column));
        if (score) best.offer(read_item(rows, row), *score);
    }
}

/** Looks at all rows that a statement such as `sql::list_vectors` lists, slice by slice. */
task<void> look_at_slices(pg_core& core, const sql_statement& statement, std::string tenant, space_names space,
                          store_detail::nearest_items& best)
{
    const std::size_t slice = best.slice_of(slice_bytes);
    std::optional<item_key> after;
    std::size_t seen = slice;
    while (seen == slice) {
        sql_parameters parameters = parameters_of_range(tenant, space, after);
        parameters.text(best.model()).integer(static_cast<std::int64_t>(slice));
        sql_request request;
        request.step(statement, std::move(parameters));
        const sql_answer answer = co_await core.run(std::move(request));
        const sql_result& rows = answer.results[0];
        seen = rows.size();
        look_at_rows(best, rows);
        if (seen > 0) after = item_key{rows.texts(seen - 1, 0), std::string{rows.text(seen - 1, 1)}};
    }
}

/** What the server searches for. */
struct database_search {
    std::string tenant;
    space_names space;
    std::string filter;  // empty: none
    std::size_t limit;
};

/** The parameters of a statement of `embedding_statements` that searches. */
sql_parameters parameters_of(const database_search& search, const store_detail::nearest_items& best)
{
    sql_parameters parameters = parameters_of_range(search.tenant, search.space, std::nullopt);
    parameters.text(best.model()).floats(best.vector()).integer(static_cast<std::int64_t>(search.limit));
    if (!search.filter.empty()) parameters.text(search.filter);
    return parameters;
}

// More than are asked for: the index takes equal vectors in any order, and those of many dimensions roughly.
std::size_t candidates_for(std::size_t count)
{
    constexpr std::size_t more = 40;
    return 2 * count + more;
}

/** @return   Whether the index had enough candidates: else it is not said that there are no others. */
task<bool> look_by_index(pg_core& core, database_search search, store_detail::nearest_items& best)
{
    const embedding_statements& known = core.settings().embeddings->statements();
    search.limit = candidates_for(search.limit);
    sql_request request;
    request.step(known.nearest_indexed(!search.filter.empty()), parameters_of(search, best))
        .step(known.misfit(), parameters_of_range(search.tenant, search.space, std::nullopt))
        .searching();
    const sql_answer answer = co_await core.run(std::move(request));
    look_at_rows(best, answer.results[1]);
    if (answer.results[0].size() < search.limit) co_return false;
    look_at_rows(best, answer.results[0]);
    co_return true;
}

task<void> look_at_all(pg_core& core, database_search search, store_detail::nearest_items& best)
{
    const embedding_statements& known = core.settings().embeddings->statements();
    sql_request request;
    request.step(known.nearest(!search.filter.empty()), parameters_of(search, best)).searching();
    const sql_answer answer = co_await core.run(std::move(request));
    look_at_rows(best, answer.results[0]);
}

}  // namespace

bool postgres_vectors::is_for_database(const item_vector& vector) const noexcept
{
    return core_.settings().embeddings->is_on() && vector.components.size() <= embedding_dimensions_max;
}

task<void> postgres_vectors::write(sql_parameters item, const sql_statement& statement, sql_parameters vector)
{
    sql_request request;
    request.step(sql::put_item, std::move(item));
    request.step(statement, std::move(vector)).writing();
    const sql_answer answer = co_await core_.run(std::move(request));
    static_cast<void>(answer);
}

task<void> postgres_vectors::put_with_vector(std::string tenant, item_key key, boost::json::value value,
                                             item_vector vector, std::optional<std::chrono::milliseconds> lifetime)
{
    check_name_limit(vector.model, "model of a vector");
    const std::string bytes = store_detail::unit_vector_bytes(vector.components);
    sql_parameters beside = naming_item(tenant, key);
    beside.text(vector.model).bytes(bytes);
    sql_parameters item = item_parameters(tenant, key, value, lifetime);
    if (is_for_database(vector)) {
        sql_parameters with_embedding = beside;
        with_embedding.floats(bytes);
        std::optional<error> why;
        try {
            co_await write(item, core_.settings().embeddings->statements().put(), std::move(with_embedding));
        } catch (const error& e) {
            why = e;
        }
        if (!why) co_return;
        if (why->code() != errc::store_refused) throw *why;
        const bool is_lost = co_await has_lost_extension();
        if (!is_lost) throw *why;
    }
    co_await write(std::move(item), sql::put_vector, std::move(beside));
}

task<std::vector<item_match>> postgres_vectors::nearest(std::string tenant, std::vector<std::string> space,
                                                        vector_query query)
{
    check_limits(space);
    if (is_for_database(query.vector)) {
        std::optional<std::vector<item_match>> found = co_await nearest_in_database(tenant, space, query);
        if (found) co_return std::move(*found);
    }
    store_detail::nearest_items best{std::move(query)};
    co_await look_at_slices(core_, sql::list_vectors, std::move(tenant), std::move(space), best);
    co_return best.take();
}

task<std::optional<std::vector<item_match>>> postgres_vectors::nearest_in_database(std::string tenant,
                                                                                   std::vector<std::string> space,
                                                                                   vector_query query)
{
    const std::size_t dimensions = query.vector.components.size();
    std::string filter = query.contains;
    store_detail::nearest_items best{std::move(query)};
    if (!best.has_filter()) filter.clear();
    best.take_any_order();
    // One row even for none: it may be a vector that cannot be compared.
    database_search search{tenant, space, std::move(filter), std::max<std::size_t>(best.matches_max(), 1)};
    const embedding_statements& known = core_.settings().embeddings->statements();
    std::optional<error> why;
    try {
        // These first: one that is filled meanwhile is found twice, and would be found never the other way round.
        co_await look_at_slices(core_, known.list_unfilled(), std::move(tenant), std::move(space), best);
        bool is_found = false;
        if (known.has_index_for(best.model(), dimensions)) is_found = co_await look_by_index(core_, search, best);
        if (!is_found) co_await look_at_all(core_, std::move(search), best);
    } catch (const error& e) {
        why = e;
    }
    if (!why) co_return best.take();
    // It takes too long for one statement, a value is none of jsonb, or the extension is gone. Slices do not mind.
    if (why->code() != errc::store_refused && why->code() != errc::store_unavailable) throw *why;
    if (why->code() == errc::store_refused) static_cast<void>(co_await has_lost_extension());
    co_return std::nullopt;
}

task<bool> postgres_vectors::has_lost_extension()
{
    sql_request request;
    request.step(sql::find_embeddings, sql_parameters{});
    const sql_answer answer = co_await core_.run(std::move(request));
    const bool is_there = answer.results[0].boolean(0, 0);
    if (!is_there) core_.settings().embeddings->turn_off();
    co_return !is_there;
}

}  // namespace weft::postgres_detail
