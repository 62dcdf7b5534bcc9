#pragma once

#include <weft/graph/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::graph_detail {

/** Branches that run beside each other: those of a fan-out, or of a part of one whose branches meet early. */
struct branch_set {
    node_index source;
    node_index join;                                 ///< `no_node` if they run to the end.
    std::vector<std::vector<node_index>> branches;   ///< The nodes that each begins with.
    bool is_sent = false;                            ///< Two branches for each target stand for any number of items.
};

/** The branches of all fan-outs of a node, outer ones first; a node that items are sent to begins two branches. */
[[nodiscard]] std::vector<branch_set> branch_sets_of(const graph& of, const graph_node& source);

/** Which edges a walk goes along. */
enum class walked_edges : std::uint8_t { after_success, all };

/** Goes along all branches of a fan-out at once, up to their join, and keeps for each node two branches that may come
 *  there: whether there are several is all that is asked.
 *
 *  @par Cost  Twice the edges between fan-out and join, for all nodes of a graph at most `work_max` edges.
 */
class branch_walk {
public:
    static constexpr std::uint32_t no_branch = 0xffff'ffff;
    /** A branch that may come to a node, and from where. */
    struct arrival {
        std::uint32_t branch = no_branch;
        node_index from = no_node;  ///< `no_node` where the branch begins.
    };
    struct arrivals {
        arrival first;
        arrival second;
        bool begins_shared = false;  ///< The second branch came from a node that was its own.
    };

    branch_walk(const graph& of, walked_edges along);

    void walk(const branch_set& branches);
    /** What the last walk came to, in its order; not the join. */
    [[nodiscard]] std::span<const node_index> reached() const noexcept { return reached_; }
    /** Of a node that was reached. */
    [[nodiscard]] const arrivals& at(node_index n) const noexcept { return arrivals_[n]; }
    /** The nodes from the fan-out to `n`, both too, along a branch that comes there. */
    [[nodiscard]] std::vector<node_index> way_to(node_index n, std::uint32_t branch) const;
    /** Whether some branches were not walked to their end, as there was too much to look at. */
    [[nodiscard]] bool is_cut() const noexcept { return work_ >= work_max; }

private:
    static constexpr std::size_t work_max = 20'000'000;

    void arrive(node_index n, arrival by);
    void go_on(node_index n, std::uint32_t branch);

    const graph& of_;
    walked_edges along_;
    node_index source_ = no_node;
    node_index join_ = no_node;
    std::vector<arrivals> arrivals_;
    std::vector<node_index> reached_;
    std::vector<std::pair<node_index, std::uint32_t>> open_;
    std::size_t work_ = 0;
};

}  // namespace weft::graph_detail
