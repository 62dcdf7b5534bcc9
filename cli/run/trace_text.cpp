#include "trace_text.hpp"

#include "run_view.hpp"
#include "terminal/text_table.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

using weft::run_trace;

constexpr std::size_t names_max = 40;   // columns
constexpr std::size_t rows_max = 2000;  // visits; who wants more of them takes the JSON
constexpr std::size_t bar_min = 10;     // columns
constexpr std::chrono::milliseconds told_waiting{1};  // what is shorter is the engine's own work

std::string_view colour_of(run_trace::outcome how)
{
    switch (how) {
    case run_trace::outcome::succeeded: return "32";
    case run_trace::outcome::failed: return "31";
    case run_trace::outcome::stopped:
    case run_trace::outcome::unfinished: return "33";
    }
    return "";
}

std::string name_of_visit(const run_trace::visit& visit)
{
    std::string name = console::harmless_line(visit.node);
    if (visit.number > 1) name += " #" + std::to_string(visit.number);
    return name;
}

/** The visits as a tree: those within a node stand below it. */
std::vector<std::size_t> in_order(const run_trace& trace)
{
    std::vector<std::vector<std::size_t>> within(trace.visits.size() + 1);
    const std::size_t top = trace.visits.size();
    for (std::size_t i = 0; i < trace.visits.size(); ++i)
        within[std::min(trace.visits[i].within, top)].push_back(i);
    std::vector<std::size_t> order;
    std::vector<std::size_t> open{within[top].rbegin(), within[top].rend()};
    while (!open.empty()) {
        const std::size_t next = open.back();
        open.pop_back();
        order.push_back(next);
        open.insert(open.end(), within[next].rbegin(), within[next].rend());
    }
    return order;
}

/** The cells of a visit, but for its bar. */
std::vector<std::string> cells_of(const run_trace::visit& visit)
{
    std::string name = std::string(2 * std::size_t{visit.depth}, ' ') + name_of_visit(visit);
    if (console::columns_of(name) > names_max) name = std::string{console::first_columns(name, names_max - 1)} + "…";
    return {std::move(name), std::to_string(visit.branch), span_text(visit.start), span_text(visit.end - visit.start),
            std::to_string(visit.attempts.size()), visit.was_cached ? "cached" : std::string{weft::name_of(visit.how)}};
}

class visit_table {
public:
    visit_table(const run_trace& trace, const console::screen& screen) : trace_{trace}, screen_{screen}
    {
        rows_.push_back({"node", "branch", "start", "time", "tries", "outcome"});
        order_ = in_order(trace);
        left_out_ = order_.size() > rows_max ? order_.size() - rows_max : 0;
        order_.resize(order_.size() - left_out_);
        for (const std::size_t visit : order_) rows_.push_back(cells_of(trace.visits[visit]));
        for (const auto& row : rows_)
            for (std::size_t i = 0; i < row.size(); ++i)
                widths_[i] = std::max(widths_[i], console::columns_of(row[i]));
    }

    [[nodiscard]] std::string text(std::size_t columns) const
    {
        std::size_t taken = 2;
        for (const std::size_t width : widths_) taken += width + 2;
        const std::size_t bar = columns > taken + bar_min ? columns - taken - 1 : bar_min;
        std::string head = line(rows_.front());
        head.erase(head.find_last_not_of(' ') + 1);
        std::string text = screen_.styled(head, "1") + "\n";
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const run_trace::visit& visit = trace_.visits[order_[i]];
            const std::string shown = time_bar(part_of(visit.start), part_of(visit.end), bar);
            text += line(rows_[i + 1]) + screen_.styled(shown, colour_of(visit.how)) + "\n";
        }
        if (left_out_ > 0)
            text += "  … " + std::to_string(left_out_) + " visits more; --format json has all\n";
        return text;
    }

private:
    [[nodiscard]] std::string line(const std::vector<std::string>& row) const
    {
        std::string text = "  ";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const bool is_number = 0 < i && i < 5;
            text += padded(row[i], widths_[i], is_number) + "  ";
        }
        return text;
    }
    [[nodiscard]] double part_of(run_trace::span at) const
    {
        return trace_.elapsed.count() > 0
                   ? static_cast<double>(at.count()) / static_cast<double>(trace_.elapsed.count())
                   : 0;
    }

    const run_trace& trace_;
    const console::screen& screen_;
    std::vector<std::size_t> order_;
    std::size_t left_out_ = 0;
    std::vector<std::vector<std::string>> rows_;
    std::size_t widths_[6] = {};
};

std::string place_of(const std::string& address) { return address.empty() ? "" : address + "/"; }

std::string summary(const run_trace& trace, const console::screen& screen)
{
    std::string text = trace.graph.empty() ? "The run" : console::harmless_line(trace.graph);
    if (!trace.began_at.empty()) text += ", " + console::harmless_line(trace.began_at);
    text += ": ";
    if (trace.is_complete())
        text += screen.styled(console::harmless_line(trace.status), trace.status == "finished" ? "32" : "31");
    else
        text += screen.styled("the log ends before the run does", "33");
    if (trace.was_cut_short) text += ", cut short by a limit of steps";
    text += ", " + span_text(trace.elapsed) + ", " + std::to_string(trace.visits.size()) +
            (trace.visits.size() == 1 ? " visit" : " visits");
    if (const std::size_t count = trace.retries(); count > 0)
        text += ", " + std::to_string(count) + (count == 1 ? " retry" : " retries");
    if (trace.spent != weft::usage{})
        text += ", " + std::to_string(trace.spent.input.count()) + " tokens read and " +
                std::to_string(trace.spent.output.count()) + " written";
    text += "\n";
    if (trace.events_lost > 0)
        text += std::to_string(trace.events_lost) + " events are lost: what follows is a part of what happened.\n";
    return text;
}

std::string failures_text(const run_trace& trace)
{
    std::string text;
    for (const run_trace::visit& visit : trace.visits)
        for (std::size_t i = 0; i < visit.attempts.size(); ++i)
            if (visit.attempts[i].how == run_trace::outcome::failed)
                text += "  " + console::harmless_line(place_of(visit.address) + name_of_visit(visit)) +
                        (visit.attempts.size() > 1 ? ", attempt " + std::to_string(i + 1) : "") + ": " +
                        console::harmless_line(visit.attempts[i].why) + "\n";
    return text;
}

std::string remarks_text(const run_trace& trace)
{
    std::string text;
    for (const run_trace::remark& remark : trace.remarks) {
        std::string line = place_of(remark.address);
        if (!remark.source.empty()) line += remark.source + " -> ";
        line += remark.node + ": " + std::string{name_of(remark.what)};
        if (!remark.text.empty()) line += ": " + remark.text;
        text += "  " + console::harmless_line(line) + "\n";
    }
    return text;
}

std::string edges_text(const run_trace& trace)
{
    std::string text;
    for (const run_trace::edge& edge : trace.edges) {
        std::string line = place_of(edge.address) + edge.source + " -> " + edge.node;
        if (edge.times > 1) line += "  ×" + std::to_string(edge.times);
        text += "  " + console::harmless_line(line) + "\n";
    }
    return text;
}

std::string step_line(const run_trace& trace, run_trace::span time, const std::string& name)
{
    char share[16];
    std::snprintf(share, sizeof share, "%5.1f %%", 100 * trace.share_of({run_trace::none, false, {}, time}));
    return "  " + std::string{share} + padded(span_text(time), 13, true) + "  " + console::harmless_line(name) + "\n";
}

std::string path_text(const run_trace& trace)
{
    std::string text;
    run_trace::span between{};
    for (const run_trace::step& step : trace.critical_path) {
        const run_trace::span time = step.end - step.start;
        if (step.is_waiting && time < told_waiting) {
            between += time;
            continue;
        }
        const run_trace::visit* const visit = step.visit == run_trace::none ? nullptr : &trace.visits[step.visit];
        std::string name = visit ? place_of(visit->address) + name_of_visit(*visit) : "the end";
        if (step.is_waiting) name = "waiting for " + name;
        text += step_line(trace, time, name);
    }
    if (between.count() > 0) text += step_line(trace, between, "between visits");
    return text;
}

}  // namespace

std::string span_text(run_trace::span time)
{
    const double microseconds = static_cast<double>(time.count()) / 1000;
    char text[48];
    if (microseconds < 999.5) std::snprintf(text, sizeof text, "%.0f us", microseconds);
    else if (microseconds < 999.95e3) std::snprintf(text, sizeof text, "%.1f ms", microseconds / 1000);
    else if (microseconds < 99.995e6) std::snprintf(text, sizeof text, "%.2f s", microseconds / 1e6);
    else return time_text(std::chrono::duration_cast<weft::clock::duration>(time));
    return text;
}

std::string time_bar(double from, double to, std::size_t columns)
{
    const auto whole = static_cast<double>(columns);
    const auto first = std::min(static_cast<std::size_t>(std::clamp(from, 0.0, 1.0) * whole), columns - 1);
    const auto last = static_cast<std::size_t>(std::ceil(std::clamp(to, 0.0, 1.0) * whole));
    std::string bar(first, ' ');
    for (std::size_t i = first; i < std::max(last, first + 1); ++i) bar += "█";
    return bar;
}

std::string trace_text(const run_trace& trace, const console::screen& screen, std::size_t columns)
{
    std::string text = summary(trace, screen) + "\n" + visit_table{trace, screen}.text(columns);
    const auto add = [&](std::string_view title, const std::string& lines) {
        if (!lines.empty()) text += "\n" + screen.styled(title, "1") + "\n" + lines;
    };
    add("Failures", failures_text(trace));
    add("Remarks", remarks_text(trace));
    add("Edges taken", edges_text(trace));
    add("Critical path", path_text(trace));
    return text;
}

}  // namespace weft_cli
