#include "waiting_judge.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t looked_at_max = 1000;
constexpr std::size_t examples_max = 20;
constexpr std::size_t waiting_a_page = 100;

/** Why the thread cannot go on; empty if it can. */
task<std::string> reason_of(serve_core& core, thread_key thread, const durable_graphs::entry* newest)
{
    std::string reason;
    std::optional<checkpoint> head = co_await core.stores.runs->load(thread, std::nullopt);
    if (!newest || !head || head->graph_hash == newest->table->fingerprint()) co_return reason;
    try {
        const std::vector<graph_change> changes = co_await read_graph_changes(
            *core.stores.runs, std::move(thread), std::move(*head), newest->graph(), newest->migrations);
        for (const graph_change& change : changes)
            if (change.blocks) reason.append(reason.empty() ? "" : ", ").append(change.text());
    } catch (const error& e) {
        if (e.code() != errc::store_corrupt && e.code() != errc::store_refused) throw;
        reason = e.what();
    }
    co_return reason;
}

/** @param tenant   Nothing: of all. */
task<waiting_threads> judge_graph(serve_core& core, std::string name, std::shared_ptr<const durable_graphs> graphs,
                                  std::optional<std::string> tenant)
{
    const durable_graphs::entry* const newest = graphs->find(name);
    waiting_threads judged;
    judged.graph = name;
    judged.is_removed = !newest;
    run_query query;
    query.tenant = std::move(tenant);
    query.graph = std::move(name);
    query.phases = {run_phase::waiting};
    query.count_max = waiting_a_page;
    for (;;) {
        const run_page page = co_await core.stores.service->runs().search(query);
        for (const stored_run& run : page.runs) {
            if (judged.go_on + judged.stuck >= looked_at_max) {
                judged.has_more = true;
                co_return judged;
            }
            std::string reason = co_await reason_of(core, run.thread, newest);
            if (newest && reason.empty()) {
                ++judged.go_on;
                continue;
            }
            ++judged.stuck;
            if (judged.examples.size() < examples_max)
                judged.examples.push_back({run.thread.tenant, run.thread.thread, std::move(reason)});
        }
        if (page.next.empty()) co_return judged;
        query.after = page.next;
    }
}

}  // namespace

task<std::vector<waiting_threads>> judge_waiting(serve_core& core, std::shared_ptr<const durable_graphs> before)
{
    std::vector<waiting_threads> all;
    const std::shared_ptr<const durable_graphs> now = core.of_engine;
    for (const durable_graphs::entry& each : before->entries()) {
        const durable_graphs::entry* const newest = now->find(each.graph().name());
        const bool is_same = newest && newest->table->fingerprint() == each.table->fingerprint();
        if (each.is_former || is_same) continue;
        std::string name{each.graph().name()};
        std::optional<std::string> of_all;
        waiting_threads judged = co_await judge_graph(core, std::move(name), now, std::move(of_all));
        if (judged.go_on + judged.stuck > 0) all.push_back(std::move(judged));
    }
    co_return all;
}

task<waiting_threads> judge_change(serve_core& core, std::string name, graph next, std::string tenant)
{
    durable_graphs only;
    only.add(std::move(next));
    std::shared_ptr<const durable_graphs> graphs = std::make_shared<const durable_graphs>(std::move(only));
    std::optional<std::string> of{std::move(tenant)};
    co_return co_await judge_graph(core, std::move(name), std::move(graphs), std::move(of));
}

}  // namespace weft::serve_detail
