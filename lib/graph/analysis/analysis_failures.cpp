#include "analysis_rules.hpp"

#include <weft/graph/expression.hpp>

#include <algorithm>

namespace weft::graph_detail {

namespace {

/** Whether a condition looks at something that the node itself writes, so that it means the outcome of a success. */
bool looks_at_outcome(const graph_edge& edge, const node_options& node)
{
    const auto names = edge.expression->source().names();
    return std::any_of(names.begin(), names.end(), [&](const expression_name& name) {
        // Without `writes` every key may be the outcome, so nothing is reported.
        if (name.text == "output" || name.text == "result" || name.text == "memory" || !node.writes) return true;
        return std::find(node.writes->begin(), node.writes->end(), name.text) != node.writes->end();
    });
}

bool has_edge_for_failure(const graph& of, const graph_node& node)
{
    const auto otherwise = of.otherwise(node);
    return node.asks_after_failure || !of.on_failure(node).empty() ||
           std::any_of(otherwise.begin(), otherwise.end(),
                       [](const graph_edge& edge) { return edge.kind == edge_kind::always; });
}

}  // namespace

/** Conditional edges were once asked after a failure as well. One whose condition has nothing to do with what the
 *  node writes may have been meant for that. */
void find_unanswered_failures(const analysed& in, std::vector<finding>& found)
{
    for (node_index n = 1; n < in.what.size(); ++n) {
        const graph_node& node = in.what.node(n);
        if (has_edge_for_failure(in.what, node)) continue;
        for (const graph_edge& edge : in.what.conditional(node)) {
            if (!edge.expression || looks_at_outcome(edge, *node.options)) continue;
            found.push_back({"condition_after_success", severity::note,
                             "edge[" + std::to_string(edge.declared) + "] from '" + in.name(n) + "' to '" +
                                 in.name(edge.target) + "' is not asked when '" + in.name(n) +
                                 "' fails, though its condition does not look at what the node writes",
                             "if it is meant for failures too, give it \"after\": \"any\", or "
                             "add an on_failure edge",
                             {in.name(n), in.name(edge.target)}});
            break;
        }
    }
}

}  // namespace weft::graph_detail
