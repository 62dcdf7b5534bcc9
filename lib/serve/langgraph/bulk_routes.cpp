#include "bulk_routes.hpp"

#include "serve/order/run_orders.hpp"
#include "serve/order/runs.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/wire/body_fields.hpp"
#include "serve/wire/views.hpp"
#include "serve/order/threads.hpp"

#include <weft/net/server/http_error.hpp>
#include <weft/store/record/retention.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t batch_max = 1000;
constexpr std::size_t runs_a_page = 500;

std::vector<std::string> ids_in(const object& body, std::string_view member)
{
    std::vector<std::string> ids;
    const value* const given = find_member(body, member);
    if (!given) return ids;
    if (!given->is_array() || given->get_array().size() > batch_max)
        refuse_member(member, "expected a list of at most " + std::to_string(batch_max) + " ids");
    for (const value& id : given->get_array()) {
        if (!id.is_string()) refuse_member(member, "expected strings");
        ids.emplace_back(id.get_string());
    }
    return ids;
}

/** Runs in the background, each with a thread of its own. All are looked at before the first one begins. */
task<void> create_batch(serve_core& core, api_call& call)
{
    const array bodies = co_await call.read_array();
    if (bodies.size() > batch_max)
        throw http_error{422, "invalid_json", "body: more than " + std::to_string(batch_max) + " runs"};
    std::vector<run_order> orders;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (!bodies[i].is_object())
            throw http_error{422, "invalid_json", "body[" + std::to_string(i) + "]: expected an object"};
        run_body body = read_run_body(bodies[i].get_object(), stream_mode::values);
        orders.push_back(co_await order_alone(core, call.tenant(), std::move(body), true));
    }
    array made;
    for (run_order& order : orders) {
        made.push_back(view_of(ordered_record(core, order)));
        (void)run_launcher{core}.launch(std::move(order));
    }
    co_await call.reply(200, made);
}

/** The runs of a tenant that are in one of the phases, by what a cancel needs of them. */
task<std::vector<run_record>> runs_in(serve_core& core, std::string tenant, std::vector<run_phase> phases)
{
    std::vector<run_record> found;
    run_query query;
    query.tenant = std::move(tenant);
    query.phases = std::move(phases);
    query.count_max = runs_a_page;
    for (;;) {
        run_page page = co_await core.stores.service->runs().search(query);
        for (stored_run& run : page.runs) {
            run_record& one = found.emplace_back();
            one.id = run.id;
            one.thread = std::move(run.thread);
            one.phase = run.phase;
        }
        if (page.next.empty()) break;
        query.after = page.next;
    }
    co_return found;
}

/** Those of a tenant's runs that a status names. */
task<std::vector<run_record>> runs_of_status(serve_core& core, std::string tenant, const std::string& status)
{
    std::vector<run_phase> phases;
    if (status == "pending" || status == "all") phases = {run_phase::queued, run_phase::ready};
    if (status == "running" || status == "all") phases.push_back(run_phase::running);
    if (phases.empty()) refuse_member("status", "expected one of pending, running, all");
    co_return co_await runs_in(core, std::move(tenant), std::move(phases));
}

task<void> cancel_many(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const std::optional<std::string> status = text_member(body, "status");
    const std::optional<std::string> thread = text_member(body, "thread_id");
    const std::vector<std::string> ids = ids_in(body, "run_ids");
    if (status.has_value() == (thread.has_value() || !ids.empty()))
        throw http_error{422, "invalid_value", "body: give either status, or thread_id with run_ids"};
    if (!status && (!thread || ids.empty())) refuse_member(thread ? "run_ids" : "thread_id", "is required");
    std::vector<run_record> found;
    if (status) {
        found = co_await runs_of_status(core, call.tenant(), *status);
    } else {
        for (const std::string& id : ids) found.push_back(co_await require_run(core, call.thread(*thread), id));
    }
    // Those in line first: the end of the run before them would begin them.
    std::partition(found.begin(), found.end(),
                   [](const run_record& run) { return run.phase == run_phase::queued; });
    for (const run_record& run : found) (void)co_await cancel_run(core, run);
    co_await call.reply_nothing(204);
}

task<void> prune_threads(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const std::string strategy = text_member(body, "strategy").value_or("delete");
    if (strategy != "delete" && strategy != "keep_latest")
        refuse_member("strategy", "expected one of delete, keep_latest");
    std::size_t pruned = 0;
    for (const std::string& id : ids_in(body, "thread_ids")) {
        const thread_key key = call.thread(id);
        const std::optional<stored_thread> known = co_await core.stores.service->threads().find(key);
        if (!known) continue;
        if (strategy == "delete") {
            (void)co_await core.engine.forget(key);
        } else {
            retention what;
            what.keep_last = 1;
            (void)co_await core.stores.runs->prune(key, what);
        }
        ++pruned;
    }
    const object done{{"pruned_count", pruned}};
    co_await call.reply(200, done);
}

}  // namespace

void add_bulk_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "POST", "/runs/batch", {"threads", "create_run"}, create_batch);
    bind_route(routes, core, "POST", "/runs/cancel", {"threads", "update"}, cancel_many);
    bind_route(routes, core, "POST", "/threads/prune", {"threads", "delete"}, prune_threads);
}

}  // namespace weft::serve_detail
