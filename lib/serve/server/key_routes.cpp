#include "key_routes.hpp"

#include "serve/http/bound_route.hpp"
#include "serve/wire/views.hpp"

#include <weft/base/json.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/serve/api_keys.hpp>
#include <weft/store/service/api_key_table.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t key_id_digits = 12;      // of the hash: enough to tell keys apart
constexpr std::size_t key_id_digits_min = 8;
constexpr std::size_t key_name_bytes_max = 200;
constexpr std::size_t key_scopes_max = 100;
constexpr std::int64_t key_days_max = 36'500;
constexpr std::size_t keys_listed_max = 1000;

struct key_list_fields : field_set {
    using field_set::field_set;

    number_field limit{*this, "limit", "How many at most",
                       {.min = 1, .max = keys_listed_max, .otherwise = keys_listed_max}};
    text_field after{*this, "after", "What the page before said as next"};
};
const key_list_fields key_list{"query"};

struct new_key_fields : field_set {
    using field_set::field_set;

    text_field name{*this, "name", "For people, at most 200 bytes", field_need::required};
    texts_field scopes{*this, "scopes", "What its caller may do; * without it", {.items_max = key_scopes_max}};
    number_field days{*this, "days", "How long it works; for ever without it", {.min = 1, .max = key_days_max}};
};
const new_key_fields new_key{"body"};

const named_schema key_schema{"ApiKey", [] {
    return parse_json(R"({
      "type": "object",
      "properties": {
        "key_id": {"type": "string"},
        "name": {"type": "string"},
        "scopes": {"type": "array", "items": {"type": "string"}},
        "created_at": {"type": "string"},
        "expires_at": {"type": ["string", "null"]},
        "key": {"type": "string", "description": "Only where it is made, this once"}
      },
      "required": ["key_id", "name", "scopes", "created_at", "expires_at"]
    })").as_object();
}};
const named_schema keys_schema{"ApiKeys", [] {
    object page = parse_json(R"({"type": "object", "required": ["keys", "next"], "properties": {
        "keys": {"type": "array"}, "next": {"type": "string"}}})").as_object();
    page["properties"].at("keys").as_object()["items"] = key_schema.make();
    return page;
}};

/** Keys are of use only to a server that asks for them; one that lets all callers in must not give them away. */
void require_asking(const serve_core& core)
{
    if (!core.access.is_asking())
        throw http_error{403, "forbidden",
                         "the server does not ask who calls, so that any caller could make keys here: use weft keys on "
                         "its store"};
}

object key_view(const api_key& of)
{
    object shown;
    shown["key_id"] = of.hash.substr(0, key_id_digits);
    shown["name"] = of.name;
    const object metadata = object_in(of.metadata);
    const value* const scopes = metadata.if_contains("scopes");
    shown["scopes"] = scopes ? *scopes : value(array{"*"});
    shown["created_at"] = to_utc_text(of.created);
    shown["expires_at"] = of.expires ? value(to_utc_text(*of.expires)) : value(nullptr);
    return shown;
}

task<void> list_keys(serve_core& core, api_call& call)
{
    require_asking(core);
    const std::size_t most = key_list.limit.or_default(call);
    api_key_table table{core.stores.service->documents()};
    const api_key_page page =
        co_await table.list(call.tenant(), key_list.after.in(call).value_or(std::string{}), most);
    object shown;
    array& keys = shown["keys"].emplace_array();
    for (const api_key& each : page.keys) keys.push_back(key_view(each));
    shown["next"] = page.next;
    co_await call.reply(200, shown);
}

array wanted_scopes(const principal& who, const object& body)
{
    std::vector<std::string> wanted = new_key.scopes.in(body);
    if (!new_key.scopes.is_in(body)) wanted.emplace_back("*");
    array scopes;
    for (const std::string& scope : wanted) {
        if (!who.has_all_of(scope))
            throw http_error{403, "forbidden",
                             "the caller has not all of the scope '" + scope + "', and may not hand it on"};
        scopes.push_back(value(scope));
    }
    return scopes;
}

task<void> make_key(serve_core& core, api_call& call)
{
    require_asking(core);
    const object body = co_await call.read_object();
    api_key made;
    made.name = new_key.name.needed_in(body);
    if (made.name.size() > key_name_bytes_max) new_key.name.refuse("is longer than 200 bytes");
    made.tenant = call.tenant();
    made.metadata = boost::json::serialize(object{{"scopes", wanted_scopes(call.who(), body)}});
    const auto now = core.loop.clock().system_now();
    const std::optional<std::int64_t> days = new_key.days.in(body);
    if (days) made.expires = now + std::chrono::hours{24 * *days};
    const std::string text = new_api_key();
    made.hash = hash_of_api_key(text);
    made.created = now;
    object shown = key_view(made);
    shown["key"] = text;  // the one time that it can be read
    api_key_table table{core.stores.service->documents()};
    (void)co_await table.add(std::move(made));
    call.audit("keys.create");
    co_await call.reply(200, shown, "Cache-Control", "no-store");
}

/** The hashes of the tenant's keys that begin so. */
task<std::vector<std::string>> keys_beginning(api_key_table& table, std::string tenant, std::string beginning)
{
    std::vector<std::string> found;
    for (std::string after;;) {
        const api_key_page page = co_await table.list(tenant, after, keys_listed_max);
        for (const api_key& each : page.keys)
            if (each.hash.starts_with(beginning)) found.push_back(each.hash);
        if (page.next.empty() || found.size() > 1) co_return found;
        after = page.next;
    }
}

task<void> revoke_key(serve_core& core, api_call& call)
{
    require_asking(core);
    if (call.part(0).size() < key_id_digits_min)
        throw http_error{422, "invalid_key_id", "the id of a key has at least eight digits"};
    api_key_table table{core.stores.service->documents()};
    const std::vector<std::string> meant = co_await keys_beginning(table, call.tenant(), call.part(0));
    if (meant.empty()) throw http_error{404, "key_not_found", "there is no such key"};
    if (meant.size() > 1) throw http_error{409, "ambiguous_key_id", "several keys begin so: give more digits"};
    (void)co_await table.revoke(call.tenant(), meant.front());
    core.access.end_key(meant.front());
    co_await call.reply_nothing(204);
}

}  // namespace

void add_key_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "GET", "/admin/keys", {"keys", "read"}, list_keys,
               {.summary = "Lists the keys of the caller's tenant",
                .query = &key_list,
                .answer = {.of = &keys_schema}});
    bind_route(routes, core, "POST", "/admin/keys", {"keys", "create"}, make_key,
               {.summary = "Makes a key", .body = &new_key, .answer = {.of = &key_schema}});
    bind_route(routes, core, "DELETE", "/admin/keys/{key_id}", {"keys", "delete"}, revoke_key,
               {.summary = "Revokes a key", .answer = {.what = good_answer::form::nothing, .status = 204}});
}

}  // namespace weft::serve_detail
