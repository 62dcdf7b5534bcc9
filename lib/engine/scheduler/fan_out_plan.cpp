#include "fan_out_plan.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace weft {

namespace {

/** Whether a fan-out goes exactly where the unconditional edges of its node lead, whose join is known. */
bool are_unconditional(const graph& of, const graph_node& node, std::span<const node_index> targets)
{
    auto target = targets.begin();
    for (const auto edges : {of.on_success(node), of.otherwise(node)})
        for (const graph_edge& edge : edges)
            if (target == targets.end() || *target++ != edge.target) return false;
    return target == targets.end();
}

}  // namespace

void plan_branches(const graph& of, region& r, pooled_vector<node_index>&& targets, bool is_group)
{
    const graph_node& node = of.node(r.source);
    // The join of the unconditional edges was found when the graph was built.
    const bool is_usual = !is_group && are_unconditional(of, node, targets);
    r.join = is_usual ? node.join : of.meeting_point(targets);
    if (node.named_join != no_node && !is_group) r.join = node.named_join;
    if (!is_usual || node.branches_meet_early)
        r.groups = of.branch_groups({targets.data(), targets.size()}, r.join);
    // A group for each target is no grouping.
    if (r.groups.size() == targets.size()) r.groups.clear();
    r.branches = static_cast<std::uint32_t>(r.groups.empty() ? targets.size() : r.groups.size());
    r.targets = std::move(targets);
}

item_plan plan_items(const graph& of, const graph_node& node, const sent_items& items)
{
    item_plan plan;
    std::vector<node_index>& targets = plan.targets;
    for (const sent_item& item : items)
        if (targets.empty() || targets.back() != item.target) targets.push_back(item.target);
    if (items.empty())
        for (const std::string& name : node.options->goes_to) targets.push_back(of.find(name));
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    plan.join = node.named_join != no_node ? node.named_join : of.meeting_point_behind(targets);
    return plan;
}

write_set moved_into(const graph& of, const region& r, node_index target)
{
    write_set moved;
    for (const graph_edge& edge : of.ways_on(of.node(r.source)))
        if (edge.target == target)
            for (const auto& [to, from] : edge.map)
                if (const value_ptr& value = r.view->read(from)) moved.push_back({to, true, false, value});
    return moved;
}

}  // namespace weft
