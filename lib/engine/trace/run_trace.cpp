#include <weft/engine/trace/run_trace.hpp>

#include <weft/base/json.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <boost/json/value_to.hpp>

#include <algorithm>

namespace weft {

namespace {

double milliseconds(run_trace::span time)
{
    return static_cast<double>(std::chrono::round<std::chrono::microseconds>(time).count()) / 1000;
}

void add_named_text(boost::json::object& to, std::string_view name, const std::string& text)
{
    if (!text.empty()) to.emplace(name, text);
}

void add_index(boost::json::object& to, std::string_view name, std::size_t index)
{
    if (index != run_trace::none) to.emplace(name, index);
}

boost::json::value to_json(const run_trace::attempt& attempt)
{
    boost::json::object json{{"start_ms", milliseconds(attempt.start)},
                             {"end_ms", milliseconds(attempt.end)},
                             {"outcome", name_of(attempt.how)}};
    add_named_text(json, "why", attempt.why);
    return json;
}

boost::json::value to_json(const run_trace::visit& visit)
{
    boost::json::object json;
    add_named_text(json, "address", visit.address);
    json.emplace("node", visit.node);
    json.emplace("visit", visit.number);
    json.emplace("branch", visit.branch);
    json.emplace("start_ms", milliseconds(visit.start));
    json.emplace("elapsed_ms", milliseconds(visit.end - visit.start));
    json.emplace("outcome", name_of(visit.how));
    boost::json::array attempts;
    for (const run_trace::attempt& attempt : visit.attempts) attempts.push_back(to_json(attempt));
    json.emplace("attempts", std::move(attempts));
    if (visit.was_cached) json.emplace("cached", true);
    if (visit.spent != usage{}) json.emplace("usage", to_json(visit.spent));
    add_index(json, "within", visit.within);
    add_index(json, "after", visit.after);
    return json;
}

boost::json::value to_json(const run_trace::edge& edge)
{
    boost::json::object json;
    add_named_text(json, "address", edge.address);
    json.emplace("source", edge.source);
    json.emplace("node", edge.node);
    if (edge.declared != no_edge) json.emplace("edge", edge.declared);
    json.emplace("times", edge.times);
    return json;
}

boost::json::value to_json(const run_trace::remark& remark)
{
    boost::json::object json{{"kind", name_of(remark.what)}, {"ms", milliseconds(remark.at)}};
    add_named_text(json, "address", remark.address);
    add_named_text(json, "source", remark.source);
    add_named_text(json, "node", remark.node);
    add_named_text(json, "text", remark.text);
    return json;
}

boost::json::value to_json(const run_trace& trace, const run_trace::step& step)
{
    boost::json::object json;
    add_index(json, "visit", step.visit);
    if (step.visit != run_trace::none) {
        add_named_text(json, "address", trace.visits[step.visit].address);
        json.emplace("node", trace.visits[step.visit].node);
    }
    json.emplace("waiting", step.is_waiting);
    json.emplace("start_ms", milliseconds(step.start));
    json.emplace("elapsed_ms", milliseconds(step.end - step.start));
    json.emplace("share", trace.share_of(step));
    return json;
}

template <class Items>
boost::json::array list_of(const Items& items)
{
    boost::json::array list;
    for (const auto& item : items) list.push_back(to_json(item));
    return list;
}

}  // namespace

std::size_t run_trace::retries() const noexcept
{
    std::size_t count = 0;
    for (const visit& v : visits) count += v.attempts.size() - 1;
    return count;
}

double run_trace::share_of(const step& part) const noexcept
{
    return elapsed.count() > 0 ? static_cast<double>((part.end - part.start).count()) /
                                     static_cast<double>(elapsed.count())
                               : 0;
}

std::string_view name_of(run_trace::outcome how) noexcept
{
    switch (how) {
    case run_trace::outcome::succeeded: return "succeeded";
    case run_trace::outcome::failed: return "failed";
    case run_trace::outcome::stopped: return "stopped";
    case run_trace::outcome::unfinished: return "unfinished";
    }
    return "unknown";
}

boost::json::object to_json(const run_trace& trace)
{
    boost::json::object json;
    add_named_text(json, "graph", trace.graph);
    add_named_text(json, "at", trace.began_at);
    add_named_text(json, "status", trace.status);
    json.emplace("complete", trace.is_complete());
    json.emplace("cut_short", trace.was_cut_short);
    json.emplace("elapsed_ms", milliseconds(trace.elapsed));
    json.emplace("retries", trace.retries());
    json.emplace("events_lost", trace.events_lost);
    if (trace.spent != usage{}) json.emplace("usage", to_json(trace.spent));
    json.emplace("visits", list_of(trace.visits));
    json.emplace("edges", list_of(trace.edges));
    json.emplace("remarks", list_of(trace.remarks));
    boost::json::array path;
    for (const run_trace::step& step : trace.critical_path) path.push_back(to_json(trace, step));
    json.emplace("critical_path", std::move(path));
    return json;
}

std::optional<usage> usage_in(const run_event& event) noexcept
{
    if (event.what != run_event::kind::output || event.label != "usage") return std::nullopt;
    try {
        return boost::json::value_to<usage>(parse_json(event.text));
    } catch (const std::exception&) {
        return std::nullopt;  // a node may say what it likes under this label
    }
}

}  // namespace weft
