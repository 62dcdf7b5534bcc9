#pragma once

#include <weft/chat/stop_reason.hpp>

#include <string>
#include <vector>

namespace weft {

class node_context;

namespace agent_detail {

/** Warns of each key that a prompt names and that has no value. */
void warn_of_missing(const std::vector<std::string>& keys, node_context& node);
/** Warns if a reply was cut at the limit of tokens. */
void warn_of_cut(stop_reason stop, node_context& node);

}  // namespace agent_detail
}  // namespace weft
