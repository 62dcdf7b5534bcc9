#include <weft/engine/trace/run_event_json.hpp>

#include <weft/base/utf8.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace weft {

namespace {

constexpr auto kinds_end = static_cast<std::uint8_t>(run_event::kind::gap) + 1;

/** Nodes may say any bytes; a log is UTF-8. */
void add_text(boost::json::object& to, std::string_view name, std::string_view text)
{
    if (!text.empty()) to.emplace(name, is_valid_utf8(text) ? std::string{text} : repaired_utf8(text));
}

template <class Number>
void add_number(boost::json::object& to, std::string_view name, Number number)
{
    if (number != 0) to.emplace(name, number);
}

bool concerns_an_attempt(run_event::kind kind) noexcept
{
    return kind == run_event::kind::node_started || kind == run_event::kind::node_succeeded ||
           kind == run_event::kind::node_failed;
}

}  // namespace

std::string first_attempts(std::string_view address_visits)
{
    if (address_visits.empty()) return {};
    std::string attempts = "1";
    for (const char c : address_visits)
        if (c == '/') attempts += "/1";
    return attempts;
}

boost::json::object to_json(const run_log_header& header)
{
    boost::json::object line{{"kind", "run"}, {"format", header.format}};
    add_text(line, "run", header.run);
    add_text(line, "graph", header.graph);
    add_text(line, "at", header.at);
    return line;
}

boost::json::object to_json(const run_event& event, time_point began)
{
    const auto since = std::chrono::round<std::chrono::microseconds>(std::max(event.at, began) - began);
    boost::json::object line{{"sequence", event.sequence},
                             {"kind", name_of(event.what)},
                             {"ms", static_cast<double>(since.count()) / 1000}};
    if (event.id != event.sequence && event.id != 0) line.emplace("id", event.id);
    add_text(line, "address", event.address);
    add_text(line, "address_visits", event.address_visits);
    if (event.address_attempts != first_attempts(event.address_visits))
        add_text(line, "address_attempts", event.address_attempts);
    add_text(line, "source", event.source);
    add_text(line, "node", event.node);
    if (event.branch != 0 || concerns_an_attempt(event.what)) line.emplace("branch", event.branch);
    add_number(line, "visit", event.visit);
    add_number(line, "attempt", event.attempt);
    add_number(line, "number", event.number);
    if (event.edge != no_edge) line.emplace("edge", event.edge);
    add_text(line, "label", event.label);
    add_text(line, "text", event.text);
    return line;
}

std::optional<run_event::kind> event_kind_of(std::string_view name) noexcept
{
    for (std::uint8_t i = 0; i < kinds_end; ++i)
        if (const auto kind = static_cast<run_event::kind>(i); name_of(kind) == name) return kind;
    return std::nullopt;
}

std::string to_utc_text(clock::system_time_point moment)
{
    const auto second = std::chrono::floor<std::chrono::seconds>(moment);
    const auto day = std::chrono::floor<std::chrono::days>(second);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{second - day};
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    return text;
}

}  // namespace weft
