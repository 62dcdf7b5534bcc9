#pragma once

#include <weft/graph/drawing.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::drawing_detail {

inline constexpr std::uint32_t no_cluster = 0xffff'ffff;

/** What the run that is laid over a drawing did with a part of it. */
enum class mark : std::uint8_t { none, idle, ran, mended, failed };

enum class shape : std::uint8_t { start, end, plain, join, folded, deferred };

enum class way : std::uint8_t { unconditional, conditional, failure, llm, command };

struct drawn_node {
    shape look = shape::plain;
    mark did = mark::none;
    std::uint32_t cluster = no_cluster;
    std::string label;         ///< Lines, separated by '\n'.
    std::string description;
};

struct drawn_cluster {
    bool is_region = false;    ///< A fan-out, else a graph within a node.
    mark did = mark::none;
    std::uint32_t parent = no_cluster;
    std::string label;
};

struct drawn_edge {
    std::uint32_t from;
    std::uint32_t to;
    way kind = way::unconditional;
    mark did = mark::none;     ///< `none`, `idle` or `ran`.
    std::string label;
};

/** What is drawn, whatever the format. A cluster stands behind its parent. */
struct drawing_plan {
    std::string title;
    std::vector<drawn_node> nodes;
    std::vector<drawn_cluster> clusters;
    std::vector<drawn_edge> edges;
};

[[nodiscard]] drawing_plan make_plan(const graph& what, const drawing_options& options);

/** What a kind of edge is called in a legend. */
[[nodiscard]] std::string_view legend_of(way kind) noexcept;

/** A text made fit for any format: valid UTF-8, no control characters but line feeds, of a bearable length. */
[[nodiscard]] std::string fit_to_draw(std::string_view text);

/** Members of each cluster, in order: what is written between its braces. */
struct cluster_contents {
    std::vector<std::vector<std::uint32_t>> nodes;     ///< By cluster; the last list is of the drawing itself.
    std::vector<std::vector<std::uint32_t>> clusters;  ///< The same.
};
[[nodiscard]] cluster_contents contents_of(const drawing_plan& plan);

/** @par Errors  `errc::invalid_configuration` if one is not `#rrggbb`. */
void check_colours(const drawing_colours& colours, std::string_view whose);

}  // namespace weft::drawing_detail
