#include "node_warnings.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/graph/node_context.hpp>

namespace weft::agent_detail {

void warn_of_missing(const std::vector<std::string>& keys, node_context& node)
{
    for (const std::string& key : keys)
        node.emit(agent_event::warning, "the prompt names '" + key + "', which has no value");
}

void warn_of_cut(stop_reason stop, node_context& node)
{
    if (stop == stop_reason::length)
        node.emit(agent_event::warning, "the reply was cut at the limit of tokens: raise output_max");
}

}  // namespace weft::agent_detail
