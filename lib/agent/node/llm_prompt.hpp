#pragma once

#include "agent/prompt/answer_shape.hpp"

#include <weft/agent/llm_node.hpp>
#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>

#include <string>
#include <vector>

namespace weft::agent_detail {

/** What a node of the kind `llm` says to its model. */
struct llm_prompt {
    std::string system;
    std::string user;
    std::vector<std::string> missing;  ///< Keys of the templates that have no value.
};

struct llm_templates {
    prompt_template system;
    prompt_template prompt;
};

/** Puts the prompt of one attempt together.
 *  @par Errors  As `prompt_template::fill`. */
[[nodiscard]] llm_prompt make_prompt(const llm_templates& templates, const llm_node_options& options,
                                     const answer_shape& shape, const node_context& node);
/** The same without the user's words: a conversation that goes on has them already. */
[[nodiscard]] llm_prompt make_system_prompt(const llm_templates& templates, const llm_node_options& options,
                                            const answer_shape& shape, const node_context& node);

/** A conversation in which only the system speaks, if it says anything. */
[[nodiscard]] list<message> said_by_system(std::string text);

/** A reply that needs no model: scripted, or made up so that the graph goes on. */
[[nodiscard]] std::string dry_run_reply(const llm_node_options& options, const answer_shape& shape,
                                          const llm_prompt& asked, const node_context& node);

}  // namespace weft::agent_detail
