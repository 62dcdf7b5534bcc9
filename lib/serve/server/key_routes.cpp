#include "key_routes.hpp"

#include "serve/http/bound_route.hpp"
#include "serve/wire/body_fields.hpp"
#include "serve/wire/views.hpp"

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
    const std::size_t most = call.query_number("limit", keys_listed_max, keys_listed_max);
    api_key_table table{core.stores.service->documents()};
    const api_key_page page =
        co_await table.list(call.tenant(), call.query("after").value_or(std::string{}), std::max<std::size_t>(most, 1));
    object shown;
    array& keys = shown["keys"].emplace_array();
    for (const api_key& each : page.keys) keys.push_back(key_view(each));
    shown["next"] = page.next;
    co_await call.reply(200, shown);
}

array wanted_scopes(const principal& who, const object& body)
{
    const value* const given = find_member(body, "scopes");
    array scopes;
    if (!given) {
        scopes.emplace_back("*");
    } else {
        if (!given->is_array() || given->get_array().size() > key_scopes_max)
            refuse_member("scopes", "expected a list of at most " + std::to_string(key_scopes_max) + " texts");
        scopes = given->get_array();
    }
    for (const value& scope : scopes) {
        if (!scope.is_string()) refuse_member("scopes", "expected texts such as threads:*");
        if (!who.has_all_of(scope.get_string()))
            throw http_error{403, "forbidden",
                             "the caller has not all of the scope '" + std::string{scope.get_string()} +
                                 "', and may not hand it on"};
    }
    return scopes;
}

task<void> make_key(serve_core& core, api_call& call)
{
    require_asking(core);
    const object body = co_await call.read_object();
    api_key made;
    made.name = required_text(body, "name");
    if (made.name.size() > key_name_bytes_max) refuse_member("name", "is longer than 200 bytes");
    made.tenant = call.tenant();
    made.metadata = boost::json::serialize(object{{"scopes", wanted_scopes(call.who(), body)}});
    const auto now = core.loop.clock().system_now();
    const std::optional<std::int64_t> days = number_member(body, "days", 1, key_days_max);
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
    bind_route(routes, core, "GET", "/admin/keys", {"keys", "read"}, list_keys);
    bind_route(routes, core, "POST", "/admin/keys", {"keys", "create"}, make_key);
    bind_route(routes, core, "DELETE", "/admin/keys/{key_id}", {"keys", "delete"}, revoke_key);
}

}  // namespace weft::serve_detail
