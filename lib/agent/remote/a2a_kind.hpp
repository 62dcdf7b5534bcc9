#pragma once

#include "a2a_exchange.hpp"
#include "answer_writes.hpp"

#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/agent/remote/a2a_node.hpp>
#include <weft/async/retry_policy.hpp>
#include <weft/graph/node_registry.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

namespace agent_detail {

/** What a node of the kind `a2a` does. */
struct a2a_plan {
    std::shared_ptr<const a2a_agent> agent;
    std::optional<prompt_template> message;  ///< Nothing: what the node reads.
    answer_target keys;
    std::optional<std::vector<std::string>> reads;
    retry_policy retry;
};

}  // namespace agent_detail

/** The kind `a2a` of graph files, see `a2a_node`. Its services are trusted as those of the kind `http` are. */
[[nodiscard]] node_kind a2a_kind(http_node_options program = http_node_options{});

}  // namespace weft
