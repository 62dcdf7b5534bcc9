#include "run_view.hpp"

#include "terminal/text_table.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace weft_cli {

namespace {

constexpr std::size_t title_columns = 24;
constexpr std::size_t title_columns_max = 60;
constexpr std::size_t ended_max = 200;  // lines between two pictures; who wants all takes a log

std::string_view colour_of(visit_progress::phase phase)
{
    switch (phase) {
    case visit_progress::phase::working: return "36";
    case visit_progress::phase::waiting:
    case visit_progress::phase::stopped: return "33";
    case visit_progress::phase::done: return "32";
    case visit_progress::phase::failed: return "31";
    }
    return "";
}

/** What an event says that concerns no visit under way; empty if people need not know it. */
std::string remark_of(const weft::run_event& event)
{
    const std::string place = event.address.empty() ? "" : event.address + "/";
    const std::string way = place + std::string{event.source} + " -> " + std::string{event.node};
    switch (event.what) {
    case weft::run_event::kind::node_skipped: return place + std::string{event.node} + ": its visits are used up";
    case weft::run_event::kind::edge_condition_error: return way + ": the condition does not hold: " + event.text;
    case weft::run_event::kind::route_decided: return way + ": chosen by a model: " + event.text;
    case weft::run_event::kind::route_fallback: return way + ": the fallback: " + event.text;
    case weft::run_event::kind::gap: return "some events are lost";
    default: return "";
    }
}

bool is_shown_plainly(const visit_progress& visit, weft::run_event::kind what)
{
    return what != weft::run_event::kind::output && what != weft::run_event::kind::node_retried &&
           (visit.has_ended() || what == weft::run_event::kind::node_started);
}

}  // namespace

std::string time_text(weft::clock::duration time)
{
    const auto seconds = std::chrono::duration<double>(time).count();
    char text[48];
    if (seconds < 0.0995) {
        std::snprintf(text, sizeof text, "%.0f ms", seconds * 1000);
        return text;
    }
    if (seconds < 99.95) {
        std::snprintf(text, sizeof text, "%.1f s", seconds);
        return text;
    }
    const auto whole = static_cast<long long>(seconds + 0.5);
    std::snprintf(text, sizeof text, "%lld min %02lld s", whole / 60, whole % 60);
    return text;
}

void run_view::keep(const visit_progress& visit)
{
    if (ended_.size() == ended_max) {
        ++left_out_;
        return;
    }
    ended_.push_back(visit);
    if (visit.now == visit_progress::phase::done) ended_.back().tail.clear();
}

std::string run_view::tell(const weft::run_event& event, const visit_progress* visit, const run_progress& progress)
{
    const std::string remark = console::harmless_line(remark_of(event));
    if (screen_.is_terminal()) {
        if (!remark.empty() && remarks_.size() < ended_max) remarks_.push_back("  " + remark);
        if (visit && visit->has_ended()) keep(*visit);
        return "";
    }
    const std::string time = padded("[" + time_text(event.at - progress.began()), 9, true) + "]  ";
    if (!remark.empty()) return time + remark + "\n";
    if (!visit || !is_shown_plainly(*visit, event.what)) return "";
    std::string line = time + padded(console::harmless_line(visit->title()), title_columns) + "  ";
    line += visit->has_ended() ? visit->phase_name() : "started";
    if (visit->has_ended()) line += " after " + time_text(visit->until - visit->since);
    if (visit->now == visit_progress::phase::failed) line += ": " + console::harmless_line(visit->tail);
    return line + "\n";
}

/** Cut to the width before colours come in, since a line that wraps would shift all pictures after it. */
std::string run_view::line_of(const visit_progress& visit, weft::time_point now, std::size_t columns) const
{
    const std::size_t width = columns > 0 ? columns - 1 : 0;
    std::string title = console::harmless_line(visit.title());
    if (console::columns_of(title) > title_columns_max) title = console::first_columns(title, name_columns_max - 1);
    const std::string phase{visit.phase_name()};
    const weft::time_point until = visit.has_ended() ? visit.until : now;
    const std::string before = "  " + padded(std::move(title), title_columns) + " ";
    const std::string after = padded("", 8 - std::min<std::size_t>(phase.size(), 8)) +
                              padded(time_text(std::max(until, visit.since) - visit.since), 12, true);
    const std::size_t taken = console::columns_of(before) + phase.size() + console::columns_of(after);
    if (taken > width) return std::string{console::first_columns(before + phase + after, width)};
    std::string line = before + screen_.styled(phase, colour_of(visit.now)) + after;
    const std::size_t room = width - taken > 2 ? width - taken - 2 : 0;
    const bool is_reason = visit.now == visit_progress::phase::failed || visit.now == visit_progress::phase::waiting;
    if (room < 8 || visit.tail.empty() || visit.now == visit_progress::phase::done) return line;
    const std::string tail = console::harmless_line(visit.tail);
    const std::string_view shown = is_reason ? console::first_columns(tail, room) : console::last_columns(tail, room);
    return line + "  " + screen_.styled(shown, is_reason ? "31" : "2");
}

std::string run_view::draw(const run_progress& progress, weft::time_point now, std::string_view hint,
                           live_area::extent size)
{
    if (!screen_.is_terminal()) return "";
    std::vector<std::string> staying;
    for (const visit_progress& visit : std::exchange(ended_, {})) staying.push_back(line_of(visit, now, size.columns));
    if (const std::size_t count = std::exchange(left_out_, 0); count > 0)
        staying.push_back("  … " + std::to_string(count) + " visits more");
    for (std::string& remark : std::exchange(remarks_, {})) staying.push_back(std::move(remark));
    std::vector<std::string> picture;
    for (const visit_progress& visit : progress.open()) picture.push_back(line_of(visit, now, size.columns));
    std::string total = "  " + std::to_string(progress.ended()) + " done, " + std::to_string(progress.open().size()) +
                        " open, " + time_text(now - progress.began());
    if (!hint.empty()) total.append("  ").append(hint);
    picture.emplace_back(console::first_columns(total, size.columns > 0 ? size.columns - 1 : 0));
    return area_.draw(staying, std::move(picture), size);
}

std::string run_view::end(live_area::extent size)
{
    return screen_.is_terminal() ? area_.draw({}, {}, size) : "";
}

}  // namespace weft_cli
