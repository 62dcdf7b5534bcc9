#include "fan_out_boxes.hpp"

#include <weft/base/memory/sort_stably.hpp>
#include <algorithm>
#include <utility>

namespace weft::drawing_detail {

namespace {

constexpr std::size_t work_max = 4'000'000;  // edges looked at in all

using node_list = std::vector<node_index>;

bool is_default(const fan_out_options& options)
{
    return options.on_failure == branch_policy::fail_all && options.concurrency_max == 0 &&
           options.branch_timeout.count() == 0 && !options.conflict;
}

class box_finder {
public:
    explicit box_finder(const graph& g) : g_{g}, stamp_(g.size())
    {
        result_.box_of.assign(g.size(), no_box);
        result_.is_join.assign(g.size(), false);
    }

    fan_out_boxes run() &&
    {
        for (node_index n = 0; n < g_.size(); ++n) find_at(n);
        // The largest first: a box is placed inside of the one that its nodes are in by then.
        sort_stably(found_, [](const candidate& a, const candidate& b) {
            return a.members.size() > b.members.size();
        });
        for (const candidate& c : found_) place(c);
        return std::move(result_);
    }

private:
    struct candidate {
        fan_out_box box;
        node_list members;  // those the branches begin with come first
    };

    void add_target(node_list& targets, node_index target) const
    {
        if (target == end_node || target == no_node || g_.node(target).options->is_deferred) return;
        if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
    }

    /** Where branches of a fan-out may begin. */
    [[nodiscard]] node_list branches_of(const graph_node& node) const
    {
        node_list targets;
        const auto sure = g_.on_success(node);
        for (const graph_edge& edge : sure) add_target(targets, edge.target);
        for (const graph_edge& edge : g_.otherwise(node)) add_target(targets, edge.target);
        if (sure.empty()) return targets;
        for (const auto edges : {g_.conditional(node), g_.by_llm(node)})
            for (const graph_edge& edge : edges) add_target(targets, edge.target);
        add_target(targets, node.fallback);
        return targets;
    }

    void find_at(node_index n)
    {
        const graph_node& node = g_.node(n);
        if (const node_list targets = branches_of(node); targets.size() > 1) {
            const bool is_usual = node.join != no_node && g_.on_success(node).empty();
            node_index join = is_usual ? node.join : g_.meeting_point(targets);
            if (node.named_join != no_node) join = node.named_join;
            return add_box({n, join}, targets);
        }
        if (node.options->goes_to.empty() || (node.named_join == no_node && is_default(node.fan_out))) return;
        node_list sent_to;
        for (const std::string& name : node.options->goes_to) add_target(sent_to, g_.find(name));
        if (sent_to.empty()) return;
        add_box({n, node.named_join != no_node ? node.named_join : g_.meeting_point_behind(sent_to)}, sent_to);
    }

    void add_box(fan_out_box box, const node_list& targets)
    {
        if (box.join != no_node) result_.is_join[box.join] = true;
        found_.push_back({box, members_of(box, targets)});
        for (const node_list& group : g_.branch_groups(targets, box.join)) {
            if (group.size() < 2 || group.size() == targets.size()) continue;
            add_box({box.source, g_.meeting_point(group), true}, group);
        }
    }

    /** All that the branches may visit before they meet. */
    [[nodiscard]] node_list members_of(const fan_out_box& box, const node_list& targets)
    {
        ++round_;
        node_list members;
        const auto visit = [&](node_index target) {
            ++work_;
            if (target == end_node || target == no_node || target == box.join || target == box.source) return;
            if (stamp_[target] == round_ || g_.node(target).options->is_deferred) return;
            stamp_[target] = round_;
            members.push_back(target);
        };
        for (const node_index target : targets) visit(target);
        for (std::size_t i = 0; i < members.size() && work_ < work_max; ++i) {
            const graph_node& node = g_.node(members[i]);
            for (const graph_edge& edge : g_.all_edges(node)) visit(edge.target);
            for (const std::string& name : node.options->goes_to) visit(g_.find(name));
            visit(node.fallback);
        }
        // A drawing without this box is better than one that takes minutes.
        if (work_ >= work_max) members.clear();
        return members;
    }

    /** The box that most of the nodes are in; all are, unless fan-outs cross. */
    [[nodiscard]] std::pair<std::uint32_t, std::size_t> box_around(const node_list& members) const
    {
        std::vector<std::pair<std::uint32_t, std::size_t>> counts;
        for (const node_index n : members) {
            const std::uint32_t box = result_.box_of[n];
            const auto found = std::find_if(counts.begin(), counts.end(), [&](auto& c) { return c.first == box; });
            if (found == counts.end())
                counts.emplace_back(box, 1);
            else
                ++found->second;
        }
        return *std::max_element(counts.begin(), counts.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; });
    }

    void place(const candidate& c)
    {
        if (c.members.empty()) return;
        const auto [around, here] = box_around(c.members);
        // Boxes that cross cannot be drawn: one that would keep a single node says nothing.
        if (here == 1 && c.members.size() > 1) return;
        const auto number = static_cast<std::uint32_t>(result_.boxes.size());
        result_.boxes.push_back(c.box);
        result_.boxes.back().parent = around;
        for (const node_index n : c.members)
            if (result_.box_of[n] == around) result_.box_of[n] = number;
    }

    const graph& g_;
    std::vector<std::uint32_t> stamp_;
    std::uint32_t round_ = 0;
    std::size_t work_ = 0;
    std::vector<candidate> found_;
    fan_out_boxes result_;
};

}  // namespace

fan_out_boxes find_fan_outs(const graph& g) { return box_finder{g}.run(); }

}  // namespace weft::drawing_detail
