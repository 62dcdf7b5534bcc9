#include <weft/graph/graph.hpp>

#include <weft/graph/expression.hpp>

#include <algorithm>
#include <limits>

namespace weft {

namespace {

constexpr std::size_t few_targets = 16;  // up to here looking at each costs less than memory for what is known

}  // namespace

std::string_view graph::name() const noexcept { return data_->name; }

std::string graph::purpose() const
{
    std::string text = data_->description;
    const std::string wanted = goal() ? to_text(*goal()) : std::string{};
    if (!text.empty() && !wanted.empty()) text += "\n";
    text += wanted;
    while (text.ends_with('\n')) text.pop_back();
    return text;
}
std::size_t graph::node_count() const noexcept { return data_->nodes.size() - 1; }
std::span<const graph::warning> graph::warnings() const noexcept { return data_->warnings; }

std::vector<std::string_view> graph::node_names() const
{
    std::vector<std::string_view> result;
    for (std::size_t n = 1; n < data_->nodes.size(); ++n) result.emplace_back(data_->nodes[n].name);
    return result;
}

node_index graph::data::find(std::string_view name) const noexcept
{
    if (name == weft::end) return end_node;
    const std::uint64_t hash = hash_of_name(name);
    auto found = std::lower_bound(by_name.begin(), by_name.end(), hash,
                                  [](const auto& entry, std::uint64_t wanted) { return entry.first < wanted; });
    for (; found != by_name.end() && found->first == hash; ++found)
        if (nodes[found->second].name == name) return found->second;
    return no_node;
}

std::string_view graph::join_of(std::string_view source) const
{
    const node_index n = find(source);
    if (n == no_node || n == end_node) return {};
    const graph_node& node = data_->nodes[n];
    return name_of(node.named_join != no_node ? node.named_join : node.join);
}

std::vector<const graph_edge*> graph::asked_after_failure(const graph_node& n) const
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

node_index graph::meeting_point(std::span<const node_index> targets) const
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

node_index graph::meeting_point_behind(std::span<const node_index> targets) const
{
    std::vector<node_index> behind;
    for (const node_index target : targets) {
        const node_index next = data_->bound_next[target];
        if (next == end_node) return no_node;
        if (std::find(behind.begin(), behind.end(), next) == behind.end()) behind.push_back(next);
    }
    return behind.empty() ? no_node : meeting_point(behind);
}

std::vector<std::vector<node_index>> graph::branch_groups(std::span<const node_index> targets, node_index join) const
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

namespace {

void explain_edges(std::string& text, const graph& g, const graph_node& node)
{
    for (const graph_edge& edge : g.all_edges(node)) {
        text.append("    ").append(name_of(edge.kind)).append(" -> ").append(g.name_of(edge.target));
        if (!edge.label.empty()) text.append(" [").append(edge.label).append("]");
        if (edge.expression && edge.expression->source().text() != edge.label)
            text.append(" if ").append(edge.expression->source().text());
        if (edge.after != edge_after::success)
            text.append(edge.after == edge_after::failure ? " after failure" : " after success and failure");
        if (edge.priority != 0) text.append(" priority ").append(std::to_string(edge.priority));
        text.push_back('\n');
    }
}

}  // namespace

std::string graph::explain() const
{
    std::string text = "graph " + data_->name + "\n";
    for (const graph_node& node : data_->nodes) {
        text.append("  ").append(node.name);
        if (node.options.visits_max > 0)
            text.append(", visits at most ").append(std::to_string(node.options.visits_max));
        if (node.options.retry.attempts_max > 1)
            text.append(", attempts at most ").append(std::to_string(node.options.retry.attempts_max));
        if (const auto join = join_of(node.name); !join.empty())
            text.append(", branches meet at ").append(join).append(" (").append(
                weft::name_of(node.fan_out.on_failure.which())).append(")");
        text.push_back('\n');
        explain_edges(text, *this, node);
    }
    for (const warning& w : data_->warnings)
        text.append("  warning ").append(w.rule).append(": ").append(w.message).append("\n");
    return text;
}

}  // namespace weft
