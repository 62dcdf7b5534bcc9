#include <weft/graph/node/graph_structure.hpp>

#include <algorithm>
#include <limits>

namespace weft {

namespace {

static_assert(no_node == name_index::none);

constexpr std::size_t few_targets = 16;  // up to here looking at each costs less than memory for what is known

}  // namespace

node_index graph_structure::data::find(std::string_view name) const noexcept
{
    if (name == weft::end) return end_node;
    const auto is_it = [&](node_index n) { return nodes[n].name == name; };
    return by_name.find(hash_of_name(name), is_it);
}

std::vector<const graph_edge*> graph_structure::asked_after_failure(const graph_node& n) const
{
    std::vector<const graph_edge*> asked;
    for (const auto edges : {conditional(n), rescue(n), unused(n)})
        for (const graph_edge& edge : edges)
            if (edge.after != edge_after::success) asked.push_back(&edge);
    std::sort(asked.begin(), asked.end(), [](const graph_edge* a, const graph_edge* b) {
        return a->priority != b->priority ? a->priority > b->priority : a->declared < b->declared;
    });
    return asked;
}

node_index graph_structure::meeting_point(std::span<const node_index> targets) const
{
    const auto deeper = [this](node_index n) { return n == end_node ? 0 : data_->bound_depth[n]; };
    const auto next = [this](node_index n) { return data_->bound_next[n]; };
    // A node that a walk has passed is bound to reach the meeting point: no other walk needs to go on from there.
    std::vector<bool> passed(targets.size() > few_targets ? data_->nodes.size() : 0);
    const auto pass = [&](node_index n) {
        if (!passed.empty() && n != end_node) passed[n] = true;
        return next(n);
    };
    node_index meeting = targets.front();
    for (node_index target : targets.subspan(1)) {
        node_index other = target;
        while (meeting != other) {
            if (!passed.empty() && other != end_node && passed[other]) break;
            if (deeper(meeting) >= deeper(other))
                meeting = pass(meeting);
            else
                other = pass(other);
        }
        if (meeting == end_node) break;
    }
    return meeting == end_node ? no_node : meeting;
}

node_index graph_structure::meeting_point_behind(std::span<const node_index> targets) const
{
    std::vector<node_index> behind;
    for (const node_index target : targets) {
        const node_index next = data_->bound_next[target];
        if (next == end_node) return no_node;
        if (std::find(behind.begin(), behind.end(), next) == behind.end()) behind.push_back(next);
    }
    return behind.empty() ? no_node : meeting_point(behind);
}

std::vector<std::vector<node_index>> graph_structure::branch_groups(std::span<const node_index> targets,
                                                                    node_index join) const
{
    const node_index last = join == no_node ? end_node : join;
    const auto goes_on = [&](node_index n) {
        return n != last && data_->bound_next[n] != last && data_->bound_next[n] != end_node;
    };
    std::vector<std::vector<node_index>> groups;
    if (targets.size() <= few_targets) {
        std::vector<std::pair<node_index, std::size_t>> group_of;  // by the last node before the join
        for (node_index target : targets) {
            node_index before = target;
            while (goes_on(before)) before = data_->bound_next[before];
            const auto found =
                std::find_if(group_of.begin(), group_of.end(), [&](auto& g) { return g.first == before; });
            if (found != group_of.end()) {
                groups[found->second].push_back(target);
                continue;
            }
            group_of.emplace_back(before, groups.size());
            groups.push_back({target});
        }
        return groups;
    }
    // Many: what a walk has passed knows its group, so that no way is walked twice.
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> group_of(data_->nodes.size() + 1, none);  // and of the end
    const auto place = [&](node_index n) { return n == end_node ? data_->nodes.size() : n; };
    for (node_index target : targets) {
        node_index before = target;
        while (group_of[place(before)] == none && goes_on(before)) before = data_->bound_next[before];
        std::size_t group = group_of[place(before)];
        if (group == none) {
            group = groups.size();
            groups.emplace_back();
        }
        groups[group].push_back(target);
        for (node_index n = target; n != before; n = data_->bound_next[n]) group_of[place(n)] = group;
        group_of[place(before)] = group;
    }
    return groups;
}

}  // namespace weft
