#pragma once

#include <string>

namespace weft::drawing_detail {

[[nodiscard]] bool has_graphviz() noexcept;

/** What Graphviz makes of DOT: an SVG document.
 *  @par Errors  `errc::drawing_failed`, `errc::limit_reached`. */
[[nodiscard]] std::string graphviz_svg(const std::string& dot);

}  // namespace weft::drawing_detail
