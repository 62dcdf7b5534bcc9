#pragma once

#include <weft/base/chrono.hpp>
#include <weft/graph/build/run_overlay.hpp>
#include <weft/graph/graph.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

enum class drawing_direction : std::uint8_t { down, right };

enum class drawing_theme : std::uint8_t {
    automatic,  ///< SVG follows the reader's setting; Mermaid leaves to its own theme what it can; DOT is light.
    light,
    dark,
};

/** Colours of a drawing, each as `#rrggbb`. */
struct drawing_colours {
    std::string background;
    std::string node;         ///< What nodes are filled with.
    std::string special;      ///< What starts, ends and joins are filled with.
    std::string border;
    std::string text;
    std::string edge;
    std::string idle;         ///< Of what a run did not reach.
    std::string taken;        ///< Of what it did.
    std::string failed;       ///< Of failure edges and of nodes that failed.
    std::string failed_node;  ///< What nodes that failed are filled with.
    std::string llm;          ///< Of edges that a model chooses.
    std::string region;       ///< What fan-outs are filled with.
    std::string nested;       ///< What graphs within nodes are filled with.

    [[nodiscard]] static drawing_colours light();
    [[nodiscard]] static drawing_colours dark();
};

/** What `to_dag_json` says of a node as a task, where that is not what the graph says. Empty parts are as in the
 *  graph. */
struct drawn_task {
    std::string description{};
    std::string expected_output{};
    std::string role{};
};

/** How a graph is drawn: `{.title = "after the run", .overlay = recorder.overlay()}`. */
struct drawing_options {
    drawing_direction direction = drawing_direction::down;
    std::string title = {};            ///< Empty: the graph's name.
    drawing_theme theme = drawing_theme::automatic;
    drawing_colours light = drawing_colours::light();
    drawing_colours dark = drawing_colours::dark();
    std::uint32_t unfold_depth = 16;   ///< How deep graphs within nodes are drawn; 0: as single nodes.
    bool has_legend = false;           ///< It explains the kinds of edges.
    /** What a run of the graph did: taken edges are strong, what was not reached is grey, failures are red. */
    std::optional<run_overlay> overlay = {};
    /** What `to_dag_json` says of nodes, by name. */
    std::map<std::string, drawn_task, std::less<>> tasks = {};
    /** What `to_dag_json` writes as `generatedAt`. */
    std::optional<std::chrono::system_clock::time_point> generated_at = {};
};

// Common to the three pictures: edges without a condition are solid, conditions are dashed with their label, what a
// model chooses and what follows a failure has a colour of its own, ways of commands are dotted. A fan-out is a box
// around its branches with its policy in the title, its join a hexagon, a graph within a node a box. Boxes never cross:
// of two fan-outs that do, the smaller one's box holds only part of its nodes, or is left out.
//
// Any name, label or title is safe to draw: it is escaped, and bytes that are not UTF-8 become U+FFFD.

/** The graph as a Mermaid flowchart. For SVG there is `weft/drawing/svg.hpp`.
 *
 *  Mermaid itself refuses more than 500 edges unless it is given a higher `maxEdges`.
 *
 *  @par Errors   `errc::invalid_configuration` for colours.
 *  @par Source   https://mermaid.js.org/syntax/flowchart.html
 */
[[nodiscard]] std::string to_mermaid(const graph& what, const drawing_options& options = {});

/** The graph in the language of Graphviz. Nodes, edges and clusters have classes for style sheets.
 *
 *  @par Errors   `errc::invalid_configuration` for colours.
 *  @par Source   https://graphviz.org/doc/info/lang.html
 */
[[nodiscard]] std::string to_dot(const graph& what, const drawing_options& options = {});

/** The graph as AgentEnsemble's DAG JSON, schema 1.3, with whether each edge fired, how often each task was visited,
 *  and how the run ended. Graphs within nodes are single tasks. For an `ensemble_graph` there is
 *  `weft/engine/ensemble_dag.hpp`, which fills in its tasks.
 *
 *  Each task has members beside those of the schema: `badge`, `START`, `STATE` or `END`, as the source's pictures show
 *  them, and `visits`, null before a run.
 *
 *  Differences to the source: of two parallel edges only the one that was taken has fired. Ways of commands and
 *  fallbacks are edges with a description. A graph that does not begin with one plain edge has a task
 *  `graph-start` behind the end's. `generatedAt` is null unless the options say it.
 */
[[nodiscard]] boost::json::object to_dag_json(const graph& what, const drawing_options& options = {});

}  // namespace weft
