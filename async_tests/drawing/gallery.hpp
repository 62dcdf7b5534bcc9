#pragma once

/** Graphs to draw: everyday ones, one with everything, and nasty ones. */

#include <weft/graph/build/run_overlay.hpp>
#include <weft/graph/graph.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft_tests {

struct exhibit {
    std::string name;   ///< Fit for a file.
    weft::graph what;
    std::optional<weft::run_overlay> ran;
};

/** Three researchers at once, a writer and a judge who sends the draft back. */
[[nodiscard]] weft::graph research_graph();
/** Every kind of edge, nested fan-outs, a graph within a node with a fan-out of its own, a deferred node. */
[[nodiscard]] weft::graph graph_with_everything();
/** Nodes and labels with every character that some format takes for its own. */
[[nodiscard]] weft::graph graph_of_nasty_names();
/** Fan-outs of three behind each other, with a conditional way back from each join. */
[[nodiscard]] weft::graph large_graph(std::size_t nodes);
/** Fan-outs one in the other. */
[[nodiscard]] weft::graph deep_fan_outs(std::size_t depth);

/** What `graph_of_nasty_names` is made of. */
[[nodiscard]] const std::vector<std::string>& nasty_names();

/** All of them, with and without a run. */
[[nodiscard]] std::vector<exhibit> gallery();

}  // namespace weft_tests
