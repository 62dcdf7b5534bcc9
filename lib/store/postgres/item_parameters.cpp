#include "item_parameters.hpp"

#include "store/record/limit_checks.hpp"

#include <weft/base/json/json_text.hpp>

#include <tuple>
#include <utility>

namespace weft::postgres_detail {

namespace {

/** The first space behind all those at or below `space`; nothing if there is none. */
std::optional<std::vector<std::string>> end_of(std::vector<std::string> space)
{
    if (space.empty()) return std::nullopt;
    // Nothing is between a text and that text with the smallest character behind it, since zeros are not stored.
    space.back().push_back('\1');
    return space;
}

}  // namespace

sql_parameters naming_item(const std::string& tenant, const item_key& key)
{
    sql_parameters parameters;
    parameters.text(tenant).texts(key.space).text(key.name);
    return parameters;
}

sql_parameters item_parameters(const std::string& tenant, const item_key& key, const boost::json::value& value,
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
    return parameters;
}

sql_parameters parameters_of_range(const std::string& tenant, const std::vector<std::string>& space,
                                   const std::optional<item_key>& after)
{
    item_key from{space, std::string{}};
    if (after && std::tie(after->space, after->name) > std::tie(from.space, from.name)) from = *after;
    sql_parameters parameters = naming_item(tenant, from);
    const std::optional<std::vector<std::string>> end = end_of(space);
    if (end)
        parameters.texts(*end);
    else
        parameters.null('T');
    if (after)
        parameters.texts(after->space).text(after->name);
    else
        parameters.null('T').null('t');
    return parameters;
}

}  // namespace weft::postgres_detail
