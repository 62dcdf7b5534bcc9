#include "analysis_rules.hpp"
#include "condition_terms.hpp"

#include <weft/graph/expression.hpp>
#include <weft/graph/graph_spec.hpp>

#include <boost/json/array.hpp>

#include <optional>

namespace weft::graph_detail {

namespace {

std::vector<std::string> texts_in(const boost::json::value* list)
{
    std::vector<std::string> texts;
    if (!list || !list->is_array()) return texts;
    for (const boost::json::value& item : list->get_array()) {
        if (!item.is_string()) return {};
        texts.emplace_back(std::string_view{item.get_string()});
    }
    return texts;
}

/** The conditions of a node that has nothing else after success; nothing if it has, or decides by C++. */
std::optional<std::vector<condition_term>> only_conditions(const graph& g, const graph_node& node)
{
    const auto conditions = g.conditional(node);
    if (conditions.empty() || conditions.size() != g.ways_on(node).size() || node.fallback != no_node) return {};
    // It may go where no edge leads.
    if (node.body && node.body->may_command()) return {};
    std::vector<condition_term> terms;
    for (const graph_edge& edge : conditions) {
        if (!edge.expression) return {};
        terms.push_back(term_of(edge.expression->source().text()));
    }
    return terms;
}

/** Whether the values that the node can give to a key leave no other way: answers of a choice, words of a schema. */
bool answers_are_covered(const graph& g, const graph_node& node, const std::vector<condition_term>& terms)
{
    for (const auto& [key, schema] : node.options->outputs.schemas)
        if (const boost::json::object* const object = schema.document().if_object())
            if (cover(terms, key, texts_in(object->if_contains("enum")))) return true;
    // A person answers with one of the options, which the node itself knows only as settings.
    node_spec described;
    if (!node.body || !node.body->describe(described, *g.layout())) return false;
    const auto keys = node.body->written_keys(*g.layout());
    if (described.kind != "human" || !keys || keys->empty()) return false;
    return cover(terms, keys->front(), texts_in(described.settings.if_contains("options")));
}

}  // namespace

void find_missing_otherwise(const analysed& in, std::vector<finding>& found)
{
    const graph& g = in.what;
    for (node_index n = 0; n < g.size(); ++n) {
        const graph_node& node = g.node(n);
        const auto terms = only_conditions(g, node);
        if (!terms || leave_nothing_out(*terms) || answers_are_covered(g, node, *terms)) continue;
        finding f{"no_otherwise", severity::warning,
                  "'" + in.name(n) + "' has conditional edges only, and the run fails there if none of them holds",
                  "add a plain edge as the otherwise, for instance to the end", {in.name(n)}};
        for (const graph_edge& edge : g.conditional(node))
            f.witness.push_back(edge.target == end_node ? std::string{weft::end} : in.name(edge.target));
        // Two are enough to find the place.
        f.witness.resize(2);
        found.push_back(std::move(f));
    }
}

}  // namespace weft::graph_detail
