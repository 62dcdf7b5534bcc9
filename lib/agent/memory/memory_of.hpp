#pragma once

#include <memory>

namespace weft {
class item_space;
class node_context;
}

namespace weft::agent_detail {

/** What a node remembers by.
 *  @par Errors   `errc::invalid_configuration` if the run has no memory; as `node_context::memory`. */
[[nodiscard]] std::shared_ptr<const item_space> memory_of(const node_context& node);

}  // namespace weft::agent_detail
