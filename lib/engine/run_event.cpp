#include <weft/engine/run_event.hpp>

namespace weft {

std::string_view name_of(run_event::kind kind) noexcept
{
    switch (kind) {
    case run_event::kind::run_started: return "run_started";
    case run_event::kind::node_started: return "node_started";
    case run_event::kind::node_succeeded: return "node_succeeded";
    case run_event::kind::node_failed: return "node_failed";
    case run_event::kind::node_retried: return "node_retried";
    case run_event::kind::node_skipped: return "node_skipped";
    case run_event::kind::state_written: return "state_written";
    case run_event::kind::edge_taken: return "edge_taken";
    case run_event::kind::edge_condition_error: return "edge_condition_error";
    case run_event::kind::route_decided: return "route_decided";
    case run_event::kind::route_fallback: return "route_fallback";
    case run_event::kind::branches_started: return "branches_started";
    case run_event::kind::branch_ended: return "branch_ended";
    case run_event::kind::branches_joined: return "branches_joined";
    case run_event::kind::output: return "output";
    case run_event::kind::question_asked: return "question_asked";
    case run_event::kind::question_answered: return "question_answered";
    case run_event::kind::run_paused: return "run_paused";
    case run_event::kind::run_finished: return "run_finished";
    case run_event::kind::gap: return "gap";
    }
    return "unknown";
}

std::string to_line(const run_event& event)
{
    std::string line = std::to_string(event.sequence);
    line.append(" ").append(name_of(event.what));
    if (!event.address.empty()) line.append(" in ").append(event.address);
    if (!event.source.empty()) line.append(" ").append(event.source).append(" ->");
    if (!event.node.empty()) line.append(" ").append(event.node);
    if (event.visit > 0) line.append(" visit ").append(std::to_string(event.visit));
    if (event.attempt > 0) line.append(" attempt ").append(std::to_string(event.attempt));
    if (event.number > 0) line.append(" number ").append(std::to_string(event.number));
    if (!event.label.empty()) line.append(" ").append(event.label);
    if (!event.text.empty()) line.append(": ").append(event.text);
    return line;
}

}  // namespace weft
