#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "serve/openai/completion_writer.hpp"
#include "serve/openai/response_writer.hpp"
#include "serve/wire/stream_frames.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

using namespace weft::serve_detail;
using feed_events = std::vector<std::shared_ptr<const feed_event>>;

/** Pieces of a model's text, as a run emits them. No writer has seen them yet. */
feed_events pieces()
{
    feed_events events;
    const std::size_t count = amount<std::size_t>(20'000, 100);
    for (std::size_t i = 0; i < count; ++i) {
        weft::run_event event;
        event.id = event.sequence = i + 1;
        event.what = weft::run_event::kind::output;
        event.node = "talk";
        event.visit = 1;
        event.label = "output";
        event.text = " some words";
        events.push_back(std::make_shared<const feed_event>(std::move(event)));
    }
    return events;
}

/** CPU time for an event, in nanoseconds. @param write  Gives what is sent of one. */
double time_of(const std::function<event_frames(const feed_event&)>& write)
{
    const feed_events events = pieces();
    std::size_t bytes = 0;
    const double before = thread_cpu_ns();
    for (const auto& event : events)
        for (const auto& frame : write(*event)) bytes += frame->size();
    const double spent = thread_cpu_ns() - before;
    require(bytes > 0, "the writer has written nothing");
    return spent / static_cast<double>(events.size());
}

double langgraph_writes()
{
    stream_view view;
    view.modes.add(stream_mode::messages_tuple);
    return time_of([&](const feed_event& event) { return frames_of(event, view); });
}

double completions_write()
{
    completion_writer writer{{.id = "chatcmpl-1", .model = "chat"}, run_transcript{nullptr}};
    return time_of([&](const feed_event& event) { return writer.frames(event); });
}

double responses_write()
{
    response_writer writer{response_frame{}, run_transcript{nullptr}, std::nullopt, [] { return std::int64_t{0}; }};
    return time_of([&](const feed_event& event) { return writer.frames(event); });
}

}  // namespace

benchmarks writer_benchmarks()
{
    const std::string what =
        "CPU of a piece of text, written once for all clients; floor: as LangGraph's messages-tuple: ";
    return {{"serve_writer_completions", "ns", what + "a chunk of a chat completion", "<= 2 x floor",
             [] { return take_turns(9, completions_write, langgraph_writes); }},
            {"serve_writer_responses", "ns", what + "an event of a response", "<= 2 x floor",
             [] { return take_turns(9, responses_write, langgraph_writes); }}};
}

}  // namespace weft_bench
