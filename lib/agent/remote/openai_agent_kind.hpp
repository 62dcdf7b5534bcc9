#pragma once

#include "answer_writes.hpp"
#include "openai_exchange.hpp"

#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/agent/remote/openai_agent_node.hpp>
#include <weft/async/retry_policy.hpp>
#include <weft/graph/node_registry.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

namespace agent_detail {

/** What a node of the kind `openai_agent` does. */
struct openai_plan {
    std::shared_ptr<const openai_agent> agent;
    std::optional<prompt_template> instructions;
    std::optional<prompt_template> message;  ///< Nothing: what the node reads.
    answer_target keys;                      ///< Without the key of the conversation.
    std::optional<std::vector<std::string>> reads;
    retry_policy retry;
};

}  // namespace agent_detail

/** The kind `openai_agent` of graph files, see `openai_agent_node`. Its agents are trusted as services of the kind
 *  `http` are. */
[[nodiscard]] node_kind openai_agent_kind(http_node_options program = http_node_options{});

}  // namespace weft
