#include "memory_of.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>

#include <string>
#include <utility>

namespace weft::agent_detail {

std::shared_ptr<const item_space> memory_of(const node_context& node)
{
    std::shared_ptr<const item_space> memory = node.memory();
    if (!memory)
        throw error{errc::invalid_configuration, "node '" + std::string{node.node()} + "'",
                    "the run has no memory: give the run a `memory`, a namespace of a store"};
    return memory;
}

}  // namespace weft::agent_detail
