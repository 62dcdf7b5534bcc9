#include "run_teller.hpp"

#include "serve/wire/emitted.hpp"

#include <weft/agent/core/agent_event.hpp>

#include <boost/json/object.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

std::string_view level_of(std::string_view label) noexcept
{
    if (label == agent_event::warning) return "warning";
    return label == agent_event::error ? std::string_view{"error"} : std::string_view{"info"};
}

}  // namespace

void run_teller::tell(const feed_event& event)
{
    const run_event& what = event.what;
    // What happens in graphs within nodes is a matter of these nodes.
    if (what.what == run_event::kind::node_started && what.address.empty()) tell_step(what, std::string{what.node});
    if (what.what == run_event::kind::node_succeeded && what.address.empty())
        tell_step(what, std::string{what.node} + ": done");
    const bool is_told = !is_model_text(what.label) && !event.is_record();
    if (what.what == run_event::kind::output && is_told) tell_output(what);
}

void run_teller::tell_step(const run_event& event, std::string message)
{
    // Counted for a client that comes back as well: progress must rise.
    ++steps_;
    if (event.id <= behind_ || !to_.wants_progress()) return;
    to_.mark(std::to_string(event.id));
    to_.progress(static_cast<double>(steps_), std::nullopt, message);
}

void run_teller::tell_output(const run_event& event)
{
    if (event.id <= behind_ || !to_.client().hears(level_of(event.label))) return;
    boost::json::value data = emitted_value(event);
    if (!data.is_object()) data = boost::json::object{{"text", std::move(data)}};
    data.get_object().emplace("type", event.label);
    data.get_object().emplace("node", event.node);
    to_.mark(std::to_string(event.id));
    to_.log(level_of(event.label), std::move(data), event.node);
}

}  // namespace weft::serve_detail
