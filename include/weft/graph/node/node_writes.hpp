#pragma once

#include <weft/graph/graph.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace weft {

/** The slots that a node may write, in order and each once, as far as it is known: by `node_options::writes`, by its
 *  kind, by the graph inside it, and of a node that declares nothing by what it wrote in runs of the graph so far. */
[[nodiscard]] std::vector<std::uint32_t> written_slots(const graph& what, node_index node);

/** The nodes that may write a key, as far as it is known, in the order of the graph. */
[[nodiscard]] std::vector<std::string_view> nodes_that_write(const graph& what, std::uint32_t slot);

}  // namespace weft
