#include "churn.hpp"

#include "harness/bench.hpp"

#ifdef WEFT_HAS_POSTGRES

#include "store/postgres_server.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/store/postgres_store.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

using namespace std::chrono_literals;
using seconds_of_churn = std::chrono::duration<double>;

constexpr int tenants_of_churn = 16;

inline constexpr weft::state_key<std::string> text_of_churn{"text"};

weft::graph graph_of_churn()
{
    const auto say = [](weft::node_context& at) { at.set(text_of_churn, std::string{"some text of a run"}); };
    return weft::graph_builder{"churned"}
        .state(text_of_churn)
        .node("one", say)
        .node("two", say)
        .node("three", say)
        .chain({weft::start, "one", "two", "three", weft::end})
        .build();
}

/** Notes how long claims take that take runs. */
class timed_claims final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;

    weft::task<std::vector<weft::run_claim>> claim(weft::worker_id worker, std::size_t max) override
    {
        const auto began = std::chrono::steady_clock::now();
        std::vector<weft::run_claim> claims = co_await inner().claim(worker, max);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
        const std::lock_guard guard{lock_};
        if (claims.empty()) ++empty_;
        else times_.push_back(took.count());
        co_return claims;
    }

    /** Of those since the last call: their times, sorted, and how many others took nothing. */
    std::pair<std::vector<double>, std::size_t> take()
    {
        const std::lock_guard guard{lock_};
        std::pair<std::vector<double>, std::size_t> taken{std::exchange(times_, {}), std::exchange(empty_, 0)};
        std::sort(taken.first.begin(), taken.first.end());
        return taken;
    }

private:
    std::mutex lock_;
    std::vector<double> times_;
    std::size_t empty_ = 0;
};

weft::task<void> work_on_churn(timed_claims& store, std::atomic<bool>& is_open)
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(graph_of_churn());
    weft::durable_engine engine{store, graphs};
    co_await engine.open();
    is_open = true;
    try {
        co_await engine.work();
    } catch (const weft::error&) {
        // It was stopped.
    }
}

/** One that the store refuses, as during an outage, is counted, and the others go on. */
weft::task<void> enter_churned(weft::postgres_store& store, weft::new_run run, std::atomic<int>& refused)
{
    try {
        static_cast<void>(co_await store.enqueue(std::move(run)));
    } catch (const weft::error&) {
        ++refused;
    }
}

/** Enters runs at an even pace, whatever becomes of those before. */
weft::task<void> enter_churn(weft::postgres_store& store, churn_load load, std::atomic<int>& refused)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::id_source ids{context.loop->clock(), context.loop->random()};
    weft::scope children{context};
    const auto count = static_cast<int>(load.minutes * 60 * load.runs_a_second);
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
        weft::new_run run{weft::thread_key{std::to_string(i), "tenant " + std::to_string(i % tenants_of_churn)},
                          ids.next<weft::run_id>()};
        run.graph_named("churned");
        children.spawn(enter_churned(store, std::move(run), refused));
        const auto due = began + seconds_of_churn{(i + 1) / load.runs_a_second};
        const auto left = std::chrono::ceil<std::chrono::nanoseconds>(due - std::chrono::steady_clock::now());
        if (left > 0ns) co_await weft::sleep_for(left);
    }
    co_await children.join();
}

void print_claims(const std::string& what, const std::vector<double>& times, std::size_t empty)
{
    const auto at = [&](double share) {
        return times.empty() ? 0 : times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
    };
    std::printf("%-12s %8zu %8zu %8.2f %8.2f %8.2f\n", what.c_str(), times.size(), empty, at(0.5), at(0.99), at(1));
    std::fflush(stdout);
}

}  // namespace

void measure_churn(const churn_load& load)
{
    weft_tests::postgres_server::options wanted;
    wanted.is_synced = true;
    const weft_tests::postgres_server server{wanted};
    server.query("ALTER SYSTEM SET autovacuum_naptime = '1min'");  // PostgreSQL's own, where tests have 5 s
    server.query("SELECT pg_reload_conf()");
    const weft::postgres_options options{server.connection()};
    const auto worker_store = weft::run_blocking(weft::postgres_store::open(options));
    const auto store = weft::run_blocking(weft::postgres_store::open(options));
    timed_claims timed{*worker_store};
    std::atomic<bool> is_open{false};
    std::jthread worker{
        [&](std::stop_token stop) { weft::run_blocking(work_on_churn(timed, is_open), std::move(stop)); }};
    while (!is_open || !worker_store->news()->is_complete()) std::this_thread::sleep_for(5ms);

    std::atomic<int> refused{0};
    std::atomic<bool> is_entered{false};
    std::jthread entry{[&] {
        weft::run_blocking(enter_churn(*store, load, refused));
        is_entered = true;
    }};
    std::printf("%-12s %8s %8s %8s %8s %8s\n", "until (s)", "claims", "empty", "p50 ms", "p99 ms", "max ms");
    const seconds_of_churn part{std::min(60.0, load.minutes * 6)};
    const auto began = std::chrono::steady_clock::now();
    for (int parts = 1; !is_entered; ++parts) {
        const auto until = began + parts * part;
        while (!is_entered && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(20ms);
        const auto [times, empty] = timed.take();
        const seconds_of_churn passed = std::chrono::steady_clock::now() - began;
        print_claims(std::to_string(static_cast<int>(passed.count() + 0.5)), times, empty);
    }
    const auto late = std::chrono::steady_clock::now() + 60s;
    const auto is_left = [&] { return server.query("SELECT count(*) FROM weft.run WHERE phase + 0 < 4") != "0"; };
    while (is_left()) {
        require(std::chrono::steady_clock::now() < late, "runs are left a minute after the last entry");
        std::this_thread::sleep_for(50ms);
    }
    std::printf("runs refused: %d; rounds of autovacuum: %s\n", refused.load(),
                server.query("SELECT string_agg(relname || ' ' || autovacuum_count, ', ' ORDER BY relname)"
                             " FROM pg_stat_user_tables WHERE autovacuum_count > 0")
                    .c_str());
}

}  // namespace weft_bench

#else

namespace weft_bench {

void measure_churn(const churn_load&) { require(false, "built without PostgreSQL"); }

}  // namespace weft_bench

#endif
