#pragma once

#include <weft/graph/build/run_overlay.hpp>
#include <weft/graph/graph.hpp>

#include <boost/json/object.hpp>

#include <chrono>
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

/** How a graph is drawn. */
class drawing_options {
public:
    drawing_options() noexcept {}

    drawing_options& direction(drawing_direction where) { direction_ = where; return *this; }
    /** Instead of the graph's name. */
    drawing_options& title(std::string text) { title_ = std::move(text); return *this; }
    drawing_options& theme(drawing_theme which) { theme_ = which; return *this; }
    /** @par Errors  `errc::invalid_configuration`, told when something is drawn: a colour is not `#rrggbb`. */
    drawing_options& light(drawing_colours colours) { light_ = std::move(colours); return *this; }
    drawing_options& dark(drawing_colours colours) { dark_ = std::move(colours); return *this; }
    /** How deep graphs within nodes are drawn; 0: as single nodes. */
    drawing_options& unfold_depth(std::uint32_t levels) { unfold_depth_ = levels; return *this; }
    /** Whether a legend explains the kinds of edges. */
    drawing_options& legend(bool is_wanted) { has_legend_ = is_wanted; return *this; }
    /** What a run of the graph did: taken edges are strong, what was not reached is grey, failures are red. */
    drawing_options& overlay(run_overlay of_run) { overlay_ = std::move(of_run); return *this; }
    /** What `to_dag_json` says of nodes, by name. */
    drawing_options& tasks(std::map<std::string, drawn_task, std::less<>> by_node)
    {
        tasks_ = std::move(by_node);
        return *this;
    }
    /** What `to_dag_json` writes as `generatedAt`. */
    drawing_options& generated_at(std::chrono::system_clock::time_point when) { generated_at_ = when; return *this; }

    [[nodiscard]] drawing_direction direction() const noexcept { return direction_; }
    [[nodiscard]] const std::string& title() const noexcept { return title_; }
    [[nodiscard]] drawing_theme theme() const noexcept { return theme_; }
    [[nodiscard]] const drawing_colours& light() const noexcept { return light_; }
    [[nodiscard]] const drawing_colours& dark() const noexcept { return dark_; }
    [[nodiscard]] std::uint32_t unfold_depth() const noexcept { return unfold_depth_; }
    [[nodiscard]] bool has_legend() const noexcept { return has_legend_; }
    /** Null if there is none. */
    [[nodiscard]] const run_overlay* overlay() const noexcept { return overlay_ ? &*overlay_ : nullptr; }
    /** Null if there is nothing of that node. */
    [[nodiscard]] const drawn_task* task_of(std::string_view node) const noexcept
    {
        const auto found = tasks_.find(node);
        return found == tasks_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] const std::optional<std::chrono::system_clock::time_point>& generated_at() const noexcept
    {
        return generated_at_;
    }

private:
    drawing_direction direction_ = drawing_direction::down;
    std::string title_;
    drawing_theme theme_ = drawing_theme::automatic;
    drawing_colours light_ = drawing_colours::light();
    drawing_colours dark_ = drawing_colours::dark();
    std::uint32_t unfold_depth_ = 16;
    bool has_legend_ = false;
    std::optional<run_overlay> overlay_;
    std::map<std::string, drawn_task, std::less<>> tasks_;
    std::optional<std::chrono::system_clock::time_point> generated_at_;
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
