#pragma once

/** Shows a run while it goes on: a line per node that is drawn anew on a terminal, plain lines
 *  anywhere else. Used by parallel_research.cpp. */

#include "../cli/terminal/console.hpp"
#include "research_progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

inline std::string seconds(weft::clock::duration time)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", std::chrono::duration<double>(time).count());
    return text;
}

inline std::string padded(std::string text, std::size_t columns, bool is_number = false)
{
    const std::size_t width = console::columns_of(text);
    if (width < columns) text.insert(is_number ? 0 : text.size(), columns - width, ' ');
    return text;
}

class research_view {
public:
    research_view(const console::screen& screen, const research_progress& progress)
        : screen_{screen}, progress_{progress}
    {
    }

    /** Tells of one event, unless the picture shows it anyway. */
    void tell(const weft::run_event& event, const node_progress& node) const
    {
        if (screen_.is_terminal() || event.what == weft::run_event::kind::output) return;
        std::string line = padded("[" + seconds(event.at - progress_.began()), 9, true) + "]  " +
                           padded(std::string{node.name}, 8) + node.phase_name().data();
        if (node.visits > 1) line += ", visit " + std::to_string(node.visits);
        if (!node.is_running())
            line += ", " + std::to_string(node.tokens_so_far()) + " tokens so far";
        if (node.now == node_progress::phase::failed)
            line += ": " + console::harmless_line(node.tail);
        console::screen::write(line + '\n');
    }

    /** Draws the picture over the one before. @param hint  What the last line ends with. */
    void draw(weft::time_point now, std::string_view hint)
    {
        if (!screen_.is_terminal()) return;
        const auto [columns, rows] = screen_.size();
        std::vector<std::string> lines;
        for (const node_progress& node : progress_.nodes())
            lines.push_back(line_of(node, now, columns));
        lines.push_back(total(now, columns, hint));
        // Lines that have scrolled out at the top cannot be drawn over.
        if (lines.size() >= rows)
            lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(rows - 1));

        std::string picture = "\r";
        if (const std::size_t above = std::min(rows_drawn(columns), rows - 1); above > 0)
            picture += "\x1b[" + std::to_string(above) + "A";
        for (const std::string& line : lines) picture += line + "\x1b[K\n";
        console::screen::write(picture + "\x1b[J");
        drawn_ = std::move(lines);
    }

private:
    /** How many rows the picture takes by now: a window that was made narrower has broken its lines.
     */
    [[nodiscard]] std::size_t rows_drawn(std::size_t columns) const
    {
        std::size_t rows = 0;
        for (const std::string& line : drawn_) {
            const std::size_t width = std::max<std::size_t>(console::columns_of_styled(line), 1);
            rows += columns > 0 ? (width + columns - 1) / columns : 1;
        }
        return rows;
    }

    // Cut to the width before colours come in, since a line that wraps would shift all pictures
    // after it.
    [[nodiscard]] std::string line_of(const node_progress& node, weft::time_point now,
                                      std::size_t columns) const
    {
        std::string name{node.name};
        if (node.visits > 1) name += " x" + std::to_string(node.visits);
        const bool has_begun = node.visits > 0;
        const std::string phase{node.phase_name()};
        std::string head = "  " + padded(name, 10) + padded(phase, 11) +
                           padded(has_begun ? std::to_string(node.tokens_so_far()) : "", 5, true) +
                           padded(has_begun ? unit_of(columns) : "", unit_of(columns).size()) +
                           padded(has_begun ? seconds(node.elapsed_at(now)) : "", 9, true);
        const std::string tail = console::harmless_line(node.tail);
        const std::size_t room = columns > head.size() + 3 ? columns - head.size() - 3 : 0;
        const bool has_failed = node.now == node_progress::phase::failed;
        const std::string_view shown =
            has_failed ? console::first_columns(tail, room) : console::last_columns(tail, room);
        head = console::first_columns(head, columns > 0 ? columns - 1 : 0);
        if (const std::size_t at = head.find(phase); at != std::string::npos && at > 2)
            head.replace(at, phase.size(), screen_.styled(phase, colour_of(node)));
        return room > 8 ? head + "  " + screen_.styled(shown, has_failed ? "31" : "2") : head;
    }

    [[nodiscard]] std::string total(weft::time_point now, std::size_t columns,
                                    std::string_view hint) const
    {
        const std::string text =
            "  " + padded("all", 21) + padded(std::to_string(progress_.tokens()), 5, true) +
            unit_of(columns) + padded(seconds(now - progress_.began()), 9, true) + "  " +
            std::string{hint};
        return std::string{console::first_columns(text, columns > 0 ? columns - 1 : 0)};
    }

    static std::string unit_of(std::size_t columns) { return columns < 48 ? "" : " tokens"; }

    static std::string_view colour_of(const node_progress& node)
    {
        switch (node.now) {
        case node_progress::phase::waiting: return "2";
        case node_progress::phase::asking: return "33";
        case node_progress::phase::streaming: return "36";
        case node_progress::phase::done: return "32";
        case node_progress::phase::retrying:
        case node_progress::phase::stopped: return "33";
        case node_progress::phase::failed: return "31";
        }
        return "";
    }

    const console::screen& screen_;
    const research_progress& progress_;
    std::vector<std::string> drawn_;  // the picture that stands there
};
