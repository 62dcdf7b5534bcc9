#include "cron_routes.hpp"

#include "cron_body.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/order/assistants.hpp"
#include "serve/wire/body_fields.hpp"
#include "serve/order/threads.hpp"

#include <weft/base/memory/sort_stably.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t crons_a_page = 100;
constexpr std::size_t listed_max = 10'000;  // of what a search looks at
constexpr int changes_tried = 3;

[[noreturn]] void refuse_unknown_cron(const std::string& id)
{
    throw http_error{404, "cron_not_found", "there is no cron '" + id + "'"};
}

task<cron> require_cron(serve_core& core, std::string tenant, std::string id)
{
    cron_table crons{core.stores.service->documents()};
    std::optional<cron> found = co_await crons.find(std::move(tenant), id);
    if (!found) refuse_unknown_cron(id);
    co_return std::move(*found);
}

task<void> make_cron(serve_core& core, api_call& call, std::string thread)
{
    object body = co_await call.read_object();
    cron_table crons{core.stores.service->documents()};
    cron_query of_tenant;
    of_tenant.tenant = call.tenant();
    const std::size_t others = co_await crons.count(std::move(of_tenant));
    if (others >= core.options.crons_max)
        throw http_error{429, "too_many_crons",
                         "there are " + std::to_string(others) + " crons, and no more may be: delete some"};
    cron made;
    made.tenant = call.tenant();
    made.id = core.next_id<run_id>().text();
    made.thread = std::move(thread);
    made = co_await read_cron(core, std::move(made), std::move(body));
    const std::string id = made.id;
    (void)co_await crons.create(std::move(made));
    const cron shown = co_await require_cron(core, call.tenant(), id);
    co_await call.reply(200, view_of(shown));
}

task<void> create_cron(serve_core& core, api_call& call) { return make_cron(core, call, {}); }

task<void> create_cron_of_thread(serve_core& core, api_call& call)
{
    const stored_thread known = co_await require_thread(core, call.thread());
    co_await make_cron(core, call, known.thread.thread);
}

task<void> show_cron(serve_core& core, api_call& call)
{
    const cron shown = co_await require_cron(core, call.tenant(), call.part(0));
    co_await call.reply(200, view_of(shown));
}

task<void> change_cron(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    cron_table crons{core.stores.service->documents()};
    // Its run may be begun meanwhile, which changes it as well.
    for (int i = 0; i < changes_tried; ++i) {
        cron known = co_await require_cron(core, call.tenant(), call.part(0));
        cron changed = co_await read_cron(core, std::move(known), body);
        const bool is_changed = co_await crons.update(std::move(changed));
        if (!is_changed) continue;
        const cron shown = co_await require_cron(core, call.tenant(), call.part(0));
        co_await call.reply(200, view_of(shown));
        co_return;
    }
    throw http_error{409, "cron_is_busy", "others change the cron at the same time; try again"};
}

task<void> erase_cron(serve_core& core, api_call& call)
{
    cron_table crons{core.stores.service->documents()};
    const bool was_there = co_await crons.erase(call.tenant(), call.part(0));
    if (!was_there) refuse_unknown_cron(call.part(0));
    co_await call.reply(200, object{});
}

cron_query cron_query_in(const serve_core& core, const object& body, std::string tenant)
{
    cron_query query;
    query.tenant = std::move(tenant);
    query.assistant = text_member(body, "assistant_id");
    // The name of a graph is that of its own assistant.
    if (query.assistant && core.find_graph(*query.assistant)) query.assistant = assistant_id_of(*query.assistant);
    query.thread = text_member(body, "thread_id");
    query.is_enabled = flag_member(body, "enabled");
    query.metadata_contains = object_text(object_member(body, "metadata"));
    query.count_max = crons_a_page;
    return query;
}

/** Up to `count_max` crons, the newest first. */
task<std::vector<object>> views_found(serve_core& core, cron_query query, std::size_t count_max)
{
    cron_table crons{core.stores.service->documents()};
    std::vector<object> views;
    for (;;) {
        cron_page page = co_await crons.search(query);
        for (const cron& each : page.crons) views.push_back(view_of(each));
        if (page.next.empty() || views.size() >= count_max) break;
        query.after = std::move(page.next);
    }
    co_return views;
}

/** All sort keys are texts, and moments sort as texts. What has none comes last. */
void sort_views(std::vector<object>& views, const object& body)
{
    const std::optional<std::string> key = text_member(body, "sort_by");
    if (!key) return;
    constexpr std::array<std::string_view, 7> keys{"cron_id",    "assistant_id",  "thread_id", "created_at",
                                                   "updated_at", "next_run_date", "end_time"};
    if (std::find(keys.begin(), keys.end(), *key) == keys.end())
        refuse_member("sort_by", "expected one of cron_id, assistant_id, thread_id, created_at, updated_at, "
                                 "next_run_date, end_time");
    const std::string order = text_member(body, "sort_order").value_or("desc");
    if (order != "asc" && order != "desc") refuse_member("sort_order", "expected asc or desc");
    const bool is_rising = order == "asc";
    sort_stably(views, [&](const object& a, const object& b) {
        const value& first = a.at(*key);
        const value& second = b.at(*key);
        if (!first.is_string() || !second.is_string()) return first.is_string() && !second.is_string();
        return is_rising ? first.get_string() < second.get_string() : second.get_string() < first.get_string();
    });
}

/** Leaves the members that a client wants to see. */
object selected_members(object view, const object& body)
{
    const value* const select = find_member(body, "select");
    if (!select) return view;
    if (!select->is_array()) refuse_member("select", "expected a list of members");
    object kept;
    for (const value& name : select->get_array())
        if (name.is_string() && view.contains(name.get_string())) kept[name.get_string()] = view[name.get_string()];
    return kept;
}

task<void> search_crons(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const auto limit = static_cast<std::size_t>(number_member(body, "limit", 1, 1000).value_or(10));
    const auto offset = static_cast<std::size_t>(number_member(body, "offset", 0, 1'000'000).value_or(0));
    const bool is_sorted = find_member(body, "sort_by") != nullptr;
    const std::size_t wanted = is_sorted ? listed_max : std::min(offset + limit + 1, listed_max);
    std::vector<object> views = co_await views_found(core, cron_query_in(core, body, call.tenant()), wanted);
    sort_views(views, body);
    array result;
    for (std::size_t i = offset; i < std::min(views.size(), offset + limit); ++i)
        result.push_back(selected_members(std::move(views[i]), body));
    if (views.size() > offset + limit)
        co_await call.reply(200, result, "X-Pagination-Next", std::to_string(offset + limit));
    else
        co_await call.reply(200, result);
}

task<void> count_crons(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    cron_table crons{core.stores.service->documents()};
    const std::size_t count = co_await crons.count(cron_query_in(core, body, call.tenant()));
    co_await call.reply(200, value(count));
}

}  // namespace

void add_cron_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "POST", "/runs/crons", {"crons", "create"}, create_cron);
    bind_route(routes, core, "POST", "/runs/crons/search", {"crons", "search"}, search_crons);
    bind_route(routes, core, "POST", "/runs/crons/count", {"crons", "search"}, count_crons);
    bind_route(routes, core, "GET", "/runs/crons/{cron_id}", {"crons", "read"}, show_cron);
    bind_route(routes, core, "PATCH", "/runs/crons/{cron_id}", {"crons", "update"}, change_cron);
    bind_route(routes, core, "DELETE", "/runs/crons/{cron_id}", {"crons", "delete"}, erase_cron);
    bind_route(routes, core, "POST", "/threads/{thread_id}/runs/crons", {"crons", "create"}, create_cron_of_thread);
}

}  // namespace weft::serve_detail
