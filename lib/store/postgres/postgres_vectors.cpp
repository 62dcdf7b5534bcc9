#include "postgres_vectors.hpp"

#include "item_parameters.hpp"
#include "row_readers.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/nearest_items.hpp"
#include "store/record/unit_vector.hpp"

#include <weft/base/json/json_text.hpp>

#include <utility>

namespace weft::postgres_detail {

namespace {

// Each slice is one request: large enough that its round trip does not count.
constexpr std::size_t slice_bytes = 1024 * 1024;
constexpr int value_column = 2;
constexpr int vector_column = 6;

/** Looks at the rows of a slice. @return  The key of the last one. */
item_key look_at_slice(store_detail::nearest_items& best, const sql_result& rows)
{
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows.is_null(row, value_column)) continue;  // its end has come
        const std::optional<float> score = best.look_at(rows.text(row, 1), rows.text(row, vector_column));
        if (score) best.offer(read_item(rows, row), *score);
    }
    const std::size_t last = rows.size() - 1;
    return item_key{rows.texts(last, 0), std::string{rows.text(last, 1)}};
}

}  // namespace

task<void> postgres_vectors::put_with_vector(std::string tenant, item_key key, boost::json::value value,
                                             item_vector vector, std::optional<std::chrono::milliseconds> lifetime)
{
    check_name_limit(vector.model, "model of a vector");
    const std::string bytes = store_detail::unit_vector_bytes(vector.components);
    sql_parameters beside = naming_item(tenant, key);
    beside.text(vector.model).bytes(bytes);
    sql_request request;
    request.step(sql::put_item, item_parameters(tenant, key, value, lifetime));
    request.step(sql::put_vector, std::move(beside)).writing();
    const sql_answer answer = co_await core_.run(std::move(request));
    static_cast<void>(answer);
}

task<std::vector<item_match>> postgres_vectors::nearest(std::string tenant, std::vector<std::string> space,
                                                        vector_query query)
{
    check_limits(space);
    store_detail::nearest_items best{std::move(query)};
    const std::size_t slice = best.slice_of(slice_bytes);
    std::optional<item_key> after;
    std::size_t seen = slice;
    while (seen == slice) {
        sql_parameters parameters = parameters_of_range(tenant, space, after);
        parameters.text(best.model()).integer(static_cast<std::int64_t>(slice));
        sql_request request;
        request.step(sql::list_vectors, std::move(parameters));
        const sql_answer answer = co_await core_.run(std::move(request));
        seen = answer.results[0].size();
        if (seen > 0) after = look_at_slice(best, answer.results[0]);
    }
    co_return best.take();
}

}  // namespace weft::postgres_detail
