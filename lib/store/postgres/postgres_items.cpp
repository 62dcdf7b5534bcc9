#include "postgres_items.hpp"

#include "item_parameters.hpp"
#include "row_readers.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/record/limit_checks.hpp"

#include <utility>

namespace weft::postgres_detail {

task<void> postgres_items::put(std::string tenant, item_key key, boost::json::value value,
                               std::optional<std::chrono::milliseconds> lifetime)
{
    sql_request request;
    request.step(sql::put_item, item_parameters(tenant, key, value, lifetime)).writing();
    const sql_answer answer = co_await core_.run(std::move(request));
    static_cast<void>(answer);
}

task<std::optional<stored_item>> postgres_items::get(std::string tenant, item_key key)
{
    sql_request request;
    request.step(sql::get_item, naming_item(tenant, key));
    const sql_answer answer = co_await core_.run(std::move(request));
    std::optional<stored_item> found;
    if (!answer.results[0].empty()) found = read_item(answer.results[0], 0);
    co_return found;
}

task<bool> postgres_items::erase(std::string tenant, item_key key)
{
    sql_request request;
    request.step(sql::erase_item, naming_item(tenant, key)).writing();
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return !answer.results[0].empty() && answer.results[0].boolean(0, 0);
}

task<std::vector<stored_item>> postgres_items::list(std::string tenant, std::vector<std::string> space,
                                                    std::optional<item_key> after, std::size_t max)
{
    check_limits(space);
    sql_parameters parameters = parameters_of_range(tenant, space, after);
    parameters.integer(static_cast<std::int64_t>(max));
    sql_request request;
    request.step(sql::list_items, std::move(parameters));
    const sql_answer answer = co_await core_.run(std::move(request));
    std::vector<stored_item> found;
    for (std::size_t row = 0; row < answer.results[0].size(); ++row)
        found.push_back(read_item(answer.results[0], row));
    co_return found;
}

task<std::size_t> postgres_items::sweep(std::size_t max)
{
    sql_parameters parameters;
    parameters.integer(static_cast<std::int64_t>(max));
    sql_request request;
    request.step(sql::sweep_items, std::move(parameters)).writing().of_engine();
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return static_cast<std::size_t>(answer.results[0].integer(0, 0));
}

}  // namespace weft::postgres_detail
