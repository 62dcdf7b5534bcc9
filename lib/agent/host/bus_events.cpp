#include <weft/agent/host/bus_events.hpp>

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace weft {

namespace {

using boost::json::object;

/** What labels are called on a bus; the others keep their name. */
std::string bus_name_of_label(std::string_view label)
{
    constexpr std::pair<std::string_view, std::string_view> names[] = {
        {agent_event::output, "client_output_delta"},
        {agent_event::internal_output, "node_internal_output"},
        {agent_event::tool_start, "tool_call_started"},
        {agent_event::tool_end, "tool_call_completed"},
        {agent_event::usage, "llm_turn_complete"},
        {agent_event::loop_iteration, "node_loop_iteration"},
        {agent_event::doom_loop, "node_tool_doom_loop"},
    };
    const auto found = std::find_if(std::begin(names), std::end(names),
                                    [label](const auto& one) { return one.first == label; });
    return std::string{found == std::end(names) ? label : found->second};
}

/** How a run that has ended is called. */
std::string bus_name_of_end(std::string_view status)
{
    if (status == "finished") return "execution_completed";
    return "execution_" + std::string{status};
}

boost::json::value emitted_data(const std::string& text)
{
    if (text.starts_with('{')) {
        try {
            return parse_json(text);
        } catch (const error&) {
            // It only looks like JSON.
        }
    }
    return object{{"text", text}};
}

std::string node_path_of(const run_event& event)
{
    std::string path = event.address;
    if (!path.empty() && !event.node.empty()) path += '/';
    return path.append(event.node);
}

object node_data(const run_event& event)
{
    return {{"visit", event.visit}, {"attempt", event.attempt}};
}

object with_success(const run_event& event, bool is_success)
{
    object data = node_data(event);
    data["success"] = is_success;
    if (!event.text.empty()) data["error"] = event.text;
    return data;
}

bool is_about_run(run_event::kind what) noexcept
{
    using kind = run_event::kind;
    return what == kind::run_started || what == kind::run_paused || what == kind::run_finished;
}

std::optional<bus_event> told_event(const run_event& event)
{
    using kind = run_event::kind;
    switch (event.what) {
    case kind::run_started: return bus_event{"execution_started", object{}};
    case kind::run_paused: return bus_event{"execution_paused", object{}};
    case kind::run_finished:
        // A run that pauses has said so.
        if (event.text == "paused") return std::nullopt;
        return bus_event{bus_name_of_end(event.text), object{{"status", event.text}}};
    case kind::node_started: return bus_event{"node_loop_started", node_data(event)};
    case kind::node_succeeded: return bus_event{"node_loop_completed", with_success(event, true)};
    case kind::node_failed: return bus_event{"node_loop_completed", with_success(event, false)};
    case kind::node_retried: return bus_event{"node_retry", object{{"retry_count", event.number}}};
    case kind::edge_taken:
        return bus_event{"edge_traversed", object{{"source", boost::json::string_view{event.source}},
                                                  {"target", boost::json::string_view{event.node}}}};
    case kind::output: return bus_event{bus_name_of_label(event.label), emitted_data(event.text)};
    case kind::node_skipped:
    case kind::edge_condition_error:
    case kind::route_decided:
    case kind::route_fallback:
    case kind::question_asked:
    case kind::question_answered:
    case kind::gap:
        return bus_event{std::string{name_of(event.what)}, object{{"text", event.text}, {"label", event.label}}};
    case kind::state_written:
    case kind::branches_started:
    case kind::branch_ended:
    case kind::branches_joined: return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::optional<bus_event> bus_event_of(const run_event& event, const bus_source& source)
{
    const bool is_of_inner_run = !event.address.empty();
    if (is_of_inner_run && is_about_run(event.what)) return std::nullopt;
    std::optional<bus_event> told = told_event(event);
    if (!told) return told;
    told->stream = source.stream;
    told->execution = source.execution;
    told->graph = source.graph;
    told->correlation = source.correlation;
    // What a loop emits is that of the node which is the loop, and not of one of its steps.
    const bool is_of_loop = event.what == run_event::kind::output && is_of_inner_run;
    told->node = is_of_loop ? event.address : node_path_of(event);
    return told;
}

run_request::event_function publishes_to(event_bus& bus, bus_source source)
{
    return [&bus, source = std::move(source)](const run_event& event) {
        if (std::optional<bus_event> told = bus_event_of(event, source)) bus.publish(std::move(*told));
    };
}

}  // namespace weft
