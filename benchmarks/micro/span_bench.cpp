#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include "observe/trace/run_observation.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/engine/engine.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/observe/telemetry/telemetry.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
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

constexpr weft::state_key<std::string> written_text{"written_text"};
constexpr std::size_t words_of_node = 4'000;  // about 0.3 ms

/** What a node of little work does: it puts a text of 80 KiB together. */
void write_part(weft::node_context& node)
{
    std::string text;
    std::uint64_t random = 88172645463325252;
    for (std::size_t i = 0; i < words_of_node; ++i) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        text.append(std::to_string(random)).push_back(' ');
    }
    node.set(written_text, std::move(text));
}

weft::graph writing_graph()
{
    weft::graph_builder builder{"research"};
    builder.state(written_text);
    std::string previous{weft::start};
    for (const std::string_view node : span_nodes) {
        builder.node(std::string{node}, write_part).edge(previous, std::string{node});
        previous = node;
    }
    return builder.build();
}

/** Runs as `weft serve` does those without a thread: an engine of its own and a function of events for each. */
weft::task<double> time_watched(weft::graph graph, weft::run_observer* by, int runs)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    std::size_t events = 0;
    const double before = thread_cpu_ns();
    for (int i = 0; i < runs; ++i) {
        weft::run_request request;
        request.on_event([&events](const weft::run_event&) { ++events; });
        if (by) observe(request, *by, {.graph = graph.name(), .loop = &loop});
        const weft::engine engine{graph};
        const weft::run_result result = co_await engine.run(std::move(request));
        require(result.ok(), "a watched run failed");
    }
    const double took = thread_cpu_ns() - before;
    require(events >= static_cast<std::size_t>(runs) * span_nodes.size(), "a run has not told its events");
    co_return took / runs;
}

/** Its receiver is away: what a run pays is the same, and the exporter's OS thread is not counted. */
std::unique_ptr<weft::telemetry> telemetry_without_receiver()
{
    weft::telemetry_options options;
    options.otlp.emplace();
    options.otlp->url = "http://127.0.0.1:1/v1/traces";
    options.otlp->every = std::chrono::milliseconds{5};
    options.otlp->retry.attempts_max = 1;
    options.otlp->flush_for = {};
    return std::make_unique<weft::telemetry>(std::move(options));
}

benchmark watched_run()
{
    return {"run_watched", "ns CPU per run",
            "three nodes of 0.3 ms of real work each, traced; floor: without telemetry", "ratio <= 1.03",
            [] {
                const int runs = amount(3'000, 50);
                const weft::graph graph = writing_graph();
                const std::unique_ptr<weft::telemetry> by = telemetry_without_receiver();
                return take_turns(
                    span_rounds, [&] { return weft::run_blocking(time_watched(graph, by.get(), runs)); },
                    [&] { return weft::run_blocking(time_watched(graph, nullptr, runs)); });
            }};
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
             }},
            watched_run()};
}

}  // namespace weft_bench
