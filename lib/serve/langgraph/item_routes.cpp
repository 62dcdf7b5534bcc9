#include "item_routes.hpp"

#include "serve/http/bound_route.hpp"
#include "serve/http/url_text.hpp"
#include "serve/wire/page_fields.hpp"
#include "serve/wire/view_schemas.hpp"
#include "serve/wire/views.hpp"

#include <weft/agent/memory/semantic_items.hpp>
#include <weft/base/json.hpp>
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

constexpr std::size_t levels_max = 16;  // of a namespace that is asked for

/** Which item it is. */
struct item_key_fields : field_set {
    using field_set::field_set;

    texts_field space{*this, "namespace", "Its levels", {.items_max = levels_max, .need = field_need::required}};
    text_field key{*this, "key", "Its name there", field_need::required};
};
const item_key_fields item_of_body{"body"};

struct new_item_fields : item_key_fields {
    using item_key_fields::item_key_fields;

    object_field value{*this, "value", "What is kept", nullptr, field_need::required};
    number_field ttl{*this, "ttl", "How long it stays, in minutes", {.min = 1, .max = 60 * 24 * 366 * 10}};
    value_field index{*this, "index", "false, or the members that have a meaning: a.b, or $ for all",
                      R"({"anyOf": [{"type": "boolean"},
                                    {"type": "array", "items": {"type": "string", "minLength": 1}}]})"};
};
const new_item_fields new_item{"body"};

struct item_query_fields : field_set {
    using field_set::field_set;

    text_field space{*this, "namespace", "Its levels: again and again, or with dots"};
    text_field key{*this, "key", "Its name there", field_need::required};
};
const item_query_fields item_of_query{"query"};

struct item_search_fields : paged<field_set> {
    using paged::paged;

    texts_field space{*this, "namespace_prefix", "The levels that the namespaces begin with",
                      {.items_max = levels_max}};
    object_field filter{*this, "filter", "What the values contain"};
    text_field query{*this, "query", "What they are about: they are found by meaning"};
};
const item_search_fields item_search{"body"};

struct space_fields : field_set {
    using field_set::field_set;

    texts_field prefix{*this, "prefix", "The levels that they begin with", {.items_max = levels_max}};
    texts_field suffix{*this, "suffix", "The levels that they end with", {.items_max = levels_max}};
    number_field depth{*this, "max_depth", "Levels at most", {.min = 1, .max = levels_max, .otherwise = levels_max}};
    number_field limit{*this, "limit", "How many at most", {.min = 1, .max = 1000, .otherwise = 100}};
    number_field offset{*this, "offset", "How many are passed over", {.min = 0, .max = 1'000'000, .otherwise = 0}};
};
const space_fields space_search{"body"};

constexpr std::string_view item_schema_text = R"({
  "type": ["object", "null"],
  "properties": {
    "namespace": {"type": "array", "items": {"type": "string"}},
    "key": {"type": "string"},
    "value": {"type": "object"},
    "created_at": {"type": "string"},
    "updated_at": {"type": "string"},
    "score": {"type": "number"}
  },
  "required": ["namespace", "key", "value"]
})";
const named_schema item_schema{"Item", [] { return parse_json(item_schema_text).as_object(); }};
const named_schema found_items_schema{"FoundItems", [] {
    object found = parse_json(R"({"type": "object", "required": ["items"],
                                  "properties": {"items": {"type": "array"}}})").as_object();
    found["properties"].at("items").as_object()["items"] = item_schema.make();
    return found;
}};
const named_schema spaces_schema{"Namespaces", [] {
    return parse_json(R"({"type": "object", "required": ["namespaces"], "properties": {"namespaces":
        {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}}})").as_object();
}};

item_store& items_of(serve_core& core)
{
    if (!core.stores.items) throw http_error{404, "no_items", "this server has no store of items"};
    return *core.stores.items;
}

item_key key_in(const item_key_fields& fields, const object& body)
{
    std::vector<std::string> space = fields.space.in(body);
    return item_key{std::move(space), fields.key.needed_in(body)};
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

std::vector<std::string> texts_of_index(const value& index)
{
    std::vector<std::string> texts;
    const bool is_list = index.is_array() && index.get_array().size() <= 1000;
    if (!is_list) new_item.index.refuse("expected false, or a list of at most 1000 members");
    for (const value& text : index.get_array()) {
        const bool is_member = text.is_string() && !text.get_string().empty();
        if (!is_member) new_item.index.refuse("expected strings that are not empty");
        texts.emplace_back(text.get_string());
    }
    return texts;
}

/** What of an item has a meaning: as the client says it, `a.b` for `/a/b`. Nothing: the item has none. */
std::optional<std::vector<std::string>> fields_in(const serve_core& core, const object& body)
{
    const value* const index = new_item.index.in(body);
    std::vector<std::string> fields;
    if (index && !index->is_bool()) fields = texts_of_index(*index);
    if (!core.options.embeddings || (index && index->is_bool() && !index->get_bool())) return std::nullopt;
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
    const object* const given = new_item.value.in(body);
    std::optional<std::chrono::milliseconds> lifetime;
    const auto minutes = new_item.ttl.in(body);
    if (minutes) lifetime = std::chrono::minutes{*minutes};
    item_key key = key_in(new_item, body);
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
    for (const std::string& given : query_values(call.http().head().query(), item_of_query.space.name()))
        for (std::string_view rest = given; !rest.empty();) {
            const std::string_view name = rest.substr(0, rest.find('.'));
            key.space.emplace_back(name);
            rest.remove_prefix(std::min(name.size() + 1, rest.size()));
        }
    key.name = item_of_query.key.in(call).value();
    if (key.name.empty()) item_of_query.key.refuse("is required");
    const std::optional<stored_item> found = co_await items_of(core).get(call.tenant(), std::move(key));
    // Null, as LangGraph's server has it: both SDKs give their callers nothing, and no error.
    const value shown = found ? value(item_view(*found)) : value(nullptr);
    co_await call.reply(200, shown);
}

task<void> erase_item(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    item_key key = key_in(item_of_body, body);
    (void)co_await items_of(core).erase(call.tenant(), std::move(key));
    co_await call.reply_nothing(204);
}

/** The items that are nearest in meaning, with their scores. */
task<array> items_by_meaning(serve_core& core, const api_call& call, const object& body, semantic_query query)
{
    if (!core.options.embeddings)
        throw http_error{422, "no_embedding",
                         item_search.query.place() + ": this server has no embedding model to search by meaning"};
    if (query.offset + query.count_max > vector_query::found_max)
        item_search.offset.refuse("with limit at most " + std::to_string(vector_query::found_max));
    const semantic_items space = meaning_of(core, call, item_search.space.in(body), {});
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
    const std::size_t limit = item_search.limit.or_default(body);
    const std::size_t offset = item_search.offset.or_default(body);
    if (auto text = item_search.query.in(body); text && !text->empty()) {
        semantic_query meaning{std::move(*text)};
        meaning.contains = item_search.filter.text_or_empty(body);
        meaning.count_max = limit;
        meaning.offset = offset;
        object result;
        result["items"] = co_await items_by_meaning(core, call, body, std::move(meaning));
        co_await call.reply(200, result);
        co_return;
    }
    item_query query;
    query.tenant = call.tenant();
    query.space = item_search.space.in(body);
    query.contains = item_search.filter.text_or_empty(body);
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
    const std::size_t limit = space_search.limit.or_default(body);
    const std::size_t offset = space_search.offset.or_default(body);
    item_space_query query;
    query.tenant = call.tenant();
    query.below = space_search.prefix.in(body);
    query.depth_max = space_search.depth.or_default(body);
    query.count_max = offset + limit;
    const std::vector<std::string> suffix = space_search.suffix.in(body);
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
    const good_answer nothing{.what = good_answer::form::nothing, .status = 204};
    bind_route(routes, core, "PUT", "/store/items", {"store", "put"}, put_item,
               {.summary = "Keeps an item", .body = &new_item, .answer = nothing});
    bind_route(routes, core, "GET", "/store/items", {"store", "get"}, show_item,
               {.summary = "Shows an item, or null", .query = &item_of_query, .answer = {.of = &item_schema}});
    bind_route(routes, core, "DELETE", "/store/items", {"store", "delete"}, erase_item,
               {.summary = "Deletes an item", .body = &item_of_body, .answer = nothing});
    bind_route(routes, core, "POST", "/store/items/search", {"store", "search"}, search_items,
               {.summary = "Finds items", .body = &item_search, .answer = {.of = &found_items_schema}});
    bind_route(routes, core, "POST", "/store/namespaces", {"store", "list_namespaces"}, list_namespaces,
               {.summary = "Lists namespaces", .body = &space_search, .answer = {.of = &spaces_schema}});
}

}  // namespace weft::serve_detail
