#pragma once

#include <weft/store/record/worker_entry.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace weft::store_detail {

/** Whether a worker with these graphs can run a revision of a graph. */
[[nodiscard]] inline bool has_ability(const std::vector<graph_ability>& graphs, std::string_view graph,
                                      std::string_view revision)
{
    return graphs.empty() || std::any_of(graphs.begin(), graphs.end(), [&](const graph_ability& each) {
               return each.graph == graph && (revision.empty() || each.revision.empty() || each.revision == revision);
           });
}

/** The same, of a worker that claims runs. */
[[nodiscard]] inline bool may_claim(const std::vector<graph_ability>& graphs, std::string_view graph,
                                    std::string_view revision)
{
    return has_ability(graphs, graph, revision) &&
           std::find(graphs.begin(), graphs.end(), graph_ability::no_claims()) == graphs.end();
}

}  // namespace weft::store_detail
