#include "item_routes.hpp"

#include "serve/http/bound_route.hpp"
#include "serve/http/url_text.hpp"
#include "serve/wire/body_fields.hpp"
#include "serve/wire/views.hpp"

#include <weft/agent/memory/semantic_items.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/store/item_store.hpp>
#include <weft/store/service/item_directory.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

item_store& items_of(serve_core& core)
{
    if (!core.stores.items) throw http_error{404, "no_items", "this server has no store of items"};
    return *core.stores.items;
}

std::vector<std::string> names_in(const object& body, std::string_view member)
{
    std::vector<std::string> names;
    const value* const given = find_member(body, member);
    if (!given) return names;
    if (!given->is_array()) refuse_member(member, "expected a list of strings");
    for (const value& name : given->get_array()) {
        const bool is_name = name.is_string() && !name.get_string().empty();
        if (!is_name) refuse_member(member, "expected strings that are not empty");
        names.emplace_back(name.get_string());
    }
    return names;
}

item_key key_in(const object& body)
{
    std::vector<std::string> space = names_in(body, "namespace");
    if (space.empty()) refuse_member("namespace", "is required");
    return item_key{std::move(space), required_text(body, "key")};
}

array names_view(const std::vector<std::string>& names)
{
    array result;
    for (const std::string& name : names) result.push_back(value(name));
    return result;
}

object item_view(const stored_item& shown)
{
    return {{"namespace", names_view(shown.key.space)},
            {"key", shown.key.name},
            {"value", shown.value},
            {"created_at", iso_time(shown.created)},
            {"updated_at", iso_time(shown.changed)}};
}

/** A namespace whose items are found by meaning. */
semantic_items meaning_of(serve_core& core, const api_call& call, std::vector<std::string> space,
                          std::vector<std::string> fields)
{
    // The store outlives the server: nothing is to be owned.
    const std::shared_ptr<item_store> items{std::shared_ptr<void>{}, &items_of(core)};
    return semantic_items{item_space{items, call.tenant(), std::move(space)}, core.options.embeddings,
                          {.fields = std::move(fields)}};
}

/** What of an item has a meaning: as the client says it, `a.b` for `/a/b`. Nothing: the item has none. */
std::optional<std::vector<std::string>> fields_in(const serve_core& core, const object& body)
{
    const value* const index = find_member(body, "index");
    if (!core.options.embeddings || (index && index->is_bool() && !index->get_bool())) return std::nullopt;
    std::vector<std::string> fields = names_in(body, index && index->is_bool() ? "" : "index");
    if (fields.empty()) return core.options.embedded_fields;
    for (std::string& field : fields) {
        if (field == "$") return std::vector<std::string>{};
        std::replace(field.begin(), field.end(), '.', '/');
        field.insert(0, "/");
    }
    return fields;
}

task<void> put_item(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const object* const given = object_member(body, "value");
    if (!given) refuse_member("value", "is required");
    std::optional<std::chrono::milliseconds> lifetime;
    const auto minutes = number_member(body, "ttl", 1, 60 * 24 * 366 * 10);
    if (minutes) lifetime = std::chrono::minutes{*minutes};
    item_key key = key_in(body);
    const std::optional<std::vector<std::string>> fields = fields_in(core, body);
    // Fields that are not there leave nothing to make a vector of.
    if (fields && !text_of_fields(*given, *fields).empty()) {
        const semantic_items space = meaning_of(core, call, std::move(key.space), *fields);
        co_await space.put(std::move(key.name), value(*given), lifetime);
    } else {
        co_await items_of(core).put(call.tenant(), std::move(key), value(*given), lifetime);
    }
    co_await call.reply_nothing(204);
}

task<void> show_item(serve_core& core, api_call& call)
{
    // One SDK sends a name for each level, the other one text with dots.
    item_key key;
    for (const std::string& given : query_values(call.http().head().query(), "namespace"))
        for (std::string_view rest = given; !rest.empty();) {
            const std::string_view name = rest.substr(0, rest.find('.'));
            key.space.emplace_back(name);
            rest.remove_prefix(std::min(name.size() + 1, rest.size()));
        }
    key.name = call.query("key").value_or("");
    if (key.name.empty()) throw http_error{422, "invalid_query", "query.key: is required"};
    const std::optional<stored_item> found = co_await items_of(core).get(call.tenant(), std::move(key));
    // Null, as LangGraph's server has it: both SDKs give their callers nothing, and no error.
    const value shown = found ? value(item_view(*found)) : value(nullptr);
    co_await call.reply(200, shown);
}

task<void> erase_item(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    item_key key = key_in(body);
    (void)co_await items_of(core).erase(call.tenant(), std::move(key));
    co_await call.reply_nothing(204);
}

/** The items that are nearest in meaning, with their scores. */
task<array> items_by_meaning(serve_core& core, const api_call& call, const object& body, semantic_query query)
{
    if (!core.options.embeddings)
        throw http_error{422, "no_embedding", "body.query: this server has no embedding model to search by meaning"};
    if (query.offset + query.count_max > vector_query::found_max)
        refuse_member("offset", "with limit at most " + std::to_string(vector_query::found_max));
    const semantic_items space = meaning_of(core, call, names_in(body, "namespace_prefix"), {});
    const std::vector<item_match> found = co_await space.search(std::move(query));
    array shown;
    for (const item_match& match : found) {
        object item = item_view(match.item);
        item["score"] = match.score;
        shown.push_back(std::move(item));
    }
    co_return shown;
}

task<void> search_items(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const auto limit = static_cast<std::size_t>(number_member(body, "limit", 1, 1000).value_or(10));
    const auto offset = static_cast<std::size_t>(number_member(body, "offset", 0, 1'000'000).value_or(0));
    if (auto text = text_member(body, "query"); text && !text->empty()) {
        semantic_query meaning{std::move(*text)};
        meaning.contains = object_text(object_member(body, "filter"));
        meaning.count_max = limit;
        meaning.offset = offset;
        object result;
        result["items"] = co_await items_by_meaning(core, call, body, std::move(meaning));
        co_await call.reply(200, result);
        co_return;
    }
    item_query query;
    query.tenant = call.tenant();
    query.space = names_in(body, "namespace_prefix");
    if (const object* const filter = object_member(body, "filter")) query.contains = boost::json::serialize(*filter);
    query.count_max = offset + limit;
    item_directory directory{items_of(core)};
    array found;
    std::size_t passed = 0;
    // A page may be short though more follows.
    for (;;) {
        const item_page page = co_await directory.search(query);
        for (const stored_item& item : page.items)
            if (passed++ >= offset && found.size() < limit) found.push_back(item_view(item));
        if (!page.next || found.size() >= limit) break;
        query.after = page.next;
    }
    object result;
    result["items"] = std::move(found);
    co_await call.reply(200, result);
}

task<void> list_namespaces(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const auto limit = static_cast<std::size_t>(number_member(body, "limit", 1, 1000).value_or(100));
    const auto offset = static_cast<std::size_t>(number_member(body, "offset", 0, 1'000'000).value_or(0));
    item_space_query query;
    query.tenant = call.tenant();
    query.below = names_in(body, "prefix");
    query.depth_max = static_cast<std::size_t>(number_member(body, "max_depth", 1, 16).value_or(16));
    query.count_max = offset + limit;
    const std::vector<std::string> suffix = names_in(body, "suffix");
    item_directory directory{items_of(core)};
    const item_space_page page = co_await directory.spaces(std::move(query));
    array found;
    std::size_t passed = 0;
    for (const std::vector<std::string>& space : page.spaces) {
        const bool ends_so = space.size() >= suffix.size() &&
                             std::equal(suffix.rbegin(), suffix.rend(), space.rbegin());
        if (ends_so && passed++ >= offset && found.size() < limit) found.push_back(names_view(space));
    }
    object result;
    result["namespaces"] = std::move(found);
    co_await call.reply(200, result);
}

}  // namespace

void add_item_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "PUT", "/store/items", {"store", "put"}, put_item);
    bind_route(routes, core, "GET", "/store/items", {"store", "get"}, show_item);
    bind_route(routes, core, "DELETE", "/store/items", {"store", "delete"}, erase_item);
    bind_route(routes, core, "POST", "/store/items/search", {"store", "search"}, search_items);
    bind_route(routes, core, "POST", "/store/namespaces", {"store", "list_namespaces"}, list_namespaces);
}

}  // namespace weft::serve_detail
