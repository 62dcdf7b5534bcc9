#include <weft/graph/graph.hpp>

#include <weft/graph/expression.hpp>

namespace weft {

std::string_view graph::name() const noexcept { return all().name; }

std::string graph::purpose() const
{
    std::string text = all().description;
    const std::string wanted = goal() ? to_text(*goal()) : std::string{};
    if (!text.empty() && !wanted.empty()) text += "\n";
    text += wanted;
    while (text.ends_with('\n')) text.pop_back();
    return text;
}
std::size_t graph::node_count() const noexcept { return all().nodes.size() - 1; }
std::span<const graph::warning> graph::warnings() const noexcept { return all().warnings; }

std::vector<std::string_view> graph::node_names() const
{
    std::vector<std::string_view> result;
    for (std::size_t n = 1; n < all().nodes.size(); ++n) result.emplace_back(all().nodes[n].name);
    return result;
}

std::string_view graph::join_of(std::string_view source) const
{
    const node_index n = find(source);
    if (n == no_node || n == end_node) return {};
    const graph_node& node = all().nodes[n];
    return name_of(node.named_join != no_node ? node.named_join : node.join);
}

namespace {

void explain_edges(std::string& text, const graph& g, const graph_node& node)
{
    for (const graph_edge& edge : g.all_edges(node)) {
        text.append("    ").append(name_of(edge.kind)).append(" -> ").append(g.name_of(edge.target));
        if (edge.streams != edge_stream::none)
            text.append(edge.streams == edge_stream::pieces ? ", streams" : ", streams, read whole");
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
    std::string text = "graph " + all().name + "\n";
    for (const graph_node& node : all().nodes) {
        text.append("  ").append(node.name);
        if (node.options->visits_max > 0)
            text.append(", visits at most ").append(std::to_string(node.options->visits_max));
        if (node.options->retry.attempts_max > 1)
            text.append(", attempts at most ").append(std::to_string(node.options->retry.attempts_max));
        if (const auto join = join_of(node.name); !join.empty())
            text.append(", branches meet at ").append(join).append(" (").append(
                weft::name_of(node.fan_out.on_failure.which())).append(")");
        text.push_back('\n');
        explain_edges(text, *this, node);
    }
    for (const warning& w : all().warnings)
        text.append("  warning ").append(w.rule).append(": ").append(w.message).append("\n");
    return text;
}

}  // namespace weft
