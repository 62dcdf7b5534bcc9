#pragma once

#include <weft/graph/graph.hpp>

#include <cstdint>
#include <vector>

namespace weft::drawing_detail {

inline constexpr std::uint32_t no_box = 0xffff'ffff;

/** A fan-out as a box around the nodes of its branches, without the join. */
struct fan_out_box {
    node_index source;
    node_index join;         ///< `no_node` if the branches run to the end.
    bool is_part = false;    ///< Of branches of an outer fan-out that meet early.
    std::uint32_t parent = no_box;
};

/** All fan-outs of a graph as boxes that never cross. */
struct fan_out_boxes {
    std::vector<fan_out_box> boxes;      ///< Outer ones first.
    std::vector<std::uint32_t> box_of;   ///< Per node the innermost, or `no_box`.
    std::vector<bool> is_join;           ///< Per node.
};

/** @par Cost  Nodes times fan-outs, bounded: of a graph with very many large fan-outs the last ones get no box. */
[[nodiscard]] fan_out_boxes find_fan_outs(const graph& g);

}  // namespace weft::drawing_detail
