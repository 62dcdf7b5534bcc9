#pragma once

#include <weft/graph/drawing.hpp>

#include <cstddef>
#include <string>

namespace weft {

/** Whether this build of weft can make SVG: whether it was built with Graphviz's library. */
[[nodiscard]] bool can_draw_svg() noexcept;

inline constexpr std::size_t svg_nodes_max = 3'000;

/** The graph as one self-contained SVG element, laid out by Graphviz: for a file, or to stand in an HTML page.
 *
 *  With `drawing_theme::automatic` it is dark where the reader's screen is. Nodes, edges and clusters have the classes
 *  of `to_dot`. It refers to nothing outside of itself and has no scripts.
 *
 *  @par Errors
 *    - `errc::drawing_failed`         weft was built without Graphviz, or its plugins are not installed.
 *    - `errc::limit_reached`          more than `svg_nodes_max` nodes: their layout would take minutes.
 *    - `errc::invalid_configuration`  for colours.
 *  @par Thread safety   From any OS thread; Graphviz lays out one drawing at a time. It blocks, for some seconds if
 *                       there are a thousand nodes. Meanwhile it sets the number format of the process
 *                       (`LC_NUMERIC`) to "C".
 */
[[nodiscard]] std::string to_svg(const graph& what, const drawing_options& options = {});

}  // namespace weft
