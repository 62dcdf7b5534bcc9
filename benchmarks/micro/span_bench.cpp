#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include "observe/trace/run_observation.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/engine/run_event.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace weft_bench {

namespace {

using weft::observe_detail::observation_setup;
using weft::observe_detail::run_observation;

constexpr int span_rounds = 9;
constexpr std::size_t spans_waiting = 512;
constexpr std::array<std::string_view, 3> span_nodes{"plan", "research", "write_report"};

/** What an engine tells of a run of three nodes. */
void tell_run(run_observation& watch, weft::time_point at)
{
    using kind = weft::run_event::kind;
    weft::run_event event;
    event.at = at;
    for (const std::string_view node : span_nodes) {
        event.node = node;
        event.visit = 1;
        event.attempt = 1;
        event.what = kind::node_started;
        watch.see(event);
        event.what = kind::node_succeeded;
        watch.see(event);
    }
    event.what = kind::run_finished;
    event.text = "finished";
    watch.see(event);
}

weft::task<double> time_spans(bool has_receiver, int runs)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::metric_registry registry;
    weft::weft_metrics metrics{registry};
    weft::span_queue queue;
    const auto setup = std::make_shared<const observation_setup>(
        observation_setup{metrics, weft::trace_options{}, has_receiver ? &queue : nullptr});
    const weft::time_point at = loop.now();
    weft::observed_run what;
    what.graph = "research";
    what.thread = "0197a2b4-5c6d-7e8f-9012-3456789abcde";
    what.identity.part = 1;
    what.loop = &loop;
    std::size_t spans = 0;
    const double before = thread_cpu_ns();
    for (int i = 0; i < runs; ++i) {
        const auto watch = std::make_shared<run_observation>(setup, what);
        tell_run(*watch, at);
        if (queue.waiting() >= spans_waiting) spans += queue.take(2 * spans_waiting).size();
    }
    const double took = thread_cpu_ns() - before;
    spans += queue.take(2 * spans_waiting).size();
    const std::size_t expected = static_cast<std::size_t>(runs) * (span_nodes.size() + 1);
    require(!has_receiver || spans == expected, "a run has not all its spans");
    co_return took / static_cast<double>(expected);
}

}  // namespace

benchmarks span_benchmarks()
{
    return {{"span_recorded", "ns CPU per span",
             "spans of runs with three nodes, to their last byte; floor: without a receiver", "<= 1000", [] {
                 const int runs = amount(50'000, 500);
                 return take_turns(
                     span_rounds, [runs] { return weft::run_blocking(time_spans(true, runs)); },
                     [runs] { return weft::run_blocking(time_spans(false, runs)); });
             }}};
}

}  // namespace weft_bench
