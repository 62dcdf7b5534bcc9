#include "analysis_rules.hpp"
#include "graph/build/branch_walk.hpp"

#include <weft/graph/node/node_writes.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace weft::graph_detail {

namespace {

constexpr std::size_t repeated_max = 100;  // findings of nodes that may run twice, of each graph

/** Walks all fan-outs of a graph. */
template <class Look>
void for_each_branch_set(const analysed& in, walked_edges along, Look look, std::vector<finding>& found)
{
    branch_walk walk{in.what, along};
    for (node_index s = 0; s < in.what.size() && !walk.is_cut(); ++s)
        for (const branch_set& set : branch_sets_of(in.what, in.what.node(s))) {
            walk.walk(set);
            look(set, std::as_const(walk));
        }
    // Several rules walk the same fan-outs; that not all were walked is worth one note.
    const bool is_reported = std::any_of(found.begin(), found.end(), [&](const finding& f) {
        return f.rule == "branches_not_checked" && f.witness.empty();
    });
    if (walk.is_cut() && !is_reported)
        found.push_back({"branches_not_checked", severity::note,
                         "the graph '" + std::string{in.what.name()} +
                             "' has too many fan-outs with long branches: not all of them were looked at",
                         "divide it into graphs inside of nodes", {}});
}

/** By node: the slots that it may write. */
std::vector<std::vector<std::uint32_t>> all_written_slots(const graph& g)
{
    std::vector<std::vector<std::uint32_t>> slots(g.size());
    for (node_index n = 1; n < g.size(); ++n) slots[n] = written_slots(g, n);
    return slots;
}

bool may_conflict(const graph& g, const graph_node& source, std::uint32_t slot)
{
    const state_layout::slot& key = (*g.layout())[slot];
    // Reducers join what both wrote, and `branch_order` has one answer whatever the timing.
    if (key.type->has_reducer) return false;
    return key.conflict.value_or(source.fan_out.conflict.value_or(g.conflict())) != conflict_strategy::branch_order;
}

/** For each key the first writers in two branches. */
class branch_writers {
public:
    struct writer {
        std::uint32_t branch = branch_walk::no_branch;
        node_index node = no_node;
    };
    using pair = std::pair<writer, writer>;

    explicit branch_writers(std::size_t keys) : of_(keys) {}

    void clear()
    {
        // Cleared by what was touched: a walk must not cost as much as the graph has keys.
        for (const std::uint32_t slot : touched_) of_[slot] = {};
        touched_.clear();
    }
    void add(std::uint32_t slot, const branch_walk::arrival& by, node_index n)
    {
        pair& known = of_[slot];
        if (by.branch == branch_walk::no_branch || known.first.branch == by.branch) return;
        if (known.first.branch == branch_walk::no_branch) {
            known.first = {by.branch, n};
            touched_.push_back(slot);
        } else if (known.second.branch == branch_walk::no_branch) {
            known.second = {by.branch, n};
        }
    }
    /** Calls `f` with each key that two branches write, and the writers in the order of the branches. */
    template <class F>
    void for_each_pair(F f)
    {
        std::sort(touched_.begin(), touched_.end());
        for (const std::uint32_t slot : touched_) {
            auto [first, second] = of_[slot];
            if (second.branch == branch_walk::no_branch) continue;
            if (second.branch < first.branch) std::swap(first, second);
            f(slot, first.node, second.node);
        }
    }

private:
    std::vector<pair> of_;
    std::vector<std::uint32_t> touched_;
};

bool leads_to(const graph& g, node_index from, node_index to)
{
    std::vector<char> seen(g.size());
    std::vector<node_index> open;
    const auto visit = [&](node_index n) {
        if (n == end_node || n == no_node || std::exchange(seen[n], 1)) return;
        open.push_back(n);
    };
    for (visit(from); !open.empty();) {
        const graph_node& node = g.node(open.back());
        open.pop_back();
        for (const graph_edge& edge : g.all_edges(node)) visit(edge.target);
        visit(node.fallback);
        for (const std::string& name : node.options->goes_to) visit(g.find(name));
    }
    return from == to || (to != end_node && seen[to]);
}

std::string joined(const analysed& in, const std::vector<node_index>& way)
{
    std::string text;
    for (const node_index n : way) text.append(text.empty() ? "" : " -> ").append(in.name(n));
    return text;
}

/** How a fan-out is mended that has no join where its branches come together. */
std::string remedy_for(const analysed& in, const branch_set& set, node_index shared)
{
    const std::string source{in.what.name_of(set.source)};
    const std::string name{in.what.name_of(shared)};
    const auto edges = in.what.ways_on(in.what.node(set.source));
    // A join is the remedy only if every branch gets there: a fan-in that one never reaches is refused by `build`.
    const bool all_lead = std::all_of(edges.begin(), edges.end(), [&](const graph_edge& edge) {
        return edge.target == end_node || leads_to(in.what, edge.target, shared);
    });
    if (all_lead)
        return "let the branches meet there: .fan_in(\"" + source + "\", \"" + name + "\"), or in a file a fan-out "
               "{\"from\": \"" + source + "\", \"join\": \"" + name + "\"}; a branch that ends elsewhere is settled "
               "too";
    return "not all branches of '" + source + "' come to '" + name + "': give those that do a fan-out of their own, "
           "whose fan_in it is, or if once is enough, give it visits_max 1";
}

finding repeated(const analysed& in, const branch_set& set, const branch_walk& walk, node_index shared)
{
    auto [one, other] = std::pair{walk.at(shared).first.branch, walk.at(shared).second.branch};
    if (other < one) std::swap(one, other);
    std::vector<node_index> way = walk.way_to(shared, one);
    finding f{"runs_twice", severity::warning,
              "'" + in.name(shared) + "' may run once for each of several branches of '" + in.name(set.source) +
                  "', which do not meet there: " + joined(in, way) + ", and " +
                  joined(in, walk.way_to(shared, other)),
              remedy_for(in, set, shared), {}};
    for (const node_index n : way) f.witness.push_back(in.name(n));
    return f;
}

}  // namespace

void find_client_facing_branches(const analysed& in, std::vector<finding>& found)
{
    const graph& g = in.what;
    // Most graphs have no such node: they are not walked.
    bool any = false;
    for (node_index n = 1; n < g.size(); ++n) any |= g.node(n).options->faces_client;
    if (!any) return;
    const auto look = [&](const branch_set& set, const branch_walk& walk) {
        std::vector<std::string> facing;
        std::set<std::uint32_t> branches;
        for (const node_index n : walk.reached()) {
            if (!g.node(n).options->faces_client) continue;
            const bool is_new = branches.insert(walk.at(n).first.branch).second;
            const std::uint32_t second = walk.at(n).second.branch;
            if (is_new || (second != branch_walk::no_branch && branches.insert(second).second))
                facing.push_back(in.name(n));
        }
        if (branches.size() > 1)
            found.push_back({"several_client_facing", severity::error,
                             "several branches of '" + in.name(set.source) + "' speak with a person at once",
                             "let one node speak, or put them one after another", facing});
        const branch_policy policy = g.node(set.source).fan_out.on_failure;
        if (!facing.empty() && policy.which() == branch_policy::kind::first_success)
            found.push_back({"client_in_race", severity::warning,
                             "a branch of '" + in.name(set.source) +
                                 "' speaks with a person and may be stopped by a faster one",
                             "ask before the race, or let another policy rule the branches", facing});
    };
    for_each_branch_set(in, walked_edges::all, look, found);
}

void find_write_conflicts(const analysed& in, std::vector<finding>& found)
{
    const graph& g = in.what;
    const std::vector<std::vector<std::uint32_t>> writes = all_written_slots(g);
    if (std::all_of(writes.begin(), writes.end(), [](const auto& slots) { return slots.empty(); })) return;
    branch_writers writers{g.layout()->size()};
    std::set<std::pair<node_index, std::uint32_t>> reported;
    const auto look = [&](const branch_set& set, const branch_walk& walk) {
        writers.clear();
        for (const node_index n : walk.reached())
            for (const std::uint32_t slot : writes[n]) {
                writers.add(slot, walk.at(n).first, n);
                writers.add(slot, walk.at(n).second, n);
            }
        writers.for_each_pair([&](std::uint32_t slot, node_index one, node_index other) {
            // Once for a fan-out and a key, however many pairs of nodes there are.
            if (!may_conflict(g, g.node(set.source), slot) || !reported.emplace(set.source, slot).second) return;
            found.push_back({"possible_write_conflict", severity::warning,
                             "the branches of '" + in.name(set.source) + "' may both write key '" +
                                 (*g.layout())[slot].name + "' (nodes '" + in.name(one) + "' and '" + in.name(other) +
                                 "')",
                             "give the key a reducer, or choose the conflict strategy branch_order for it",
                             {in.name(set.source), in.name(one), in.name(other)}});
        });
    };
    for_each_branch_set(in, walked_edges::all, look, found);
}

void find_repeated_nodes(const analysed& in, std::vector<finding>& found)
{
    std::set<node_index> reported_nodes;
    const auto look = [&](const branch_set& set, const branch_walk& walk) {
        // Items that are sent to one node run it once for each: that is what they are for.
        if (set.is_sent) return;
        for (const node_index n : walk.reached())
            if (walk.at(n).begins_shared && in.what.node(n).visits_max != 1 && reported_nodes.size() < repeated_max &&
                reported_nodes.insert(n).second)
                found.push_back(repeated(in, set, walk, n));
    };
    for_each_branch_set(in, walked_edges::after_success, look, found);
}

}  // namespace weft::graph_detail
