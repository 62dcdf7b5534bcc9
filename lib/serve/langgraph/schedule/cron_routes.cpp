#include "cron_routes.hpp"

#include "cron_body.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/order/assistants.hpp"
#include "serve/order/threads.hpp"
#include "serve/wire/page_fields.hpp"
#include "serve/wire/view_schemas.hpp"

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

constexpr std::array<std::string_view, 7> cron_sort_names{"cron_id",    "assistant_id",  "thread_id", "created_at",
                                                          "updated_at", "next_run_date", "end_time"};
constexpr std::array<std::string_view, 2> cron_order_names{"asc", "desc"};

struct cron_filter_fields : field_set {
    using field_set::field_set;

    text_field assistant{*this, "assistant_id", "Only of this assistant, or graph"};
    text_field thread{*this, "thread_id", "Only of this thread"};
    flag_field is_enabled{*this, "enabled", "Only those that are, or are not"};
    object_field metadata{*this, "metadata", "What the metadata contain"};
};
const cron_filter_fields cron_filter{"body"};

struct cron_search_fields : paged<cron_filter_fields> {
    using paged::paged;

    word_field sort_by{*this, "sort_by", "By what they are sorted; the newest first without it", cron_sort_names};
    word_field order{*this, "sort_order", "desc if it is left out", cron_order_names};
    texts_field select{*this, "select", "Only these members of each"};
};
const cron_search_fields cron_search{"body"};

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
    const wall_time local = core.loop.clock().system_now();
    (void)co_await crons.create(std::move(made));
    co_await time_by_store(core, call.tenant(), id, local);
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
        const std::optional<wall_time> next_before = known.next;
        const wall_time local = core.loop.clock().system_now();
        cron changed = co_await read_cron(core, std::move(known), body);
        const bool has_new_time = changed.next != next_before;
        const bool is_changed = co_await crons.update(std::move(changed));
        if (!is_changed) continue;
        if (has_new_time) co_await time_by_store(core, call.tenant(), call.part(0), local);
        const cron shown = co_await require_cron(core, call.tenant(), call.part(0));
        co_await call.reply(200, view_of(shown));
        co_return;
    }
    throw http_error{409, "cron_is_busy", "others change the cron at the same time; try again"};
}

task<void> run_cron_now(serve_core& core, api_call& call)
{
    cron_table crons{core.stores.service->documents()};
    for (int i = 0; i < changes_tried; ++i) {
        const cron known = co_await require_cron(core, call.tenant(), call.part(0));
        if (!known.is_enabled)
            throw http_error{409, "cron_is_paused", "the cron is paused: enable it before it runs"};
        const bool is_due = co_await crons.run_now(call.tenant(), call.part(0));
        if (!is_due) continue;
        const cron shown = co_await require_cron(core, call.tenant(), call.part(0));
        co_await call.reply(202, view_of(shown));
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
    query.assistant = cron_filter.assistant.in(body);
    // The name of a graph is that of its own assistant.
    if (query.assistant && core.find_graph(*query.assistant)) query.assistant = assistant_id_of(*query.assistant);
    query.thread = cron_filter.thread.in(body);
    query.is_enabled = cron_filter.is_enabled.in(body);
    query.metadata_contains = cron_filter.metadata.text_or_empty(body);
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
    const std::optional<std::size_t> sorted_by = cron_search.sort_by.in(body);
    const bool is_rising = cron_search.order.in(body) == std::size_t{0};
    if (!sorted_by) return;
    const std::string_view key = cron_sort_names[*sorted_by];
    sort_stably(views, [&](const object& a, const object& b) {
        const value& first = a.at(key);
        const value& second = b.at(key);
        if (!first.is_string() || !second.is_string()) return first.is_string() && !second.is_string();
        return is_rising ? first.get_string() < second.get_string() : second.get_string() < first.get_string();
    });
}

task<void> search_crons(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const wanted_page page{cron_search, body};
    const member_selection members{cron_search.select, body};
    const std::size_t wanted = cron_search.sort_by.is_in(body) ? listed_max : std::min(page.end() + 1, listed_max);
    std::vector<object> views = co_await views_found(core, cron_query_in(core, body, call.tenant()), wanted);
    sort_views(views, body);
    array result;
    for (std::size_t i = page.offset; i < std::min(views.size(), page.end()); ++i)
        result.push_back(members.of(std::move(views[i])));
    co_await reply_page(call, std::move(result), page, views.size() > page.end());
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
    const good_answer one{.of = &cron_schema};
    const field_set* const fields = &cron_fields_of_body();
    bind_route(routes, core, "POST", "/runs/crons", {"crons", "create"}, create_cron,
               {.summary = "Has runs begin again and again", .body = fields, .answer = one});
    bind_route(routes, core, "POST", "/runs/crons/search", {"crons", "search"}, search_crons,
               {.summary = "Finds crons", .body = &cron_search, .answer = {good_answer::form::list, &cron_schema}});
    bind_route(routes, core, "POST", "/runs/crons/count", {"crons", "search"}, count_crons,
               {.summary = "Counts crons", .body = &cron_filter, .answer = {.of = &count_schema}});
    bind_route(routes, core, "GET", "/runs/crons/{cron_id}", {"crons", "read"}, show_cron,
               {.summary = "Shows a cron", .answer = one});
    bind_route(routes, core, "PATCH", "/runs/crons/{cron_id}", {"crons", "update"}, change_cron,
               {.summary = "Changes a cron", .body = fields, .is_partial = true, .answer = one});
    bind_route(routes, core, "POST", "/runs/crons/{cron_id}/run", {"crons", "update"}, run_cron_now,
               {.summary = "Has the next run of a cron begin now", .answer = {.of = &cron_schema, .status = 202}});
    bind_route(routes, core, "DELETE", "/runs/crons/{cron_id}", {"crons", "delete"}, erase_cron,
               {.summary = "Deletes a cron", .answer = {.of = &object_schema}});
    bind_route(routes, core, "POST", "/threads/{thread_id}/runs/crons", {"crons", "create"}, create_cron_of_thread,
               {.summary = "Has runs of a thread begin again and again", .body = fields, .answer = one});
}

}  // namespace weft::serve_detail
