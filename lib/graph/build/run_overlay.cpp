#include <weft/graph/build/run_overlay.hpp>

#include <algorithm>

namespace weft {

run_overlay::run_overlay(const graph& of) : nodes(of.size())
{
    std::size_t count = 0;
    for (node_index n = 0; n < of.size(); ++n) count += of.all_edges(of.node(n)).size();
    edges.resize(count);
}

std::uint32_t run_overlay::times_taken(std::uint32_t declared) const noexcept
{
    return declared < edges.size() ? edges[declared] : 0;
}

std::uint32_t run_overlay::times_jumped(node_index source, node_index target) const noexcept
{
    for (const jump& j : jumps)
        if (j.source == source && j.target == target) return j.times;
    return 0;
}

const run_overlay* run_overlay::within(node_index node) const noexcept
{
    const auto found = std::find_if(inner.begin(), inner.end(), [node](const auto& i) { return i.node == node; });
    return found == inner.end() ? nullptr : &found->of;
}

}  // namespace weft
