#include "dead_routes.hpp"

#include "serve/http/bound_route.hpp"
#include "serve/order/runs.hpp"
#include "serve/wire/view_schemas.hpp"

#include <weft/base/json.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t dead_a_page_max = 100;

struct dead_list_fields : field_set {
    using field_set::field_set;

    text_field graph{*this, "graph", "Only runs of this graph"};
    number_field limit{*this, "limit", "How many at most",
                       {.min = 1, .max = dead_a_page_max, .otherwise = dead_a_page_max}};
    text_field after{*this, "after", "What the page before said as next"};
};
const dead_list_fields dead_list{"query"};

/** How many runs one call changes: more take another call. */
constexpr std::size_t changed_max = 1'000;

struct dead_filter_fields : field_set {
    using field_set::field_set;

    text_field graph{*this, "graph", "Runs of this graph"};
    flag_field all{*this, "all", "Runs of all graphs"};
};
const dead_filter_fields dead_filter{"body"};

const named_schema dead_schema{"DeadRun", [] {
    return parse_json(R"({
      "type": "object", "required": ["run_id", "thread_id", "graph", "attempts", "cause", "ended_at"],
      "properties": {
        "run_id": {"type": "string"}, "thread_id": {"type": "string"}, "graph": {"type": "string"},
        "attempts": {"type": "integer"}, "cause": {"type": "string"}, "ended_at": {"type": "string"},
        "lost_attempts": {"type": "array", "items": {"type": "object", "properties": {
          "at": {"type": "string"}, "cause": {"type": "string"}}}}
      }
    })").as_object();
}};
const named_schema dead_page_schema{"DeadRuns", [] {
    object page = parse_json(R"({"type": "object", "required": ["runs", "next"], "properties": {
        "runs": {"type": "array"}, "next": {"type": "string"}}})").as_object();
    page["properties"].at("runs").as_object()["items"] = dead_schema.make();
    return page;
}};

const named_schema dead_change_schema{"DeadRunsChanged", [] {
    return parse_json(R"({
      "type": "object", "required": ["changed", "left", "has_more"],
      "properties": {
        "changed": {"type": "integer", "description": "Runs that go on, or are gone"},
        "left": {"type": "integer", "description": "Runs that stay dead: their threads have gone on without them"},
        "has_more": {"type": "boolean", "description": "There are runs that this call has not looked at"}
      }
    })").as_object();
}};

object dead_view(const run_record& of)
{
    array attempts;
    for (const lost_attempt& each : of.lost_attempts)
        attempts.push_back(object{{"at", to_utc_text(each.at)}, {"cause", each.cause}});
    return {{"run_id", of.id.text()}, {"thread_id", of.thread.thread}, {"graph", of.graph},
            {"attempts", of.attempt}, {"cause", of.message},           {"ended_at", to_utc_text(of.ended)},
            {"lost_attempts", std::move(attempts)}};
}

task<void> list_dead(serve_core& core, api_call& call)
{
    run_query query;
    query.tenant = call.tenant();
    query.phases = {run_phase::dead};
    query.graph = dead_list.graph.in(call);
    query.count_max = dead_list.limit.or_default(call);
    query.after = dead_list.after.in(call).value_or(std::string{});
    const run_page page = co_await search_runs(core, std::move(query), dead_list.after);
    object shown;
    array& runs = shown["runs"].emplace_array();
    for (const stored_run& each : page.runs) {
        const std::optional<run_record> record = co_await core.stores.runs->find_run(each.id);
        if (record) runs.push_back(dead_view(*record));
    }
    shown["next"] = page.next;
    co_await call.reply(200, shown);
}

/** @par Errors   `http_error` 404: the caller's tenant has no such run that is dead. */
task<run_record> require_dead(serve_core& core, const api_call& call)
{
    const std::optional<run_id> id = run_id::parse(call.part(0));
    std::optional<run_record> found;
    if (id) found = co_await core.stores.runs->find_run(*id);
    if (!found || found->thread.tenant != call.tenant() || found->phase != run_phase::dead)
        throw http_error{404, "run_not_found", "there is no dead run '" + std::string{call.part(0)} + "'"};
    co_return std::move(*found);
}

task<bool> remove_one(serve_core& core, run_id dead) { return core.stores.service->runs().remove(dead); }

/** @return   False: its thread has another run, or has gone on since. */
task<bool> retry_one(serve_core& core, run_id dead)
{
    const bool goes_on = co_await core.engine.retry(dead);
    if (goes_on) (void)co_await remove_one(core, dead);
    co_return goes_on;
}

task<void> retry_dead(serve_core& core, api_call& call)
{
    const run_record dead = co_await require_dead(core, call);
    const bool goes_on = co_await retry_one(core, dead.id);
    if (!goes_on)
        throw http_error{409, "thread_has_gone_on", "its thread has another run, or has gone on since: purge it"};
    co_await call.reply(202, object{});
}

task<void> purge_dead(serve_core& core, api_call& call)
{
    const run_record dead = co_await require_dead(core, call);
    (void)co_await remove_one(core, dead.id);
    co_await call.reply_nothing(204);
}

using dead_change = task<bool> (*)(serve_core& core, run_id dead);

/** Changes the dead runs of the caller's tenant, the newest first. */
task<void> change_all(serve_core& core, api_call& call, dead_change change)
{
    const object body = co_await call.read_object();
    run_query query;
    query.tenant = call.tenant();
    query.phases = {run_phase::dead};
    query.graph = dead_filter.graph.in(body);
    // A misspelt name must not purge everything.
    if (query.graph.has_value() == dead_filter.all.is_set(body))
        dead_filter.graph.refuse("name a graph, or say \"all\": true");
    query.count_max = dead_a_page_max;
    std::size_t changed = 0;
    std::size_t left = 0;
    do {
        run_query page_of = query;
        const run_page page = co_await core.stores.service->runs().search(std::move(page_of));
        for (const stored_run& each : page.runs) {
            const bool is_changed = co_await change(core, each.id);
            ++(is_changed ? changed : left);
        }
        query.after = page.next;
    } while (!query.after.empty() && changed + left < changed_max);
    const object shown{{"changed", changed}, {"left", left}, {"has_more", !query.after.empty()}};
    co_await call.reply(200, shown);
}

task<void> retry_all(serve_core& core, api_call& call) { return change_all(core, call, retry_one); }

task<void> purge_all(serve_core& core, api_call& call) { return change_all(core, call, remove_one); }

}  // namespace

void add_dead_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "GET", "/admin/dead", {"queue", "read"}, list_dead,
               {.summary = "Runs that have used up their attempts, and why",
                .query = &dead_list,
                .answer = {.of = &dead_page_schema}});
    bind_route(routes, core, "POST", "/admin/dead/{run_id}/retry", {"queue", "update"}, retry_dead,
               {.summary = "Lets a new run go on where a dead one stood",
                .answer = {.of = &object_schema, .status = 202}});
    bind_route(routes, core, "POST", "/admin/dead/retry", {"queue", "update"}, retry_all,
               {.summary = "Lets new runs go on where the dead ones of a graph, or all, stood; a thousand a call",
                .body = &dead_filter,
                .answer = {.of = &dead_change_schema}});
    bind_route(routes, core, "POST", "/admin/dead/purge", {"queue", "delete"}, purge_all,
               {.summary = "Removes the dead runs of a graph, or of all; a thousand in one call",
                .body = &dead_filter,
                .answer = {.of = &dead_change_schema}});
    bind_route(routes, core, "DELETE", "/admin/dead/{run_id}", {"queue", "delete"}, purge_dead,
               {.summary = "Removes a dead run", .answer = {.what = good_answer::form::nothing, .status = 204}});
}

}  // namespace weft::serve_detail
