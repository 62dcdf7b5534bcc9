#include "edges_by_source.hpp"

namespace weft::graph_detail {

edges_by_source::edges_by_source(const graph_builder::description& of)
    : first_(of.names.size() + 1), edges_(of.edges.size())
{
    // Counted, not sorted: graphs are generated too, and the numbers of names are small.
    for (const auto& edge : of.edges) ++first_[edge.from + 1];
    for (std::size_t n = 1; n < first_.size(); ++n) first_[n] += first_[n - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t i = 0; i < of.edges.size(); ++i) edges_[next[of.edges[i].from]++] = i;
}

}  // namespace weft::graph_detail
