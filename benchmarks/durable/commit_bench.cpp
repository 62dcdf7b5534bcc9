#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "stores.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>

#include <map>
#include <string>
#include <vector>

namespace weft_bench {

namespace {

constexpr int rounds_of_commits = 7;
constexpr std::size_t batch = 64;  // by hand, and the most that a store takes at once
constexpr std::size_t body_bytes = 1'024;
constexpr std::size_t blob_bytes = 4'096;

weft::unique_id id_of(std::uint64_t number)
{
    weft::unique_id id;
    for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    return id;
}

/** Checkpoints of 1 kB with a blob of 4 kB each, thread after thread in turns. */
noted_commits plain_commits(int threads, int each)
{
    noted_commits made;
    for (int turn = 0; turn < each; ++turn)
        for (int thread = 0; thread < threads; ++thread) {
            const std::uint64_t number = made.size() + 1;
            noting_store::noted_commit& one = made.emplace_back();
            one.thread = weft::thread_key{"thread " + std::to_string(thread)};
            one.draft.body = message_text(number, body_bytes);
            weft::blob piece;
            piece.bytes = message_text(number, blob_bytes);
            piece.hash = weft::hash_of(piece.bytes, weft::hash_key{});
            one.draft.links.push_back(piece.hash);
            one.draft.blobs.push_back(std::move(piece));
        }
    return made;
}

/** The same, each with the events of a node that says four pieces of a text. */
noted_commits telling(noted_commits commits)
{
    for (noting_store::noted_commit& each : commits)
        for (const char* kind : {"node_started", "output", "output", "output", "output", "node_succeeded"})
            each.draft.events.push_back({kind, message_text(each.draft.events.size(), 100)});
    return commits;
}

/** The same in threads of their own and with ids of their own, since a store takes neither twice. */
noted_commits fresh(noted_commits commits)
{
    static std::uint64_t made = 0;
    const std::string stem = std::to_string(++made) + ' ';
    for (noting_store::noted_commit& each : commits) {
        each.thread.thread = stem + each.thread.thread.substr(std::string_view{"thread "}.size());
        each.draft.id = weft::checkpoint_id{id_of(++made)};
    }
    return commits;
}

weft::task<void> commit_all(weft::checkpoint_store& store, weft::write_fence fence, noted_commits commits)
{
    for (noting_store::noted_commit& each : commits) {
        const weft::commit_result written = co_await store.commit(fence, std::move(each.draft));
        require(written.state == weft::write_state::ok, "a checkpoint was refused");
        fence.head = written.head;
    }
}

/** All threads side by side. */
weft::task<commit_cost> time_commits(weft::checkpoint_store& store, noted_commits commits)
{
    const std::size_t count = commits.size();
    const weft::worker_id worker = co_await store.enter("benchmark", std::chrono::hours{1});
    std::map<std::string, noted_commits> of_thread;
    for (noting_store::noted_commit& each : commits) of_thread[each.thread.thread].push_back(std::move(each));
    std::map<std::string, weft::write_fence> fences;
    for (const auto& [name, own] : of_thread) {
        weft::new_run run{weft::thread_key{name}, weft::run_id{own.front().draft.id.value()}};
        run.started_by(worker);
        const weft::run_admission admission = co_await store.enqueue(std::move(run));
        require(admission.claim.has_value(), "a run did not start");
        fences[name] = admission.claim->fence;
    }
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope runs{context};
    const commit_clock clock;
    for (auto& [name, own] : of_thread) runs.spawn(commit_all(store, fences.at(name), std::move(own)));
    co_await runs.join();
    co_return clock.cost_of(count);
}

/** Runs side by side, of one engine. */
weft::task<commit_cost> time_runs(weft::checkpoint_store& store, durable_load load, std::vector<std::string> names,
                                  std::size_t checkpoints)
{
    weft::durable_engine durable{store, graphs_of(load), keeping_all()};
    co_await durable.open();
    const commit_clock clock;
    co_await run_threads(durable, std::move(names), weft::run_status::finished);
    const commit_cost cost = clock.cost_of(checkpoints);
    co_await durable.close();
    co_return cost;
}

using cost_member = double commit_cost::*;

measurement measure_commits(const std::string& kind, int threads, cost_member wanted)
{
    const noted_commits commits = plain_commits(amount(threads, 8), 40);
    const std::unique_ptr<opened_store> opened = open_store(kind);
    return take_turns(
        rounds_of_commits, [&] { return weft::run_blocking(time_commits(opened->store(), fresh(commits))).*wanted; },
        [&] { return opened->write_by_hand(fresh(commits), batch).*wanted; });
}

/** Beside the same checkpoints without events. */
measurement measure_events(const std::string& kind, int threads, cost_member wanted)
{
    const noted_commits commits = plain_commits(amount(threads, 8), 40);
    const noted_commits with_events = telling(commits);
    const std::unique_ptr<opened_store> opened = open_store(kind);
    const auto cost_of = [&](const noted_commits& what) {
        return weft::run_blocking(time_commits(opened->store(), fresh(what))).*wanted;
    };
    return take_turns(
        rounds_of_commits, [&] { return cost_of(with_events); }, [&] { return cost_of(commits); });
}

measurement measure_runs(const std::string& kind, cost_member wanted)
{
    const int threads = amount(64, 8);
    const durable_load load{100, 1, 1'024};
    const noted_commits commits = commits_of(load, threads, weft::hash_key{});
    const std::unique_ptr<opened_store> opened = open_store(kind);
    int round = 0;
    const auto by_weft = [&] {
        std::vector<std::string> names = thread_names("run " + std::to_string(++round) + ' ', threads);
        return weft::run_blocking(time_runs(opened->store(), load, std::move(names), commits.size())).*wanted;
    };
    const auto by_hand = [&] { return opened->write_by_hand(fresh(commits), batch).*wanted; };
    return take_turns(rounds_of_commits, by_weft, by_hand);
}

}  // namespace

benchmarks commit_benchmarks()
{
    benchmarks all;
    for (const std::string& kind : store_kinds()) {
        if (kind == "memory") continue;
        const int threads = kind == "sqlite" ? 256 : 64;
        const std::string commits = "checkpoints of 1 kB with a blob of 4 kB, " + std::to_string(threads) +
                                    " threads side by side, on disk; floor: the same rows by hand, 64 a transaction";
        const std::string runs = "64 durable runs side by side, 100 steps of 1 kB each; floor: the same rows by hand";
        all.push_back({kind + "_commits", "checkpoints per s", commits, "ratio >= 0.8",
                       [kind, threads] { return measure_commits(kind, threads, &commit_cost::per_second); }});
        all.push_back({kind + "_commits_cpu", "us CPU per checkpoint", "what that costs this process", "",
                       [kind, threads] { return measure_commits(kind, threads, &commit_cost::cpu_us); }});
        all.push_back({kind + "_events", "checkpoints per s", "the same, each with 6 events; floor: without events", "",
                       [kind, threads] { return measure_events(kind, threads, &commit_cost::per_second); }});
        all.push_back({kind + "_events_cpu", "us CPU per checkpoint", "what that costs this process", "",
                       [kind, threads] { return measure_events(kind, threads, &commit_cost::cpu_us); }});
        all.push_back({kind + "_runs", "checkpoints per s", runs, "ratio >= 0.8",
                       [kind] { return measure_runs(kind, &commit_cost::per_second); }});
        all.push_back({kind + "_runs_cpu", "us CPU per checkpoint", "what that costs this process", "",
                       [kind] { return measure_runs(kind, &commit_cost::cpu_us); }});
    }
    return all;
}

}  // namespace weft_bench
