#pragma once

#include <weft/agent/llm_node.hpp>
#include <weft/graph/node/node.hpp>

#include <memory>

namespace weft::agent_detail {

/** A node that asks a model, whose text other nodes read while it comes, if it has a `text_key`. */
[[nodiscard]] std::shared_ptr<const node_body> make_llm_body(llm_node node, const state_layout& keys);

}  // namespace weft::agent_detail
