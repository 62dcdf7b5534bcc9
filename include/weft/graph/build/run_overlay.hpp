#pragma once

#include <weft/base/chrono.hpp>
#include <weft/graph/graph.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/** What a run did, laid over the drawing of its graph. Plain data; `run_overlay_recorder` makes it from events.
 *
 *  @par Thread safety   As a value.
 */
struct run_overlay {
    struct node_record {
        std::uint32_t visits = 0;
        std::uint32_t failures = 0;           ///< Attempts that failed; not those that were stopped.
        bool has_failed = false;              ///< Its last attempt did.
        std::uint32_t questions = 0;          ///< That it has asked and that have no answer yet.
        std::chrono::nanoseconds elapsed{0};  ///< Of all attempts that ended; those in parallel add up.
    };
    /** A way that no declared edge leads: by command, to a fallback, or from a node without edges to the end. */
    struct jump {
        node_index source;
        node_index target;
        std::uint32_t times;
    };
    struct inner_overlay;

    run_overlay() = default;
    explicit run_overlay(const graph& of);

    std::vector<node_record> nodes;     ///< By node, `start_node` first.
    std::vector<std::uint32_t> edges;   ///< By `graph_edge::declared`: how often it was taken.
    std::vector<jump> jumps;
    std::vector<inner_overlay> inner;   ///< Of nodes whose work is a graph, if they ran.
    std::string termination;            ///< Status of the run, as `name_of(run_status)`; empty while it runs.
    bool was_cut_short = false;         ///< A limit of steps ended it without failing it.
    std::uint32_t steps = 0;            ///< Node visits.

    [[nodiscard]] std::uint32_t times_taken(std::uint32_t declared) const noexcept;
    [[nodiscard]] std::uint32_t times_jumped(node_index source, node_index target) const noexcept;
    /** What happened within a node; null if nothing did. */
    [[nodiscard]] const run_overlay* within(node_index node) const noexcept;
};

struct run_overlay::inner_overlay {
    node_index node;
    run_overlay of;
};

}  // namespace weft
