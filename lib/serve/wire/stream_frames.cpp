#include "stream_frames.hpp"

#include "emitted.hpp"

#include "serve/state/message_ids.hpp"
#include "serve/state/state_text.hpp"
#include "serve/state/state_wire.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/json.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using event_kind = run_event::kind;

/** `outer|inner:visit`, as clients name the graphs within nodes. */
std::string namespace_of(const run_event& event)
{
    std::string result;
    for (const char c : event.address) result.push_back(c == '/' ? '|' : c);
    return result;
}

// An event can make a frame in each mode. Each has an id of its own, so that a client that lost its connection between
// two of them gets the second one.
std::uint64_t id_of(const run_event& event, stream_mode mode) noexcept
{
    return event.id * 16 + static_cast<std::uint64_t>(mode);
}

std::string full_name(const run_event& event, std::string_view name)
{
    std::string full{name};
    if (!event.address.empty()) full.append("|").append(namespace_of(event));
    return full;
}

std::string frame(const feed_event& event, stream_mode mode, std::string_view name, const value& data)
{
    return sse_frame(id_of(event.what, mode), full_name(event.what, name), data);
}

/** A frame up to its data. */
std::string frame_head(std::uint64_t id, std::string_view event)
{
    std::string head;
    if (id != 0) head.append("id: ").append(std::to_string(id)).append("\n");
    head.append("event: ").append(event).append("\ndata: ");
    return head;
}

constexpr std::string_view frame_end = "\n\n";

constexpr auto values_slot = static_cast<std::size_t>(stream_mode::values);

std::string task_id_of(const run_event& event)
{
    return event.run.text() + ':' + namespace_of(event) + ':' + std::string{event.node} + ':' +
           std::to_string(event.visit);
}

std::string values_frame(const feed_event& event)
{
    const run_event& what = event.what;
    if (what.what == event_kind::question_asked) {
        object data;
        data["__interrupt__"] = array{interrupt_of(what.label, asked_in(what))};
        return frame(event, stream_mode::values, "values", data);
    }
    // What a branch sees is not the state of the run before the join.
    if (!what.written || what.written->is_in_branch()) return {};
    return frame(event, stream_mode::values, "values", values_for_client(what.written->state()));
}

std::string updates_frame(const feed_event& event)
{
    const run_event& what = event.what;
    object data;
    if (what.what == event_kind::question_asked)
        data["__interrupt__"] = array{interrupt_of(what.label, asked_in(what))};
    else if (what.what == event_kind::state_written)
        data[what.node] = writes_for_client(*what.written);
    else
        return {};
    return frame(event, stream_mode::updates, "updates", data);
}

object message_metadata(const run_event& event)
{
    object metadata{{"run_id", event.run.text()}, {"langgraph_node", event.node}, {"langgraph_step", event.visit}};
    metadata["langgraph_checkpoint_ns"] = namespace_of(event);
    return metadata;
}

object message_chunk(const run_event& event)
{
    // All chunks of a visit have one id, by which clients put them together.
    return {{"content", event.text},
            {"additional_kwargs", object{}},
            {"response_metadata", object{}},
            {"type", "AIMessageChunk"},
            {"name", nullptr},
            {"id", message_id_of(event)},
            {"tool_calls", array{}},
            {"invalid_tool_calls", array{}},
            {"tool_call_chunks", array{}},
            {"usage_metadata", nullptr}};
}

std::string messages_frame(const feed_event& event)
{
    if (event.what.what != event_kind::output || !is_model_text(event.what.label)) return {};
    return frame(event, stream_mode::messages_tuple, "messages",
                 array{message_chunk(event.what), message_metadata(event.what)});
}

std::string partial_frame(const feed_event& event)
{
    if (event.what.what != event_kind::output || !is_model_text(event.what.label)) return {};
    return frame(event, stream_mode::messages, "messages/partial", array{message_chunk(event.what)});
}

std::string custom_frame(const feed_event& event)
{
    const run_event& what = event.what;
    if (what.what != event_kind::output || is_model_text(what.label)) return {};
    value data = emitted_value(what);
    if (!data.is_object()) data = object{{"text", std::move(data)}};
    data.get_object().emplace("type", what.label);
    data.get_object().emplace("node", what.node);
    return frame(event, stream_mode::custom, "custom", data);
}

std::string tasks_frame(const feed_event& event)
{
    const run_event& what = event.what;
    object data{{"id", task_id_of(what)}, {"name", what.node}};
    switch (what.what) {
    case event_kind::node_started:
        data["input"] = nullptr;
        data["triggers"] = array{};
        data["interrupts"] = array{};
        break;
    case event_kind::node_succeeded:
        data["error"] = nullptr;
        data["result"] = object{};
        data["interrupts"] = array{};
        break;
    case event_kind::node_failed:
        data["error"] = what.text;
        data["result"] = object{};
        data["interrupts"] = array{};
        break;
    default: return {};
    }
    return frame(event, stream_mode::tasks, "tasks", data);
}

std::string debug_frame(const feed_event& event)
{
    const run_event& what = event.what;
    const bool is_start = what.what == event_kind::node_started;
    if (!is_start && what.what != event_kind::node_succeeded && what.what != event_kind::node_failed) return {};
    object payload{{"id", task_id_of(what)}, {"name", what.node}};
    if (what.what == event_kind::node_failed) payload["error"] = what.text;
    return frame(event, stream_mode::debug, "debug",
                 object{{"type", is_start ? "task" : "task_result"}, {"step", what.visit}, {"payload", payload}});
}

std::string events_frame(const feed_event& event)
{
    // Without its time: two clients that compare streams would find each event different.
    object data = to_json(event.what, event.what.at);
    data.erase("ms");
    return frame(event, stream_mode::events, "events", data);
}

using frame_function = std::string (*)(const feed_event&);
constexpr std::array<frame_function, stream_mode_count> frames{
    updates_frame, messages_frame, partial_frame, custom_frame, tasks_frame,
    [](const feed_event&) { return std::string{}; },  // checkpoints are told by the state, with their numbers
    debug_frame, events_frame, values_frame};

}  // namespace

std::string sse_frame(std::uint64_t id, std::string_view event, const value& data)
{
    return frame_head(id, event).append(boost::json::serialize(data)).append(frame_end);
}

bool needs_state_frames(const feed_event& event, const stream_view& view) noexcept
{
    const run_event& what = event.what;
    return view.modes.has(stream_mode::values) && what.written && !what.written->is_in_branch() &&
           (what.address.empty() || view.has_subgraphs) && !event.has_form(values_slot);
}

task<void> make_state_frames(const feed_event& event)
{
    std::string text = frame_head(id_of(event.what, stream_mode::values), full_name(event.what, "values"));
    co_await append_state_text(text, event.what.written->state());
    text.append(frame_end);
    // Another client may have asked for it meanwhile.
    if (!event.has_form(values_slot)) event.set_form(values_slot, std::move(text));
}

bool may_have_frames(const run_event& event, const stream_modes& modes) noexcept
{
    using mode = stream_mode;
    if (modes.has(mode::events)) return true;
    switch (event.what) {
    case event_kind::question_asked: return modes.has(mode::values) || modes.has(mode::updates);
    case event_kind::output:
        return modes.has(mode::messages_tuple) || modes.has(mode::messages) || modes.has(mode::custom);
    case event_kind::node_started:
    case event_kind::node_succeeded:
    case event_kind::node_failed:
        if (modes.has(mode::tasks) || modes.has(mode::debug)) return true;
        break;
    case event_kind::state_written: return modes.has(mode::values) || modes.has(mode::updates);
    default: break;
    }
    return event.written && modes.has(mode::values);
}

event_frames frames_of(const feed_event& event, const stream_view& view, std::uint64_t seen)
{
    event_frames result;
    // Tokens and questions of graphs within nodes are told in any case: clients show them as the run's own.
    if (!event.what.address.empty() && !view.has_subgraphs && event.what.what != event_kind::output &&
        event.what.what != event_kind::question_asked)
        return result;
    for (std::size_t mode = 0; mode < stream_mode_count; ++mode) {
        if (!view.modes.has(static_cast<stream_mode>(mode))) continue;
        if (id_of(event.what, static_cast<stream_mode>(mode)) <= seen) continue;
        if (auto made = event.form(mode, frames[mode])) result.push_back(std::move(made));
    }
    return result;
}

void append_frames(std::string& out, const feed_event& event, const stream_view& view, std::uint64_t seen)
{
    const event_frames made = frames_of(event, view, seen);
    for (const auto& frame : made) out.append(*frame);
}

std::string metadata_frame(run_id run, std::uint32_t attempt)
{
    std::string text = frame_head(0, "metadata");
    text.append(R"({"run_id":")").append(run.text()).append(R"(","attempt":)").append(std::to_string(attempt));
    return text.append("}").append(frame_end);
}

std::string error_frame(std::string_view kind, std::string_view message)
{
    return sse_frame(0, "error", object{{"error", kind}, {"message", message}});
}

value asked_in(const run_event& asked) { return asked.about ? *asked.about : value(asked.text); }

object interrupt_of(std::string_view address, value asked) { return {{"id", address}, {"value", std::move(asked)}}; }

}  // namespace weft::serve_detail
