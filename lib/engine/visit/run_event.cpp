#include <weft/engine/run_event.hpp>

#include <algorithm>

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

namespace {

/** The next part of a text with "/" between its parts. */
std::string_view take_segment(std::string_view& text)
{
    const std::size_t end = text.find('/');
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
}

/** The nodes around an event; those that were there before with visit and attempt, `draft#2.1/check`. */
std::string place_of(const run_event& event)
{
    if (event.address_visits.find_first_not_of("1/") == std::string::npos &&
        event.address_attempts.find_first_not_of("1/") == std::string::npos)
        return event.address;
    // Names of nodes may have a "/" in them: then the numbers stand behind the whole.
    const auto parts = [](std::string_view text) { return std::count(text.begin(), text.end(), '/'); };
    if (parts(event.address) != parts(event.address_visits))
        return event.address + "#" + event.address_visits + "." + event.address_attempts;
    std::string place;
    std::string_view nodes = event.address;
    std::string_view visits = event.address_visits;
    std::string_view attempts = event.address_attempts;
    while (!nodes.empty()) {
        place.append(place.empty() ? "" : "/").append(take_segment(nodes));
        const std::string_view visit = take_segment(visits);
        const std::string_view attempt = take_segment(attempts);
        if (visit != "1" || attempt != "1") place.append("#").append(visit).append(".").append(attempt);
    }
    return place;
}

}  // namespace

std::string to_line(const run_event& event)
{
    std::string line = std::to_string(event.sequence);
    line.append(" ").append(name_of(event.what));
    if (!event.address.empty()) line.append(" in ").append(place_of(event));
    if (!event.source.empty()) line.append(" ").append(event.source).append(" ->");
    if (!event.node.empty()) line.append(" ").append(event.node);
    if (event.visit > 0) line.append(" visit ").append(std::to_string(event.visit));
    if (event.attempt > 0) line.append(" attempt ").append(std::to_string(event.attempt));
    if (event.what == run_event::kind::gap)
        line.append(" of events ").append(std::to_string(event.number)).append(" to ").append(
            std::to_string(event.sequence));
    else if (event.number > 0)
        line.append(" number ").append(std::to_string(event.number));
    if (!event.label.empty()) line.append(" ").append(event.label);
    if (!event.text.empty()) line.append(": ").append(event.text);
    return line;
}

}  // namespace weft
