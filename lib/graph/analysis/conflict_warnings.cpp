#include "graph/build/graph_description.hpp"

#include "analysis_rules.hpp"

namespace weft::graph_detail {

void warn_of_conflicts(const graph& g, graph::data& data)
{
    std::vector<finding> found;
    find_write_conflicts({g, ""}, found);
    for (finding& f : found)
        if (f.level != severity::note) data.warnings.push_back({std::move(f.rule), f.message + ": " + f.remedy});
}

}  // namespace weft::graph_detail
