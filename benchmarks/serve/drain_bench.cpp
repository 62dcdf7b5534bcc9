#include "alone.hpp"
#include "durable/stores.hpp"
#include "harness/bench.hpp"
#include "harness/memory.hpp"
#include "lasting_server.hpp"
#include "mass_clients.hpp"
#include "socket_crowd.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#ifdef WEFT_HAS_SQLITE
#include <weft/store/sqlite_store.hpp>
#endif

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace weft_bench {

#ifdef WEFT_HAS_SQLITE

namespace {

constexpr std::chrono::milliseconds step_time{50};
constexpr int runs_of_figure = 1'000;

inline constexpr weft::state_key<std::int64_t> step_count{"step_count"};

/** What the nodes of all runs share. */
struct walk {
    std::atomic<int> begun = 0;
    std::atomic<bool> may_end = false;
};

weft::task<void> take_step(weft::node_context* ctx, std::shared_ptr<walk> all)
{
    if (ctx->visit() == 1) ++all->begun;
    co_await weft::sleep_for(step_time);
    ctx->set(step_count, static_cast<std::int64_t>(ctx->visit()));
}

/** Goes on step by step until it may end. */
weft::graph walker(const std::shared_ptr<walk>& all)
{
    return weft::graph_builder{"walker"}
        .state(step_count)
        .node("step", [all](weft::node_context& ctx) { return take_step(&ctx, all); })
        .edge(weft::start, "step")
        .edge_when("step", weft::end, [all](const weft::state_view&) { return all->may_end.load(); }, {.label = "end"})
        .edge("step", "step")
        .build();
}

/** How the runs stand in the store. */
struct run_census {
    int finished = 0;
    int attempts = 0;  // of all runs together
};

weft::task<run_census> take_census(weft::sqlite_store* store)
{
    run_census found;
    weft::run_query query;
    do {
        weft::task<weft::run_page> searching = store->service().runs().search(query);
        const weft::run_page page = co_await std::move(searching);
        for (const weft::stored_run& each : page.runs) {
            found.finished += each.phase == weft::run_phase::finished;
            found.attempts += static_cast<int>(each.attempt);
        }
        query.after = page.next;
    } while (!query.after.empty());
    co_return found;
}

template <class Condition>
bool wait_until(const Condition& holds)
{
    constexpr int tries = 12'000;
    for (int i = 0; i < tries; ++i) {
        if (holds()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return false;
}

/** Begins the runs with a client each; returns once each is at work. */
void begin_runs(std::uint16_t port, int count, const walk& all)
{
    socket_crowd crowd{port, static_cast<std::size_t>(count)};
    const auto request_of = [](std::size_t client) {
        return post_request("/threads/t" + std::to_string(client) + "/runs",
                            R"({"assistant_id":"walker","input":{},"if_not_exists":"create"})");
    };
    for (const whole_answer& each : crowd.ask(request_of)) require(each.status == 200, each.body.c_str());
    require(wait_until([&] { return all.begun >= count; }), "a run did not begin");
}

/** What a drain came to. */
struct drain_figures {
    double took_ms, lost, attempts;
};

const drain_figures& figures_of_drain(int runs)
{
    static std::unique_ptr<drain_figures> known;
    if (known) return *known;
    const std::vector<double> found = measure_several_alone("drain " + std::to_string(runs));
    require(found.size() == 3, "a drain was not measured");
    known = std::make_unique<drain_figures>(drain_figures{found[0], found[1], found[2]});
    return *known;
}

using drain_figure = double (*)(const drain_figures& of);

benchmark figure(std::string name, std::string unit, std::string what, std::string goal, double floor,
                 drain_figure take)
{
    return {std::move(name), std::move(unit), std::move(what), std::move(goal), [take, floor] {
                const int runs = amount(runs_of_figure, 20);
                return take_cold_turns(1, [&] { return take(figures_of_drain(runs)); }, [&] { return floor; });
            }};
}

}  // namespace

void serve_drain_alone(const std::string& work)
{
    std::istringstream words{work};
    std::string drain;
    int count = 0;
    words >> drain >> count;
    raise_open_files();
    const own_folder folder;
    const auto store = weft::run_blocking(weft::sqlite_store::open(weft::sqlite_options{folder.file()}));
    const auto all = std::make_shared<walk>();
    auto* first = new lasting_server{weft::server_stores{*store}, {walker(all)}};
    begin_runs(first->port(), count, *all);
    const double before = wall_ms();
    first->drain();
    const double took = wall_ms() - before;
    all->may_end = true;
    new lasting_server{weft::server_stores{*store}, {walker(all)}};
    run_census found;
    wait_until([&] {
        found = weft::run_blocking(take_census(store.get()));
        return found.finished == count;
    });
    std::printf("%f %d %d\n", took, count - found.finished, found.attempts - count);
    std::fflush(stdout);
    std::filesystem::remove_all(std::filesystem::path{folder.file()}.parent_path());
    _exit(0);
}

benchmarks drain_benchmarks()
{
    const double node_ms = std::chrono::duration<double, std::milli>{step_time}.count();
    const std::string as = "as serve_drain_1000: ";
    return {
        figure("serve_drain_1000", "ms",
               "a server that has 1,000 runs in SQLite under way is drained, until it has ended; floor: a node of them",
               "<= 5000", node_ms, [](const drain_figures& of) { return of.took_ms; }),
        figure("serve_drain_lost", "runs", as + "runs that the next server does not bring to their end", "0", 0,
               [](const drain_figures& of) { return of.lost; }),
        figure("serve_drain_attempts", "attempts", as + "what is counted as the loss of a worker", "0", 0,
               [](const drain_figures& of) { return of.attempts; })};
}

#else

void serve_drain_alone(const std::string&) { throw std::invalid_argument{"there is no SQLite here"}; }
benchmarks drain_benchmarks() { return {}; }

#endif

}  // namespace weft_bench
