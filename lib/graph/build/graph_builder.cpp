#include "edges_by_source.hpp"
#include "graph_assembler.hpp"
#include "graph_description.hpp"
#include "node_names.hpp"

#include <weft/base/memory/hidden_ptr_operations.hpp>

#include <array>
#include <utility>

// A chain on a temporary builder is an lvalue, so passing it on copies (decision 0017).
template struct weft::hidden_operations<weft::graph_builder::description>;

namespace weft {

namespace {

std::string list_of(const std::vector<std::string>& mistakes)
{
    std::string text = std::to_string(mistakes.size()) + (mistakes.size() == 1 ? " mistake" : " mistakes");
    for (const std::string& mistake : mistakes) text += "\n  - " + mistake;
    return text;
}

using description = graph_builder::description;

/** What the options give to the rule of an edge. */
description::edge_rule rule_of(edge_options& options)
{
    return {std::move(options.label), std::move(options.map), {}, {}, {}, nullptr};
}

bool is_empty(const description::edge_rule& rule)
{
    return rule.label.empty() && rule.map.empty() && !rule.holds && !rule.condition && rule.condition_mistake.empty() &&
           !rule.route;
}

void append_edge(description& to, std::array<std::string_view, 2> ends, edge_kind kind, const edge_options& options,
                 description::edge_rule rule)
{
    // Nothing is looked up here: a name may belong to a node that is added later.
    to.edges.push_back({to.names.add(ends[0]), to.names.add(ends[1]), kind, options.after, options.streams,
                        options.priority, nullptr});
    if (!is_empty(rule))
        to.edges.back().with_rule = std::make_shared<const description::edge_rule>(std::move(rule));
}

}  // namespace

const description::edge_rule& description::edge::no_rule() noexcept
{
    static const edge_rule none{};
    return none;
}

graph_error::graph_error(std::string graph, std::vector<std::string> mistakes)
    : error{errc::invalid_graph, "graph '" + graph + "'", list_of(mistakes)}, mistakes_{std::move(mistakes)}
{
}

graph_builder::graph_builder(std::string name) : description_{new description}
{
    description_->name = std::move(name);
}

void graph_builder::add_key(const any_state_key& key) { description_->keys.push_back(key); }

graph_builder& graph_builder::initial(const any_state_key& key, value_ptr value)
{
    description_->initials.emplace_back(key, std::move(value));
    return *this;
}

graph_builder& graph_builder::add_node(std::string_view name, std::shared_ptr<const node_body> body,
                                       std::shared_ptr<const node_options> options)
{
    description_->nodes.push_back({description_->names.add(name), std::move(body), std::move(options)});
    return *this;
}

graph_builder& graph_builder::add_edge(std::string_view from, std::string_view to, edge_kind kind, edge_options options)
{
    append_edge(*description_, {from, to}, kind, options, rule_of(options));
    return *this;
}

graph_builder& graph_builder::edge(std::string_view from, std::string_view to, edge_options options)
{
    return add_edge(from, to, edge_kind::plain, std::move(options));
}
graph_builder& graph_builder::edge_stream(std::string_view from, std::string_view to, edge_options options)
{
    options.streams = true;
    return add_edge(from, to, edge_kind::plain, std::move(options));
}
graph_builder& graph_builder::chain(std::initializer_list<std::string_view> nodes)
{
    // A list of one node has no edge.
    for (const std::string_view* from = nodes.begin(); nodes.end() - from > 1; ++from) edge(from[0], from[1]);
    return *this;
}
graph_builder& graph_builder::edge_on_success(std::string_view from, std::string_view to, edge_options options)
{
    return add_edge(from, to, edge_kind::on_success, std::move(options));
}
graph_builder& graph_builder::edge_on_failure(std::string_view from, std::string_view to, edge_options options)
{
    return add_edge(from, to, edge_kind::on_failure, std::move(options));
}
graph_builder& graph_builder::edge_on_budget(std::string_view from, std::string_view to, edge_options options)
{
    return add_edge(from, to, edge_kind::on_budget, std::move(options));
}
graph_builder& graph_builder::edge_always(std::string_view from, std::string_view to, edge_options options)
{
    return add_edge(from, to, edge_kind::always, std::move(options));
}
graph_builder& graph_builder::edge_when(std::string_view from, std::string_view to, edge_predicate holds,
                                        edge_options options)
{
    description::edge_rule rule = rule_of(options);
    rule.holds = std::move(holds);
    append_edge(*description_, {from, to}, edge_kind::when, options, std::move(rule));
    return *this;
}
graph_builder& graph_builder::edge_when(std::string_view from, std::string_view to, std::string_view text,
                                        edge_options options)
{
    description::edge_rule rule = rule_of(options);
    try {
        rule.condition = expression::compile(text);
    } catch (const error& e) {
        rule.condition_mistake = graph_detail::condition_text(text) + e.what();
    }
    append_edge(*description_, {from, to}, edge_kind::when, options, std::move(rule));
    return *this;
}
graph_builder& graph_builder::edge_when(std::string_view from, std::string_view to, const expression& condition,
                                        edge_options options)
{
    description::edge_rule rule = rule_of(options);
    rule.condition = condition;
    append_edge(*description_, {from, to}, edge_kind::when, options, std::move(rule));
    return *this;
}
graph_builder& graph_builder::edge_route(std::string_view from, edge_router route, std::vector<labelled_target> targets,
                                         edge_options options)
{
    const auto shared = std::make_shared<const edge_router>(std::move(route));
    for (labelled_target& target : targets) {
        description::edge_rule rule{std::move(target.label), options.map, {}, {}, {}, shared};
        append_edge(*description_, {from, target.target}, edge_kind::routed, options, std::move(rule));
    }
    return *this;
}
graph_builder& graph_builder::edge_label(std::string_view from, std::vector<labelled_target> targets,
                                         edge_options options)
{
    for (labelled_target& target : targets) {
        options.label = std::move(target.label);
        add_edge(from, target.target, edge_kind::labelled, options);
    }
    return *this;
}
graph_builder& graph_builder::edge_llm(std::string_view from, std::vector<std::string> targets, llm_options options)
{
    for (const std::string& target : targets) add_edge(from, target, edge_kind::llm, {});
    description_->decisions.push_back({std::string{from}, std::move(options)});
    return *this;
}
graph_builder& graph_builder::node(std::string_view name, subgraph inner, node_options options)
{
    return add_node(name, make_node_body(std::move(inner)), share_options(std::move(options)));
}
graph_builder& graph_builder::goal(weft::goal what)
{
    description_->goal = std::move(what);
    return *this;
}
graph_builder& graph_builder::describe(std::string text)
{
    description_->purpose = std::move(text);
    return *this;
}
graph_builder& graph_builder::in_a_row_max(std::uint32_t visits, step_limit_action action)
{
    description_->row_limit = {visits, action};
    return *this;
}
graph_builder& graph_builder::conversation(const graph_conversation& how)
{
    description_->conversation = how;
    description_->keys.push_back(how.key);
    return *this;
}
graph_builder& graph_builder::memory(graph_memory what)
{
    description_->memory = std::move(what);
    return *this;
}
graph_builder& graph_builder::routing(weft::routing how)
{
    description_->routing = how;
    return *this;
}
graph_builder& graph_builder::fan_out(std::string_view source, fan_out_options options)
{
    description_->fan_outs.push_back({std::string{source}, options});
    return *this;
}
graph_builder& graph_builder::fan_in(std::string_view source, std::string_view join)
{
    description_->fan_ins.push_back({std::string{source}, std::string{join}});
    return *this;
}
graph_builder& graph_builder::conflict(conflict_strategy strategy)
{
    description_->conflict = strategy;
    return *this;
}
graph_builder& graph_builder::conflict(const any_state_key& key, conflict_strategy strategy)
{
    description_->key_conflicts.push_back({std::string{key.name}, strategy});
    return *this;
}

std::variant<graph, std::vector<std::string>> graph_builder::try_build() const
{
    const graph_detail::node_names names{*description_};
    const graph_detail::edges_by_source edges{*description_};
    std::vector<std::string> mistakes;
    graph_detail::check_description(*description_, names, edges, mistakes);
    if (!mistakes.empty()) return mistakes;
    graph_detail::graph_assembler assembler{*description_, names, edges};
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
