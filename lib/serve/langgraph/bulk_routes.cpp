#include "bulk_routes.hpp"

#include "serve/order/run_orders.hpp"
#include "serve/order/runs.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/wire/view_schemas.hpp"
#include "serve/wire/views.hpp"
#include "serve/order/threads.hpp"

#include <weft/base/json.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/store/record/retention.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t batch_max = 1000;
constexpr std::size_t runs_a_page = 500;

constexpr std::array<std::string_view, 3> cancel_status_names{"pending", "running", "all"};
constexpr std::array<std::string_view, 2> prune_names{"delete", "keep_latest"};

struct cancel_many_fields : field_set {
    using field_set::field_set;

    word_field status{*this, "status", "All runs that stand so; or give thread_id and run_ids", cancel_status_names};
    text_field thread{*this, "thread_id", "The thread of the runs"};
    texts_field runs{*this, "run_ids", "The runs", {.items_max = batch_max}};
};
const cancel_many_fields cancel_fields_of_body{"body"};

struct prune_fields : field_set {
    using field_set::field_set;

    texts_field threads{*this, "thread_ids", "The threads", {.items_max = batch_max}};
    word_field strategy{*this, "strategy", "What becomes of them; keep_latest leaves the newest checkpoint",
                        prune_names};
};
const prune_fields prune_fields_of_body{"body"};

boost::json::object pruned_schema_object()
{
    return parse_json(R"({"type": "object", "properties": {"pruned_count": {"type": "integer", "minimum": 0}},
                          "required": ["pruned_count"]})").as_object();
}
const named_schema pruned_schema{"Pruned", pruned_schema_object};

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
        order.trace = call.trace();
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
task<std::vector<run_record>> runs_of_status(serve_core& core, std::string tenant, std::size_t status)
{
    const std::string_view named = cancel_status_names[status];
    std::vector<run_phase> phases;
    if (named != "running") phases = {run_phase::queued, run_phase::ready};
    if (named != "pending") phases.push_back(run_phase::running);
    co_return co_await runs_in(core, std::move(tenant), std::move(phases));
}

task<void> cancel_many(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const cancel_many_fields& fields = cancel_fields_of_body;
    const std::optional<std::size_t> status = fields.status.in(body);
    const std::optional<std::string> thread = fields.thread.in(body);
    const std::vector<std::string> ids = fields.runs.in(body);
    if (status.has_value() == (thread.has_value() || !ids.empty()))
        throw http_error{422, "invalid_value", "body: give either status, or thread_id with run_ids"};
    if (!status && !thread) fields.thread.refuse("is required");
    if (!status && ids.empty()) fields.runs.refuse("is required");
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
    const bool keeps = prune_fields_of_body.strategy.in(body) == std::size_t{1};
    const std::vector<std::string> ids = prune_fields_of_body.threads.in(body);
    std::size_t pruned = 0;
    for (const std::string& id : ids) {
        const thread_key key = call.thread(id);
        const std::optional<stored_thread> known = co_await core.stores.service->threads().find(key);
        if (!known) continue;
        if (!keeps) {
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
    using form = good_answer::form;
    bind_route(routes, core, "POST", "/runs/batch", {"threads", "create_run"}, create_batch,
               {.summary = "Begins several runs without threads, in the background",
                .body = &run_fields_of_body(),
                .takes_list = true,
                .answer = {form::list, &run_schema}});
    bind_route(routes, core, "POST", "/runs/cancel", {"threads", "update"}, cancel_many,
               {.summary = "Cancels several runs",
                .body = &cancel_fields_of_body,
                .answer = {.what = form::nothing, .status = 204}});
    bind_route(routes, core, "POST", "/threads/prune", {"threads", "delete"}, prune_threads,
               {.summary = "Deletes threads, or their history",
                .body = &prune_fields_of_body,
                .answer = {.of = &pruned_schema}});
}

}  // namespace weft::serve_detail
