#include <weft/engine/scheduler/scheduler.hpp>

#include <algorithm>
#include <utility>

namespace weft {

/** Whether a fan-out goes exactly where the unconditional edges of its node lead, whose join is known. */
bool scheduler::are_unconditional(const graph_node& node, std::span<const node_index> targets) const
{
    auto target = targets.begin();
    for (const auto edges : {graph_.on_success(node), graph_.otherwise(node)})
        for (const graph_edge& edge : edges)
            if (target == targets.end() || *target++ != edge.target) return false;
    return target == targets.end();
}

region_index scheduler::new_region(token_index parent)
{
    region_index at = static_cast<region_index>(frontier_.regions.size());
    if (free_region_ == no_index) {
        frontier_.regions.emplace_back();
    } else {
        at = free_region_;
        free_region_ = frontier_.regions[at].parent;
    }
    token& t = frontier_.tokens[parent];
    region& r = frontier_.regions[at];
    r.is_open = true;
    r.source = t.node;
    r.parent = parent;
    r.view = &frontier_.view_of(t);
    return at;
}

/** The branches of a region may start from now on. */
void scheduler::open(region_index at, token_index parent)
{
    const region& r = frontier_.regions[at];
    notify(action::notice_kind::branches_started, parent, r.source, r.size());
    frontier_.tokens[parent].phase = token_phase::forked;
    frontier_.tokens[parent].fork = at;
    starting_.push_back(at);
    std::uint32_t at_once = r.size();
    for (const std::uint32_t most : {options_of(r).concurrency_max, limits_.in_flight_max})
        if (most != 0) at_once = std::min(at_once, most);
    frontier_.tokens.reserve(frontier_.tokens.size() + at_once);
}

/** @param is_group  Whether `targets` are one branch of the same fan-out that meet before its join. */
void scheduler::fork(token_index index, pooled_vector<node_index>&& targets, bool is_group)
{
    const region_index at = new_region(index);
    region& r = frontier_.regions[at];
    const graph_node& node = graph_.node(r.source);
    const bool is_usual = !is_group && are_unconditional(node, targets);
    r.join = is_usual ? node.join : graph_.meeting_point(targets);
    if (node.named_join != no_node && !is_group) r.join = node.named_join;
    if (!is_usual || node.branches_meet_early)
        r.groups = graph_.branch_groups({targets.data(), targets.size()}, r.join);
    if (r.groups.size() == targets.size()) r.groups.clear();
    r.branches = static_cast<std::uint32_t>(r.groups.empty() ? targets.size() : r.groups.size());
    r.targets = std::move(targets);
    open(at, index);
}

/** A branch for each item. Where they meet does not depend on how many there are. */
void scheduler::fork_sent(token_index index, sent_items&& items)
{
    const graph_node& node = graph_.node(frontier_.tokens[index].node);
    std::vector<node_index> targets;
    for (const sent_item& item : items)
        if (targets.empty() || targets.back() != item.target) targets.push_back(item.target);
    if (items.empty())
        for (const std::string& name : node.options.goes_to) targets.push_back(graph_.find(name));
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    const node_index join = node.named_join != no_node ? node.named_join : graph_.meeting_point_behind(targets);
    if (items.empty()) return take_edge(index, join == no_node ? end_node : join);
    const region_index at = new_region(index);
    region& r = frontier_.regions[at];
    r.join = join;
    r.branches = static_cast<std::uint32_t>(items.size());
    r.sent = make_counted<shared_items>(std::move(items));
    for (node_index target : targets) notify_edge(index, target, no_edge);
    open(at, index);
}

std::chrono::nanoseconds scheduler::timeout_of(const region& r, std::uint32_t branch) const
{
    if (r.sent && r.sent->items[branch].timeout.count() > 0) return r.sent->items[branch].timeout;
    return options_of(r).branch_timeout;
}

/** Gives a branch what moves along its edge; only it sees that. */
void scheduler::give_input(token_index index, const region& r, node_index target)
{
    write_set moved;
    for (const graph_edge& edge : graph_.ways_on(graph_.node(r.source)))
        if (edge.target == target)
            for (const auto& [to, from] : edge.map)
                if (const value_ptr& value = r.view->read(from)) moved.push_back({to, true, false, value});
    if (moved.empty()) return;
    token& t = frontier_.tokens[index];
    t.input = std::make_unique<branch_state>(r.view);
    t.input->commit(std::move(moved));
}

/** Starts a branch of the oldest fan-out that has one to start and may. @return False if there is none. */
bool scheduler::start_some_branch()
{
    for (auto it = starting_.begin(); it != starting_.end();) {
        const region& r = frontier_.regions[*it];
        if (!r.is_open || r.is_decided || r.started == r.size()) {
            it = starting_.erase(it);
            continue;
        }
        if (may_start_branch(r)) {
            start_branch(*it);
            return true;
        }
        ++it;
    }
    return false;
}

void scheduler::start_branch(region_index at)
{
    const token_index index = new_token();
    region& r = frontier_.regions[at];
    token& t = frontier_.tokens[index];
    t.region = at;
    t.branch = r.started++;
    t.node = r.source;
    t.is_leaving = frontier_.tokens[r.parent].is_leaving;
    r.skip_cancelled();
    ++r.running;
    if (const auto limit = timeout_of(r, t.branch); limit.count() > 0) push(action::kind::arm_branch, index, limit);
    if (r.sent) {
        sent_item& item = r.sent->items[t.branch];
        if (!item.input.empty()) {
            t.input = std::make_unique<branch_state>(r.view);
            // What copies of the frontier share stays as it is.
            t.input->commit(r.sent->use_count() == 1 ? std::move(item.input) : write_set{item.input});
        }
        return arrive(index, item.target);
    }
    if (!r.groups.empty() && r.groups[t.branch].size() > 1) {
        const auto& group = r.groups[t.branch];
        return fork(index, pooled_vector<node_index>(group.begin(), group.end()), true);
    }
    const node_index target = r.groups.empty() ? r.targets[t.branch] : r.groups[t.branch].front();
    if (graph_.node(r.source).maps_values) give_input(index, r, target);
    arrive(index, target);
}

}  // namespace weft
