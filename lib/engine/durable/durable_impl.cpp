#include "durable_impl.hpp"

#include "graph_abilities.hpp"

#include <weft/async/loop/serial_loop.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace weft {

task<void> durable_engine::impl::open()
{
    serial_loop& loop = co_await this_task::loop();
    core.is_draining = false;
    core.runs->open(loop);
    if (!core.ids) core.ids.emplace(loop.clock(), loop.random());
    core.lease.open(loop, abilities());
    context_ = task_context{&loop, &scope_};
    beating_ = beat();
    static_cast<void>(beating_.start(context_, [](void*) {}, nullptr));
    hearing_ = news.watch();
    static_cast<void>(hearing_.start(context_, [](void*) {}, nullptr));
    naming_ = core.lease.tell_graphs();
    static_cast<void>(naming_.start(context_, [](void*) {}, nullptr));
    watching_ = answers.watch();
    static_cast<void>(watching_.start(context_, [](void*) {}, nullptr));
    // An engine that is open is a worker: the first request need not wait for that.
    co_await core.lease.wait_until_alive();
}

void durable_engine::impl::use_graphs(std::shared_ptr<const durable_graphs> graphs)
{
    core.graphs = std::move(graphs);
    core.lease.use_graphs(abilities());
}

std::vector<graph_ability> durable_engine::impl::abilities() const
{
    if (!core.options.names_graphs) return {};
    return graph_abilities(*core.graphs, core.options.performed_max != 0u);
}

task<void> durable_engine::impl::close()
{
    co_await worker.drain();
    const worker_id left = core.lease.worker();
    shut();
    // After the heartbeat has ended, which would enter anew.
    if (left != 0) co_await core.store.leave(left);
}

void durable_engine::impl::shut()
{
    beating_.reset();
    naming_.reset();
    watching_.reset();
    hearing_.reset();
    core.lease.close();
}

task<void> durable_engine::impl::beat()
{
    for (;;) {
        if (!core.lease.is_alive()) {
            if (core.lease.drop() != 0) core.runs->lose_all_soon();
            co_await core.lease.enter();
            continue;
        }
        const std::optional<worker_pulse::signal_list> signals = co_await core.lease.next_heartbeat();
        if (!signals) continue;
        for (const heartbeat_report::signalled& each : *signals) core.runs->signal_soon(each.run, each.signal);
        co_await core.claims.settle();
        // Rare: only after an answer to a claim of any run was lost.
        if (!core.claims.has_unknown_runs()) continue;
        // Runs of the worker loop go on elsewhere, so that no claims are left and the process can enter anew.
        core.runs->yield_of_worker();
        co_await core.claims.leave_if_unsure();
    }
}

task<run_result> durable_engine::impl::replay(thread_key from, std::int64_t sequence, durable_request request)
{
    const thread_snapshot at = co_await editor.fork(std::move(from), sequence, request.key(), state_update{});
    if (request.graph.empty()) request.graph = at.info().graph;
    co_return co_await requests.run(std::move(request));
}

}  // namespace weft
