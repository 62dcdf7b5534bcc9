#include "batch_writers.hpp"
#include "durable_load.hpp"
#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/engine/engine.hpp>
#include <weft/store/memory_store.hpp>

#include <vector>

namespace weft_bench {

namespace {

constexpr weft::hash_key durable_key{{4, 5, 6}};

weft::task<double> time_plain(durable_load load)
{
    const weft::engine engine{graph_of(load)};
    weft::run_request request = request_for("thread 0");
    request.options(weft::run_options{}.steps_max(0));
    const double before = thread_cpu_ns();
    const weft::run_result result = co_await engine.run(std::move(request));
    const double cost = thread_cpu_ns() - before;
    require(result.steps == load.steps + 1, "a plain run took another number of steps");
    co_return cost;
}

weft::task<double> time_durable(weft::checkpoint_store& store, durable_load load, weft::durable_options options)
{
    weft::durable_engine durable{store, graphs_of(load), std::move(options)};
    co_await durable.open();
    const double before = thread_cpu_ns();
    weft::task<weft::run_result> running = durable.run(request_for("thread 0"));
    const weft::run_result result = co_await std::move(running);
    const double cost = thread_cpu_ns() - before;
    require(result.steps == load.steps + 1, "a durable run took another number of steps");
    co_await durable.close();
    co_return cost;
}

/** The same checkpoints as those of the run, given to the store and to nobody else. */
weft::task<double> time_commits_of_load(weft::checkpoint_store& store, noted_commits commits)
{
    const weft::worker_id worker = co_await store.enter("benchmark", std::chrono::hours{1});
    weft::new_run run{commits.front().thread, weft::run_id{commits.front().draft.id.value()}};
    run.started_by(worker);
    const weft::run_admission admission = co_await store.enqueue(std::move(run));
    weft::write_fence fence = admission.claim->fence;
    const double before = thread_cpu_ns();
    for (noting_store::noted_commit& each : commits) {
        const weft::commit_result written = co_await store.commit(fence, std::move(each.draft));
        require(written.state == weft::write_state::ok, "a checkpoint was refused");
        fence.head = written.head;
    }
    co_return thread_cpu_ns() - before;
}

double plain_ns(const durable_load& load) { return weft::run_blocking(time_plain(load)); }

double durable_ns(const durable_load& load, const weft::durable_options& options)
{
    weft::memory_store store{durable_key};
    return weft::run_blocking(time_durable(store, load, options));
}

double commits_ns(const noted_commits& commits)
{
    weft::memory_store store{durable_key};
    return weft::run_blocking(time_commits_of_load(store, commits));
}

/** What a step costs beyond the node and what the store does, in µs; floor: what the store does. */
measurement measure_overhead(const durable_load& load)
{
    const noted_commits commits = commits_of(load, 1, durable_key);
    const auto of_engine = [&] {
        const double all = durable_ns(load, keeping_all());
        return (all - plain_ns(load) - commits_ns(commits)) / 1000 / load.steps;
    };
    return take_turns(15, of_engine, [&] { return commits_ns(commits) / 1000 / load.steps; });
}

measurement measure_whole(const durable_load& load)
{
    return take_turns(
        15, [&] { return durable_ns(load, weft::durable_options{}) / 1000 / load.steps; },
        [&] { return plain_ns(load) / 1000 / load.steps; });
}

// How much is stored of a conversation that grew by ten messages in each of 1,000 steps.

weft::task<weft::thread_usage> usage_after(weft::checkpoint_store& store, durable_load load)
{
    weft::durable_engine durable{store, graphs_of(load), keeping_all()};
    co_await durable.open();
    weft::task<weft::run_result> running = durable.run(request_for("thread 0"));
    const weft::run_result result = co_await std::move(running);
    require(result.state.get(messages).size() == static_cast<std::size_t>(load.says) * load.steps,
            "a conversation lacks messages");
    const weft::thread_usage used = co_await store.usage(weft::thread_key{"thread 0"});
    co_await durable.close();
    co_return used;
}

measurement measure_size(std::size_t message_bytes)
{
    const durable_load load{1'000, 10, message_bytes};
    weft::memory_store store;
    const weft::thread_usage used = weft::run_blocking(usage_after(store, load));
    require(used.checkpoints > load.steps, "a history lacks checkpoints");
    // As JSON, the whole conversation once.
    const std::size_t of_message = std::string_view{R"({"role":"assistant","text":""},)"}.size() + message_bytes;
    return {static_cast<double>(used.bytes) / 1e6, static_cast<double>(of_message * 10'000) / 1e6, 0};
}

}  // namespace

benchmarks durable_benchmarks()
{
    const durable_load small{2'000};
    const durable_load saying{1'000, 1, 1'024};
    return {
        {"durable_step", "us CPU", "what the engine adds to a checkpointed step beside the node and the store; floor: "
                                   "what a store in memory does for it",
         "<= 2", [small] { return measure_overhead(small); }},
        {"durable_step_1kb", "us CPU", "the same, with a message of 1 kB in each step, which becomes JSON and a hash",
         "", [saying] { return measure_overhead(saying); }},
        {"durable_step_whole", "us CPU", "a checkpointed step in memory as it is by default; floor: without durability",
         "", [small] { return measure_whole(small); }},
        {"stored_1000_steps", "MB", "10,000 messages of 1 kB in 1,000 steps, stored; floor: all messages once",
         "ratio <= 1.1", [] { return measure_size(1'024); }},
        {"stored_1000_steps_200", "MB", "the same with messages of 200 bytes", "ratio <= 1.1",
         [] { return measure_size(200); }},
    };
}

}  // namespace weft_bench
