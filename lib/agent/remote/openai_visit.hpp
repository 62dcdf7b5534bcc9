#pragma once

#include "openai_agent_kind.hpp"
#include "openai_answer.hpp"
#include "remote_retry.hpp"

#include <weft/async/task.hpp>
#include <weft/graph/node/effect.hpp>
#include <weft/model/chat_request.hpp>

#include <exception>
#include <memory>
#include <string>

namespace weft {
class node_context;
}

namespace weft::agent_detail {

/** What an attempt of a node asks an agent, each answer once in the visit.
 *
 *  @par Lifetimes   The node outlives it, and it its tasks. */
class openai_visit {
public:
    openai_visit(std::shared_ptr<const openai_plan> plan, node_context& node);

    /** Asks, and gives what the journal has, or else what the agent says.
     *  @par Errors   As `openai_agent_node`; between two attempts it waits as `between_attempts` says. */
    [[nodiscard]] task<openai_answer> ask(chat_request request);

private:
    [[nodiscard]] task<openai_answer> ask_at_once(chat_request request);
    [[nodiscard]] task<openai_answer> ask_in_background(chat_request request);
    [[nodiscard]] task<std::string> order(chat_request request, const effect_context& effect);
    [[nodiscard]] task<openai_answer> follow(chat_request request, std::string id);
    [[nodiscard]] task<openai_answer> hear(chat_model& model, chat_request request);
    [[nodiscard]] task<void> end_attempt(std::exception_ptr failed);
    [[nodiscard]] chat_request named(chat_request request, const effect_context& effect) const;

    std::shared_ptr<const openai_plan> plan_;
    node_context& node_;
    openai_exchange exchange_;
};

}  // namespace weft::agent_detail
