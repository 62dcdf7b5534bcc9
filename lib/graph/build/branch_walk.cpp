#include "branch_walk.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace weft::graph_detail {

namespace {

using node_list = std::vector<node_index>;

class target_list {
public:
    explicit target_list(const graph& of) : of_{of} {}

    void add(node_index target)
    {
        if (target == end_node || target == no_node || of_.node(target).is_deferred) return;
        if (seen_.insert(target).second) targets.push_back(target);
    }
    void add(std::span<const graph_edge> edges)
    {
        for (const graph_edge& edge : edges) add(edge.target);
    }

    node_list targets;

private:
    const graph& of_;
    std::unordered_set<node_index> seen_;
};

/** Adds branches that begin with `targets`, and before them none: those that meet early run as one, and inside of it
 *  beside each other. */
void add_sets(const graph& of, node_index source, node_index join, const node_list& targets, bool is_part,
              std::vector<branch_set>& into)
{
    node_list starts = targets;
    starts.erase(std::remove(starts.begin(), starts.end(), join), starts.end());
    if (starts.size() < 2) return;
    std::vector<node_list> groups = of.branch_groups(starts, join);
    const bool is_one = groups.size() == 1;
    if (is_part && is_one) {
        groups.clear();
        for (const node_index start : starts) groups.push_back({start});
    }
    if (groups.size() > 1) into.push_back({source, join, groups, false});
    for (const node_list& group : groups)
        if (group.size() > 1) add_sets(of, source, of.meeting_point(group), group, true, into);
}

void add_sent(const graph& of, const graph_node& from, node_index source, std::vector<branch_set>& into)
{
    if (!from.body || !from.body->may_command()) return;
    target_list sent{of};
    for (const std::string& name : from.options->goes_to) sent.add(of.find(name));
    if (sent.targets.empty()) return;
    branch_set set{source, from.named_join, {}, true};
    if (set.join == no_node) set.join = from.join != no_node ? from.join : of.meeting_point_behind(sent.targets);
    // Any number of items may be sent to each: two stand for all.
    for (const node_index target : sent.targets)
        if (target != set.join) set.branches.insert(set.branches.end(), 2, node_list{target});
    if (!set.branches.empty()) into.push_back(std::move(set));
}

}  // namespace

std::vector<branch_set> branch_sets_of(const graph& of, const graph_node& source)
{
    std::vector<branch_set> sets;
    const auto index = of.find(source.name);
    target_list sure{of};
    sure.add(of.on_success(source));
    target_list usual{sure};
    usual.add(of.otherwise(source));
    const auto join_of = [&](const node_list& targets, node_index usual_join) {
        if (source.named_join != no_node) return source.named_join;
        return usual_join != no_node || targets.empty() ? usual_join : of.meeting_point(targets);
    };
    add_sets(of, index, join_of(usual.targets, source.join), usual.targets, false, sets);
    // What is decided runs beside the edges that are taken after every success.
    if (!sure.targets.empty()) {
        target_list decided{of};
        decided.add(of.conditional(source));
        decided.add(of.by_llm(source));
        if (source.fallback != no_node) decided.add(source.fallback);
        for (const node_index target : decided.targets) {
            target_list both{sure};
            both.add(target);
            if (both.targets.size() == sure.targets.size()) continue;
            add_sets(of, index, join_of(both.targets, no_node), both.targets, false, sets);
        }
    }
    if (sets.empty()) add_sent(of, source, index, sets);
    return sets;
}

branch_walk::branch_walk(const graph& of, walked_edges along) : of_{of}, along_{along}, arrivals_(of.size()) {}

void branch_walk::walk(const branch_set& branches)
{
    for (const node_index n : reached_) arrivals_[n] = {};
    reached_.clear();
    open_.clear();
    source_ = branches.source;
    join_ = branches.join;
    for (std::uint32_t b = 0; b < branches.branches.size(); ++b)
        for (const node_index start : branches.branches[b]) arrive(start, {b, no_node});
    while (!open_.empty() && !is_cut()) {
        const auto [n, branch] = open_.back();
        open_.pop_back();
        go_on(n, branch);
    }
}

void branch_walk::arrive(node_index n, arrival by)
{
    ++work_;
    // A branch that goes back to the fan-out begins it anew, which is a loop of its own.
    if (n == end_node || n == no_node || n == join_ || n == source_ || of_.node(n).is_deferred) return;
    arrivals& here = arrivals_[n];
    // Two branches at a node are enough to know that it is shared; a third changes nothing.
    if (here.first.branch == by.branch || here.second.branch != no_branch) return;
    if (here.first.branch == no_branch) {
        here.first = by;
        reached_.push_back(n);
    } else {
        here.second = by;
        here.begins_shared = by.from == no_node || arrivals_[by.from].second.branch == no_branch;
    }
    open_.emplace_back(n, by.branch);
}

void branch_walk::go_on(node_index n, std::uint32_t branch)
{
    const graph_node& node = of_.node(n);
    const auto edges = along_ == walked_edges::all ? of_.all_edges(node) : of_.ways_on(node);
    for (const graph_edge& edge : edges) arrive(edge.target, {branch, n});
    arrive(node.fallback, {branch, n});
    for (const std::string& name : node.options->goes_to) arrive(of_.find(name), {branch, n});
}

std::vector<node_index> branch_walk::way_to(node_index n, std::uint32_t branch) const
{
    node_list way;
    for (node_index at = n; at != no_node;) {
        way.push_back(at);
        const arrivals& here = arrivals_[at];
        at = (here.first.branch == branch ? here.first : here.second).from;
    }
    way.push_back(source_);
    std::reverse(way.begin(), way.end());
    return way;
}

}  // namespace weft::graph_detail
