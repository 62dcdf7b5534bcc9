#pragma once

#include <weft/engine/scheduler/frontier.hpp>

#include <vector>

namespace weft {

// Which branches a fan-out has and where they meet, from the graph alone.

/** Gives a region whose source is set its branches: one for each of `targets`, or one for several that meet early.
 *  @param is_group  Whether `targets` are one branch of the same fan-out that meet before its join. */
void plan_branches(const graph& of, region& r, pooled_vector<node_index>&& targets, bool is_group);

/** Where the items of a dynamic fan-out go, and where their branches meet. */
struct item_plan {
    std::vector<node_index> targets;  ///< Each once, by number.
    node_index join = no_node;        ///< `no_node`: nowhere.
};
/** Where the branches meet does not depend on how many items there are: of none, `goes_to` of the node says it. */
[[nodiscard]] item_plan plan_items(const graph& of, const graph_node& node, const sent_items& items);

/** What moves along the edge into the first node of a branch; only that branch sees it. */
[[nodiscard]] write_set moved_into(const graph& of, const region& r, node_index target);

}  // namespace weft
