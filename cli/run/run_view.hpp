#pragma once

#include "run_progress.hpp"
#include "terminal/console.hpp"
#include "terminal/live_area.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace weft_cli {

/** A span of time as people write it: `40 ms`, `12.3 s`, `4 min 05 s`. */
[[nodiscard]] std::string time_text(weft::clock::duration time);

/** Shows a run while it goes on: on a terminal a line for each open visit, drawn anew, below those that have ended;
 *  anywhere else plain lines. Texts of nodes are made harmless. */
class run_view {
public:
    explicit run_view(console::screen screen) : screen_{screen} {}

    /** What to write at once for an event; on a terminal nothing, the next picture shows it. */
    [[nodiscard]] std::string tell(const weft::run_event& event, const visit_progress* visit,
                                   const run_progress& progress);

    /** What to write for a picture of now; nothing where there is no terminal.
     *  @param hint   What its last line ends with. */
    [[nodiscard]] std::string draw(const run_progress& progress, weft::time_point now, std::string_view hint,
                                   live_area::extent size);
    /** What to write in place of the last picture, when no other will follow. */
    [[nodiscard]] std::string end(live_area::extent size);

private:
    void keep(const visit_progress& visit);
    [[nodiscard]] std::string line_of(const visit_progress& visit, weft::time_point now, std::size_t columns) const;

    console::screen screen_;
    live_area area_;
    std::vector<visit_progress> ended_;      // since the last picture
    std::vector<std::string> remarks_;
    std::size_t left_out_ = 0;
};

}  // namespace weft_cli
