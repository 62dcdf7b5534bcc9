#include "bound_nodes.hpp"
#include "graph_description.hpp"

#include <algorithm>

namespace weft {

namespace {

std::string list_of(const std::vector<std::string>& mistakes)
{
    std::string text = std::to_string(mistakes.size()) + (mistakes.size() == 1 ? " mistake" : " mistakes");
    for (const std::string& mistake : mistakes) text += "\n  - " + mistake;
    return text;
}

}  // namespace

graph_error::graph_error(std::string graph, std::vector<std::string> mistakes)
    : error{errc::invalid_graph, "graph '" + graph + "'", list_of(mistakes)}, mistakes_{std::move(mistakes)}
{
}

graph_builder::graph_builder(std::string name) : description_{std::make_unique<description>()}
{
    description_->name = std::move(name);
}
graph_builder::graph_builder(graph_builder&&) noexcept = default;
graph_builder& graph_builder::operator=(graph_builder&&) noexcept = default;
graph_builder::~graph_builder() = default;

void graph_builder::add_key(const any_state_key& key) { description_->keys.push_back(key); }

graph_builder& graph_builder::add_node(std::string name, std::shared_ptr<const node_body> body, node_options options)
{
    description_->nodes.push_back({std::move(name), std::move(body), std::move(options)});
    return *this;
}

graph_builder& graph_builder::add_edge(std::string_view from, std::string_view to, edge_kind kind, edge_options options)
{
    description_->edges.push_back({std::string{from}, std::string{to}, kind, std::move(options), {}});
    return *this;
}

graph_builder& graph_builder::edge(std::string_view from, std::string_view to, edge_options options) &
{
    return add_edge(from, to, edge_kind::plain, std::move(options));
}
graph_builder& graph_builder::edge_on_success(std::string_view from, std::string_view to, edge_options options) &
{
    return add_edge(from, to, edge_kind::on_success, std::move(options));
}
graph_builder& graph_builder::edge_on_failure(std::string_view from, std::string_view to, edge_options options) &
{
    return add_edge(from, to, edge_kind::on_failure, std::move(options));
}
graph_builder& graph_builder::edge_always(std::string_view from, std::string_view to, edge_options options) &
{
    return add_edge(from, to, edge_kind::always, std::move(options));
}
graph_builder& graph_builder::edge_when(std::string_view from, std::string_view to, edge_predicate holds,
                                        edge_options options) &
{
    add_edge(from, to, edge_kind::when, std::move(options));
    description_->edges.back().holds = std::move(holds);
    return *this;
}
graph_builder& graph_builder::fan_out(std::string_view source, fan_out_options options) &
{
    description_->fan_outs.push_back({std::string{source}, options});
    return *this;
}
graph_builder& graph_builder::fan_in(std::string_view source, std::string_view join) &
{
    description_->fan_ins.push_back({std::string{source}, std::string{join}});
    return *this;
}
graph_builder& graph_builder::conflict(conflict_strategy strategy) &
{
    description_->conflict = strategy;
    return *this;
}
graph_builder& graph_builder::conflict(const any_state_key& key, conflict_strategy strategy) &
{
    description_->key_conflicts.push_back({std::string{key.name}, strategy});
    return *this;
}

namespace {

using graph_detail::node_names;
using description = graph_builder::description;

/** Puts a graph together from a description that has passed `check_description`. */
class graph_assembler {
public:
    graph_assembler(const description& from, const node_names& names) : from_{from}, names_{names} {}

    std::shared_ptr<graph::data> assemble()
    {
        data_ = std::make_shared<graph::data>();
        data_->name = from_.name;
        data_->conflict = from_.conflict;
        add_keys();
        add_nodes();
        add_edges();
        graph_detail::find_bound_nodes(*data_);
        return data_;
    }

    /** Fills in what is known only when everything stands. */
    void finish(const graph& g)
    {
        std::vector<node_index> targets;
        for (graph_node& node : data_->nodes) {
            targets.clear();
            for (const auto edges : {g.on_success(node), g.otherwise(node)})
                for (const graph_edge& edge : edges)
                    if (edge.target != end_node &&
                        std::find(targets.begin(), targets.end(), edge.target) == targets.end())
                        targets.push_back(edge.target);
            if (targets.size() > 1) {
                node.join = g.meeting_point(targets);
                const node_index join = node.named_join != no_node ? node.named_join : node.join;
                node.branches_meet_early = g.branch_groups(targets, join).size() < targets.size();
            }
            const bool is_single =
                g.on_success(node).empty() && g.conditional(node).empty() && g.otherwise(node).size() == 1;
            const bool is_last = g.all_edges(node).size() == g.on_failure(node).size();
            if (is_single) node.only_next = g.otherwise(node).front().target;
            if (is_last) node.only_next = end_node;
        }
        graph_detail::warn_of_conflicts(g, *data_);
    }

private:
    void add_keys()
    {
        auto layout = std::make_shared<state_layout>();
        for (const any_state_key& key : from_.keys) layout->add(key);
        for (const auto& [key, strategy] : from_.key_conflicts) (*layout)[layout->find(key)].conflict = strategy;
        data_->layout = std::move(layout);
    }

    void add_nodes()
    {
        data_->nodes.resize(from_.nodes.size() + 1);
        data_->nodes[start_node].name = std::string{weft::start};
        for (std::size_t i = 0; i < from_.nodes.size(); ++i) {
            graph_node& node = data_->nodes[i + 1];
            node.name = from_.nodes[i].name;
            node.body = from_.nodes[i].body;
            node.options = from_.nodes[i].options;
        }
        for (const auto& fan_out : from_.fan_outs) data_->nodes[names_.at(fan_out.source)].fan_out = fan_out.options;
        for (const auto& fan_in : from_.fan_ins)
            data_->nodes[names_.at(fan_in.source)].named_join = names_.at(fan_in.join);
        for (node_index n = 0; n < data_->nodes.size(); ++n)
            data_->by_name.emplace_back(hash_of_name(data_->nodes[n].name), n);
        std::sort(data_->by_name.begin(), data_->by_name.end());
    }

    /** Where an edge kind stands among a node's edges; `otherwise` holds plain and always edges together. */
    static int range_of(edge_kind kind)
    {
        switch (kind) {
        case edge_kind::on_success: return 0;
        case edge_kind::when: return 1;
        case edge_kind::plain:
        case edge_kind::always: return 2;
        case edge_kind::on_failure: return 3;
        }
        return 2;
    }

    void add_edges()
    {
        struct place {
            node_index source;
            int range;
            int priority;
            std::uint32_t declared;
        };
        std::vector<place> order;
        order.reserve(from_.edges.size());
        for (std::uint32_t i = 0; i < from_.edges.size(); ++i) {
            const auto& edge = from_.edges[i];
            order.push_back({names_.at(edge.from), range_of(edge.kind), edge.options.priority, i});
        }
        std::sort(order.begin(), order.end(), [](const place& a, const place& b) {
            return std::tuple{a.source, a.range, -std::int64_t{a.priority}, a.declared} <
                   std::tuple{b.source, b.range, -std::int64_t{b.priority}, b.declared};
        });
        data_->edges.reserve(order.size());
        auto next = order.begin();
        for (node_index n = 0; n < data_->nodes.size(); ++n) {
            for (int range = 0; range < 6; ++range) {
                data_->nodes[n].first_edge[range] = static_cast<std::uint32_t>(data_->edges.size());
                for (; next != order.end() && next->source == n && next->range == range; ++next) {
                    const auto& edge = from_.edges[next->declared];
                    data_->edges.push_back({names_.at(edge.to), edge.kind, edge.options.priority, next->declared,
                                            edge.holds, edge.options.label});
                }
            }
        }
    }

    const description& from_;
    const node_names& names_;
    std::shared_ptr<graph::data> data_;
};

}  // namespace

std::variant<graph, std::vector<std::string>> graph_builder::try_build() const
{
    node_names names{{weft::start, start_node}, {weft::end, end_node}};
    for (std::size_t i = 0; i < description_->nodes.size(); ++i)
        names.emplace(description_->nodes[i].name, static_cast<node_index>(i + 1));
    std::vector<std::string> mistakes;
    graph_detail::check_description(*description_, names, mistakes);
    if (!mistakes.empty()) return mistakes;
    graph_assembler assembler{*description_, names};
    const std::shared_ptr<graph::data> data = assembler.assemble();
    graph result{data};
    assembler.finish(result);
    graph_detail::check_structure(*description_, *data, mistakes);
    if (!mistakes.empty()) return mistakes;
    return result;
}

graph graph_builder::build() const
{
    auto result = try_build();
    if (auto* mistakes = std::get_if<std::vector<std::string>>(&result))
        throw graph_error{description_->name, std::move(*mistakes)};
    return std::get<graph>(std::move(result));
}

}  // namespace weft
