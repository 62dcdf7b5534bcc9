#pragma once

#include <weft/engine/scheduler/frontier.hpp>

#include <cstddef>
#include <cstdint>

/** The numbers of the format of checkpoint bodies. They never change their meaning; what is added gets new ones.
 *
 *  A body is a sealed record (`seal_record`) of one frame. A frame says where a run of one graph stands, in sections. A
 *  section that has nothing to say is left out. Nodes and keys are their places in the shape of the graph
 *  (`graph_shape`), which is the first link of the checkpoint.
 */
namespace weft::checkpoint_detail {

inline constexpr std::uint8_t format_version = 1;
/** How deep graphs may be nested in nodes. */
inline constexpr std::size_t frames_max = 32;
/** Bytes of what stands in place, besides values: failures, the fixed part of a fan-out. */
inline constexpr std::size_t part_in_place_max = 96;

enum class frame_section : std::uint32_t {
    graph = 1,         ///< A link to the shape; of the outermost frame.
    counts = 2,        ///< Steps, retries, whether degraded; visits by node.
    state = 3,         ///< Values by key.
    failures = 4,      ///< Those that other sections refer to, by their number from 1; 0 is none.
    tokens = 5,
    regions = 6,       ///< As weft 0.x wrote them at first: each fan-out whole. Only read.
    path = 7,          ///< A list of nodes.
    deferred = 8,
    last_outputs = 9,
    late = 10,
    inner = 11,        ///< By branch: a section with the frame of the graph in its node.
    spent = 12,
    elapsed = 13,      ///< Nanoseconds.
    origin = 14,       ///< The id of a run; of the outermost frame.
    fan_outs = 15,     ///< Regions: what is sent to their branches, and how these have ended, are lists.
};

/** Nodes: 0 none, 1 the end, others from 2. */
inline constexpr std::uint64_t code_of_node(node_index node) noexcept
{
    return node == no_node ? 0 : node == end_node ? 1 : std::uint64_t{node} + 2;
}

// Of a branch.
inline constexpr std::uint64_t token_phase_mask = 7;
inline constexpr std::uint64_t token_is_stopping = 1u << 3;
inline constexpr std::uint64_t token_is_counted = 1u << 4;
inline constexpr std::uint64_t token_has_paused = 1u << 5;
inline constexpr std::uint64_t token_has_failed = 1u << 6;
inline constexpr std::uint64_t token_has_region = 1u << 7;
inline constexpr std::uint64_t token_has_fork = 1u << 8;
inline constexpr std::uint64_t token_has_input = 1u << 9;
inline constexpr std::uint64_t token_has_own = 1u << 10;
inline constexpr std::uint64_t token_has_previous = 1u << 11;
inline constexpr std::uint64_t token_has_branches = 1u << 12;
inline constexpr std::uint64_t token_is_leaving = 1u << 13;
inline constexpr std::uint64_t branch_flags_max = (1u << 14) - 1;

// Of a region.
inline constexpr std::uint8_t region_is_open = 1;
inline constexpr std::uint8_t region_is_decided = 2;

// Of a branch that has ended; its status stands above these bits.
inline constexpr std::uint8_t ended_has_error = 1;
inline constexpr std::uint8_t ended_has_changes = 2;
inline constexpr unsigned ended_status_shift = 2;

// Of what a branch did to a key, and of a write.
inline constexpr std::uint8_t entry_is_overwrite = 1;
inline constexpr std::uint8_t write_is_published = 2;

// Of a failure: what its exception was.
inline constexpr std::uint8_t cause_none = 0;
inline constexpr std::uint8_t cause_text = 1;
inline constexpr std::uint8_t cause_error = 2;  ///< A `weft::error`: code, where, detail.

}  // namespace weft::checkpoint_detail
