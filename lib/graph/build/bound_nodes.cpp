#include "bound_nodes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace weft::graph_detail {

namespace {

/** Edges as two arrays: the targets of node n stand at [first[n], first[n + 1]). */
struct adjacency {
    std::vector<std::uint32_t> first;
    std::vector<node_index> targets;

    adjacency(std::size_t nodes, const std::vector<std::pair<node_index, node_index>>& edges) : first(nodes + 1)
    {
        for (const auto& [from, to] : edges) ++first[from + 1];
        for (std::size_t n = 0; n < nodes; ++n) first[n + 1] += first[n];
        targets.resize(edges.size());
        std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
        for (const auto& [from, to] : edges) targets[next[from]++] = to;
    }
    [[nodiscard]] std::span<const node_index> of(node_index n) const
    {
        return {targets.data() + first[n], first[n + 1] - first[n]};
    }
};

/** Nodes in postorder of a depth-first walk from `root`, without recursion. */
std::vector<node_index> postorder(const adjacency& edges, node_index root)
{
    std::vector<node_index> order;
    std::vector<char> seen(edges.first.size() - 1);
    std::vector<std::pair<node_index, std::uint32_t>> stack{{root, 0}};
    seen[root] = 1;
    while (!stack.empty()) {
        auto& [node, next] = stack.back();
        const auto targets = edges.of(node);
        if (next == targets.size()) {
            order.push_back(node);
            stack.pop_back();
            continue;
        }
        const node_index target = targets[next++];
        if (seen[target]) continue;
        seen[target] = 1;
        stack.emplace_back(target, 0);
    }
    return order;
}

class bound_node_finder {
public:
    explicit bound_node_finder(graph::data& data) : data_{data}, exit_{static_cast<node_index>(data.nodes.size())} {}

    void run()
    {
        collect_edges();
        choose_exits();
        find_immediate();
        write_result();
    }

private:
    void collect_edges()
    {
        has_end_edge_.resize(exit_);
        std::vector<char> goes_on(exit_);
        for (node_index n = 0; n < exit_; ++n) {
            const graph_node& node = data_.nodes[n];
            const auto add = [&](node_index target) {
                // A branch that comes to a deferred node is at its end.
                if (target == end_node || data_.nodes[target].is_deferred) {
                    has_end_edge_[n] = 1;
                } else {
                    edges_.emplace_back(n, target);
                    goes_on[n] = 1;
                }
            };
            for (const graph_edge& edge : data_.ways_on(node)) add(edge.target);
            for (const std::string& name : node.options->goes_to) add(data_.find(name));
            if (node.fallback != no_node) add(node.fallback);
        }
        for (node_index n = 0; n < exit_; ++n)
            if (!goes_on[n]) edges_.emplace_back(n, exit_);
    }

    void mark_reaching_exit(node_index from, const adjacency& reversed, std::vector<char>& reaches)
    {
        std::vector<node_index> open{from};
        reaches[from] = 1;
        while (!open.empty()) {
            const node_index n = open.back();
            open.pop_back();
            for (node_index source : reversed.of(n))
                if (!reaches[source]) {
                    reaches[source] = 1;
                    open.push_back(source);
                }
        }
    }

    // A node that is bound to be reached is a post-dominator. Those are defined by the way to an exit, and a loop
    // without one would have none.
    /** Links loops that have no way out to the exit, through an edge to `end` if they have one. */
    void choose_exits()
    {
        std::vector<std::pair<node_index, node_index>> backwards;
        for (const auto& [from, to] : edges_) backwards.emplace_back(to, from);
        const adjacency reversed{exit_ + std::size_t{1}, backwards};
        std::vector<char> reaches(exit_ + std::size_t{1});
        mark_reaching_exit(exit_, reversed, reaches);
        if (std::find(reaches.begin(), reaches.end(), 0) == reaches.end()) return;
        // Postorder lists the nodes furthest from the start first.
        const adjacency forward{exit_ + std::size_t{1}, edges_};
        std::vector<node_index> order = postorder(forward, start_node);
        for (node_index n = 0; n < exit_; ++n) {
            if (!data_.nodes[n].is_deferred) continue;
            const std::vector<node_index> behind = postorder(forward, n);
            order.insert(order.end(), behind.begin(), behind.end());
        }
        for (const bool needs_end_edge : {true, false})
            for (node_index n : order)
                if (!reaches[n] && (has_end_edge_[n] || !needs_end_edge)) {
                    edges_.emplace_back(n, exit_);
                    mark_reaching_exit(n, reversed, reaches);
                }
    }

    void find_immediate()
    {
        std::vector<std::pair<node_index, node_index>> backwards;
        for (const auto& [from, to] : edges_) backwards.emplace_back(to, from);
        const adjacency reversed{exit_ + std::size_t{1}, backwards};
        const adjacency forward{exit_ + std::size_t{1}, edges_};
        order_ = postorder(reversed, exit_);
        rank_.assign(exit_ + std::size_t{1}, 0);
        for (std::uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
        next_.assign(exit_ + std::size_t{1}, no_node);
        passed_.assign(exit_ + std::size_t{1}, 0);
        next_[exit_] = exit_;
        // Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph: in this order one
        // pass finds nearly all, and the last one finds that nothing changes any more.
        for (bool changed = true; changed;) {
            changed = false;
            for (auto n = order_.rbegin(); n != order_.rend(); ++n)
                if (*n != exit_) changed |= improve(*n, forward);
        }
    }

    bool improve(node_index n, const adjacency& forward)
    {
        ++round_;
        node_index meeting = no_node;
        for (node_index target : forward.of(n)) {
            if (next_[target] == no_node) continue;
            meeting = meeting == no_node ? target : intersect(meeting, target);
        }
        return std::exchange(next_[n], meeting) != meeting;
    }

    /** @param meeting   Where the ways from the targets so far meet. */
    [[nodiscard]] node_index intersect(node_index meeting, node_index target)
    {
        while (meeting != target) {
            while (rank_[meeting] < rank_[target]) meeting = pass(meeting);
            // What a way from an earlier target has passed leads to where they meet: a node whose targets are a chain
            // would go along the whole of it for each of them.
            for (; rank_[target] < rank_[meeting]; target = pass(target))
                if (passed_[target] == round_) return meeting;
        }
        return meeting;
    }

    node_index pass(node_index n)
    {
        passed_[n] = round_;
        return next_[n];
    }

    // The depth counts the bound nodes from here to the end: two walks meet where their depths are equal.
    void write_result()
    {
        data_.bound_next.assign(exit_, end_node);
        data_.bound_depth.assign(exit_, 1);
        for (auto n = order_.rbegin(); n != order_.rend(); ++n) {
            if (*n == exit_ || next_[*n] == exit_ || next_[*n] == no_node) continue;
            data_.bound_next[*n] = next_[*n];
            data_.bound_depth[*n] = data_.bound_depth[next_[*n]] + 1;
        }
    }

    graph::data& data_;
    node_index exit_;
    std::vector<char> has_end_edge_;
    std::vector<std::pair<node_index, node_index>> edges_;
    std::vector<node_index> order_;
    std::vector<std::uint32_t> rank_;
    std::vector<node_index> next_;
    std::vector<std::uint32_t> passed_;  // in which round a way last passed a node
    std::uint32_t round_ = 0;            // of `improve`
};

}  // namespace

void find_bound_nodes(graph::data& data) { bound_node_finder{data}.run(); }

}  // namespace weft::graph_detail
