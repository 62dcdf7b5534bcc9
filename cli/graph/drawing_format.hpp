#pragma once

#include <weft/graph/drawing.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace weft_cli {

enum class drawing_format : std::uint8_t { mermaid, dot, dag, svg };

[[nodiscard]] std::optional<drawing_format> drawing_format_named(std::string_view name) noexcept;

/** By the extension of a file: .mmd and .mermaid, .dot and .gv, .json, .svg, in small or capital letters. */
[[nodiscard]] std::optional<drawing_format> drawing_format_of(const std::filesystem::path& file);

/** The graph as text, ending with a line feed.
 *
 *  @par Errors   As `weft::to_svg`; without Graphviz `weft::errc::drawing_failed`, which says what to do instead. */
[[nodiscard]] std::string drawing_of(const weft::graph& what, drawing_format format,
                                     const weft::drawing_options& options);

}  // namespace weft_cli
