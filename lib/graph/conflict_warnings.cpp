#include "analysis_rules.hpp"
#include "graph_description.hpp"

#include <algorithm>

namespace weft::graph_detail {

void warn_of_conflicts(const graph& g, graph::data& data)
{
    const bool any = std::any_of(data.nodes.begin() + 1, data.nodes.end(), [](const graph_node& node) {
        return node.options.writes.has_value() || node.body->inner();
    });
    if (!any) return;
    std::vector<finding> found;
    find_write_conflicts({g, ""}, found);
    for (finding& f : found) data.warnings.push_back({std::move(f.rule), f.message + ": " + f.remedy});
}

}  // namespace weft::graph_detail
