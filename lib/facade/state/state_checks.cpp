#include "state_checks.hpp"

#include <algorithm>
#include <set>

namespace weft::engine_detail {

namespace {

[[noreturn]] void refuse(std::string id, const std::string& why)
{
    throw state_graph_error{std::move(id), errc::invalid_graph, why};
}

const state_graph::node* find(const state_graph& of, std::string_view name)
{
    const auto& all = of.nodes();
    const auto found = std::find_if(all.begin(), all.end(), [name](const auto& node) { return node.name == name; });
    return found == all.end() ? nullptr : &*found;
}

void require_node(const state_graph& of, const std::string& name, const std::string& who)
{
    if (find(of, name)) return;
    std::string known;
    for (const auto& node : of.nodes()) known.append(known.empty() ? "" : ", ").append("'" + node.name + "'");
    refuse("GRAPH_004", who + " '" + name + "', which is no node. Known: " + (known.empty() ? "none" : known));
}

/** A decision without a map may lead to every node. */
void check_orphans(const state_graph& of)
{
    const auto leads_anywhere = [](const state_graph::decision& decision) { return decision.map.empty(); };
    if (std::any_of(of.decisions().begin(), of.decisions().end(), leads_anywhere)) return;
    std::set<std::string_view> connected{of.entry()};
    for (const auto& edge : of.edges()) connected.insert({edge.from, edge.to});
    for (const auto& decision : of.decisions()) {
        connected.insert(decision.from);
        for (const labelled_target& way : decision.map) connected.insert(way.target);
    }
    for (const auto& node : of.nodes())
        if (!node.options.tool_node.empty()) connected.insert(node.options.tool_node);
    std::string orphans;
    for (const auto& node : of.nodes())
        if (!connected.contains(node.name)) orphans.append(orphans.empty() ? "'" : ", '").append(node.name + "'");
    if (!orphans.empty()) refuse("GRAPH_003", "Orphaned nodes: " + orphans + ". Connect them with an edge");
}

void check_ways(const state_graph& of)
{
    const auto check_target = [&of](const std::string& to, const std::string& who) {
        if (to != weft::end) require_node(of, to, who + " leads to");
    };
    for (const auto& edge : of.edges()) {
        require_node(of, edge.from, "An edge starts at");
        check_target(edge.to, "An edge from '" + edge.from + "'");
    }
    for (const auto& decision : of.decisions()) {
        require_node(of, decision.from, "A conditional edge starts at");
        for (const labelled_target& way : decision.map)
            check_target(way.target, "The label '" + way.label + "' of '" + decision.from + "'");
    }
}

void check_tool_nodes(const state_graph& of)
{
    for (const auto& node : of.nodes()) {
        const std::string& tools = node.options.tool_node;
        if (tools.empty()) continue;
        const state_graph::node* const found = find(of, tools);
        const std::string who = "Node '" + node.name + "' refers to the tool node '" + tools + "', which is ";
        if (!found) refuse("GRAPH_005", who + "no node");
        if (!found->options.is_tool_node) refuse("GRAPH_006", who + "not declared as one");
    }
}

}  // namespace

void check(const state_graph& of, const state_compile_options& options)
{
    if (of.entry().empty())
        refuse("GRAPH_002", "No entry point set. Use set_entry_point() or an edge from __start__");
    check_orphans(of);
    if (of.entry() != weft::end) require_node(of, of.entry(), "The entry point is");
    check_ways(of);
    for (const std::string& name : options.interrupt_before) require_node(of, name, "interrupt_before names");
    for (const std::string& name : options.interrupt_after) require_node(of, name, "interrupt_after names");
    check_tool_nodes(of);
}

}  // namespace weft::engine_detail
