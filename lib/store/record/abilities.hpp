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

}  // namespace weft::store_detail
