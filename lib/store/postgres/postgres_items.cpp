#include "postgres_items.hpp"

#include "row_readers.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/record/limit_checks.hpp"

#include <weft/base/json/json_text.hpp>

#include <tuple>
#include <utility>

namespace weft::postgres_detail {

namespace {

sql_parameters naming_item(const std::string& tenant, const item_key& key)
{
    sql_parameters parameters;
    parameters.text(tenant).texts(key.space).text(key.name);
    return parameters;
}

/** The first space behind all those at or below `space`; nothing if there is none. */
std::optional<std::vector<std::string>> end_of(std::vector<std::string> space)
{
    if (space.empty()) return std::nullopt;
    // Nothing is between a text and that text with the smallest character behind it, since zeros are not stored.
    space.back().push_back('\1');
    return space;
}

}  // namespace

task<void> postgres_items::put(std::string tenant, item_key key, boost::json::value value,
                               std::optional<std::chrono::milliseconds> lifetime)
{
    check_name_limit(tenant, "tenant");
    check_limits(key);
    const std::string text = to_json_text(value);
    check_text_limit(text, "item");
    sql_parameters parameters = naming_item(tenant, key);
    parameters.bytes(text);
    if (lifetime)
        parameters.integer(lifetime->count());
    else
        parameters.null('i');
    sql_request request;
    request.step(sql::put_item, std::move(parameters)).writing();
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
    item_key from{space, std::string{}};
    if (after && std::tie(after->space, after->name) > std::tie(from.space, from.name)) from = *after;
    sql_parameters parameters = naming_item(tenant, from);
    const std::optional<std::vector<std::string>> end = end_of(std::move(space));
    if (end)
        parameters.texts(*end);
    else
        parameters.null('T');
    if (after)
        parameters.texts(after->space).text(after->name);
    else
        parameters.null('T').null('t');
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
    request.step(sql::sweep_items, std::move(parameters)).writing();
    const sql_answer answer = co_await core_.run(std::move(request));
    co_return static_cast<std::size_t>(answer.results[0].integer(0, 0));
}

}  // namespace weft::postgres_detail
