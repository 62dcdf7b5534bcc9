#include "entry_routes.hpp"

#include "cron_body.hpp"
#include "cron_orders.hpp"
#include "serve/order/assistants.hpp"
#include "serve/order/run_orders.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/wire/views.hpp"
#include "serve/schedule/payload_template.hpp"

#include <weft/async/wait/on_behalf_of.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/serve/cron_moment.hpp>
#include <weft/store/service/cron_table.hpp>
#include <weft/store/service/request_key_table.hpp>

#include <boost/json/serialize.hpp>

#include <memory>
#include <set>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;

constexpr std::chrono::hours keys_lifetime{24};
constexpr std::chrono::minutes claims_lifetime{1};  // of a process that dies between two writes
constexpr std::size_t hook_key_bytes_max = 256;
constexpr const char* entry_member = "entry_point";  // of the metadata of crons and runs

/** What the store knows of a webhook that came before. */
struct hook_claim {
    run_id run;
    bool is_entered = false;  // its run was in the store, whether or not it still is
};

std::string table_key(const served_entry& entry, const std::string& key)
{
    return "entry " + entry.id + ' ' + key;
}

std::string claim_text(const hook_claim& claim)
{
    return boost::json::serialize(object{{"run_id", claim.run.text()}, {"is_entered", claim.is_entered}});
}

/** The run of a webhook: that of an earlier one with its key, or a new one, which is noted before it is begun. */
task<hook_claim> claim_run(serve_core& core, const served_entry& entry, std::string key)
{
    hook_claim claim;
    if (key.empty()) {
        claim.run = core.next_id<run_id>();
        co_return claim;
    }
    request_key_table keys{core.stores.service->documents()};
    const std::string name = table_key(entry, key);
    const request_key_claim known = co_await keys.claim(entry.tenant, name, claims_lifetime);
    if (known.state == request_key_state::running) {
        http_error busy{409, "webhook_is_busy", "a webhook with this key is being taken; try again"};
        busy.header("Retry-After", "1");
        throw busy;
    }
    if (known.state == request_key_state::done) {
        const object result = object_in(known.result);
        const auto* const text = result.if_contains("run_id");
        if (text && text->is_string()) claim.run = run_id::parse(text->get_string()).value_or(run_id{});
        claim.is_entered = result.contains("is_entered") && result.at("is_entered") == true;
    }
    if (claim.run.is_nil()) claim.run = core.next_id<run_id>();
    if (known.state == request_key_state::fresh)
        co_await keys.settle(entry.tenant, name, claim_text(claim), keys_lifetime);
    co_return claim;
}

task<void> begin_entry_run(serve_core& core, const served_entry& entry, run_id run, object input)
{
    run_body body;
    body.id = run;
    body.assistant = entry.graph;
    body.input = std::move(input);
    body.metadata[entry_member] = entry.id;
    body.makes_thread = true;
    thread_key thread{run.text(), entry.tenant};
    run_order order = co_await order_in_thread(core, std::move(thread), std::move(body));
    const std::shared_ptr<run_feed> feed = run_launcher{core}.launch(std::move(order));
    (void)co_await wait_for_entry(core, feed);
}

task<void> take_delivery(serve_core& core, api_call& call, const served_entry& entry, webhook_delivery delivery)
{
    if (delivery.idempotency_key.size() > hook_key_bytes_max)
        throw http_error{400, "invalid_key", "the idempotency key is longer than 256 bytes"};
    co_await make_assistants(core, entry.tenant);
    object input = filled_input(entry.input, delivery.payload);
    // Before anything is written: what does not fit leaves neither a thread nor a key behind.
    const std::shared_ptr<const hosted_graph> graph = core.find_graph(entry.graph);
    if (!graph) throw http_error{404, "not_found", "the server does not have the graph '" + entry.graph + "' any more"};
    (void)read_update(graph->graph, input, "input");
    const std::string key = delivery.idempotency_key;
    hook_claim claim = co_await claim_run(core, entry, key);
    std::optional<run_record> known;
    if (!claim.is_entered) known = co_await core.stores.runs->find_run(claim.run);
    if (!claim.is_entered && !known) co_await begin_entry_run(core, entry, claim.run, std::move(input));
    if (!claim.is_entered && !key.empty()) {
        claim.is_entered = true;
        request_key_table keys{core.stores.service->documents()};
        co_await keys.settle(entry.tenant, table_key(entry, key), claim_text(claim), keys_lifetime);
    }
    const std::string id = claim.run.text();
    const object answer{{"status", "accepted"}, {"entry_point", entry.id}, {"run_id", id}, {"thread_id", id}};
    co_await call.reply(202, answer);
}

/** Answers a webhook of an entry. */
task<void> receive_hook(serve_core& core, api_call& call, const served_entry& entry, const webhook_gate& gate)
{
    webhook_request request;
    request.method = std::string{call.http().method()};
    request.path = entry.webhook->path;
    request.headers = call.http().headers();
    request.body = co_await call.http().read_body(entry.webhook->body_bytes_max);
    webhook_answer answer = gate.receive(request);
    if (!answer.delivery) {
        co_await call.reply(static_cast<int>(answer.status), answer.body);
        co_return;
    }
    on_behalf_of taken{take_delivery(core, call, entry, std::move(*answer.delivery)), &entry.tenant};
    co_await taken;
}

std::string cron_id_of(const served_entry& entry) { return "entry." + entry.id; }

cron cron_of(const serve_core& core, const served_entry& entry)
{
    cron made;
    made.tenant = entry.tenant;
    made.id = cron_id_of(entry);
    made.graph = entry.graph;
    made.assistant = assistant_id_of(entry.graph);
    made.schedule = entry.cron.empty() ? "@every " + std::to_string(entry.every.count()) + 's' : entry.cron;
    made.time_zone = entry.time_zone;
    const object metadata{{entry_member, entry.id}};
    made.metadata = boost::json::serialize(metadata);
    const object payload{{"assistant_id", entry.graph},
                         {"input", filled_input(entry.input, object{})},
                         {"metadata", metadata},
                         {"on_run_completed", "keep"}};
    made.input = boost::json::serialize(payload);
    made.next = next_moment(made, core.loop.clock().system_now());
    return made;
}

bool has_timer(const served_entry& entry) { return !entry.cron.empty() || entry.every.count() > 0; }

task<void> enter_timer(serve_core& core, cron wanted)
{
    cron_table crons{core.stores.service->documents()};
    const wall_time local = core.loop.clock().system_now();
    const bool is_new = co_await crons.create(wanted);
    if (is_new) co_await time_by_store(core, wanted.tenant, wanted.id, local);
    if (is_new) co_return;
    const std::optional<cron> known = co_await crons.find(wanted.tenant, wanted.id);
    if (!known) co_return;
    // One that stays as it was keeps its moment: what was missed while no server ran has its run.
    const bool is_same_time = known->schedule == wanted.schedule && known->time_zone == wanted.time_zone;
    const bool is_same = is_same_time && known->graph == wanted.graph &&
                         object_in(known->input) == object_in(wanted.input);
    if (is_same) co_return;
    if (is_same_time) wanted.next = known->next;
    wanted.is_enabled = known->is_enabled;
    wanted.revision = known->revision;
    (void)co_await crons.update(std::move(wanted));  // another server that changed it meanwhile has the same file
}

bool is_of_entry(const cron& of)
{
    return of.id.starts_with("entry.") && object_in(of.metadata).contains(entry_member);
}

/** Removes the crons of entries of a graph that no server has any more. */
task<void> drop_timers(serve_core& core, timer_claims& claims, std::string graph)
{
    cron_table crons{core.stores.service->documents()};
    const std::set<std::string> others = co_await claims.of_others();
    cron_query query;
    query.graph = std::move(graph);
    for (;;) {
        const cron_page page = co_await crons.search(query);
        for (const cron& each : page.crons) {
            const std::string name = timer_claims::name_of(each.tenant, each.id);
            const bool is_there = claims.has(name) || others.contains(name);
            if (is_of_entry(each) && !is_there) (void)co_await crons.erase(each.tenant, each.id);
        }
        if (page.next.empty()) co_return;
        query.after = page.next;
    }
}

/** Its graph may be an older one than that of the server which has the timer: what it refuses, that one takes. */
http_error left_to_others(const cron& due, const std::string& why)
{
    http_error left{503, "timer_of_another_server",
                    "left to the servers that have the entry of " + due.id + ": " + why};
    left.header("Retry-After", "1");
    return left;
}

}  // namespace

void add_entry_routes(route_table& routes, serve_core& core, std::shared_ptr<const served_set> served)
{
    for (const served_entry& each : served->entries) {
        if (!each.webhook) continue;
        const std::shared_ptr<const served_entry> entry{served, &each};
        const auto gate = std::make_shared<webhook_gate>();
        webhook_route route = *entry->webhook;
        route.entry_point = entry->id;
        gate->add(std::move(route));
        for (const std::string& method : entry->webhook->methods)
            routes.add({method, entry->webhook->path, {}, [&core, entry, gate](api_call& call) {
                            return receive_hook(core, call, *entry, *gate);
                        }});
    }
}

task<void> enter_timers(serve_core& core, timer_claims& claims)
{
    const std::shared_ptr<const served_set> served = core.served;
    std::set<std::string> own;
    for (const served_entry& entry : served->entries)
        if (has_timer(entry)) own.insert(timer_claims::name_of(entry.tenant, cron_id_of(entry)));
    // First, so that no other server drops what is entered here.
    co_await claims.claim(std::move(own));
    for (const hosted_graph& each : served->graphs) {
        std::string graph{each.graph.name()};
        co_await drop_timers(core, claims, std::move(graph));
    }
    for (const served_entry& entry : served->entries) {
        if (!has_timer(entry)) continue;
        co_await make_assistants(core, entry.tenant);
        cron wanted = cron_of(core, entry);
        co_await enter_timer(core, std::move(wanted));
    }
}

task<void> begin_due_run(serve_core& core, timer_claims& claims, cron due)
{
    const std::string name = timer_claims::name_of(due.tenant, due.id);
    if (!is_of_entry(due) || claims.has(name)) {
        co_await begin_cron_run(core, std::move(due));
        co_return;
    }
    const std::set<std::string> others = co_await claims.of_others();
    if (!others.contains(name)) {
        cron_table crons{core.stores.service->documents()};
        (void)co_await crons.erase(due.tenant, due.id);
        co_return;
    }
    std::string refused;
    try {
        co_await begin_cron_run(core, due);
    } catch (const http_error& e) {
        if (e.status() != 422) throw;
        refused = e.what();
    }
    if (!refused.empty()) throw left_to_others(due, refused);
}

}  // namespace weft::serve_detail
