#pragma once

#include "http_service.hpp"
#include "openai_answer.hpp"

#include <weft/agent/remote/openai_agent_node.hpp>
#include <weft/async/task.hpp>
#include <weft/base/error.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/decorator/price_table.hpp>
#include <weft/model/responses/background_responses.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/url.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace weft::agent_detail {

/** An agent behind OpenAI's API, as a node or a tool asks it again and again.
 *
 *  @par Thread safety   From any OS thread. */
struct openai_agent {
    /** @par Errors   `errc::invalid_url`, `errc::invalid_configuration`: no such API, a price that is none. */
    openai_agent(openai_agent_settings settings, std::shared_ptr<const http_program> program);

    [[nodiscard]] bool is_chat() const noexcept { return settings.api == "chat"; }
    [[nodiscard]] std::chrono::nanoseconds limit() const noexcept;

    const openai_agent_settings settings;
    const url at;
    const std::shared_ptr<const http_program> program;
    std::shared_ptr<const price_table> prices;  ///< Null: the agent has none.
};

/** What the requests of a call carry of its trace. */
[[nodiscard]] std::shared_ptr<const trace_context> trace_of_call(const chat_request& request);

/** What an attempt of a node, or a call of a tool, has to do with an agent.
 *
 *  @par Lifetimes   Outlives its tasks and its models. */
class openai_exchange {
public:
    /** Reads the key.
     *  @param place   What asks, for errors: `node 'ask'`.
     *  @par Errors    `errc::invalid_configuration`: the variable of the key is missing, or the host is not trusted
     *                 with it. */
    openai_exchange(std::shared_ptr<const openai_agent> agent, std::string place);

    /** The agent as a model that is paid from the budget of its requests.
     *  @param counts_call   A request is a tool call in the budget, too. */
    [[nodiscard]] std::shared_ptr<chat_model> model(bool counts_call) const;
    /** The same for a response in the background: its replies are what the response says. */
    [[nodiscard]] std::shared_ptr<chat_model> model_following(std::string id) const;
    /** Orders a response in the background. @return  Its id. */
    [[nodiscard]] task<std::string> order(chat_request request) const;
    /** Cancels a response in the background, also while the run is stopped. What goes wrong is passed over.
     *  @param trace   As the request has it. */
    [[nodiscard]] task<void> cancel(std::string id, std::shared_ptr<const trace_context> trace) const;

    /** An error as the node tells it: with its place, and without secrets. Notes what the agent asks to wait. */
    [[nodiscard]] error told(const error& of);
    /** What the agent has asked to wait when it refused. */
    [[nodiscard]] const std::optional<std::chrono::milliseconds>& retry_after() const noexcept { return retry_after_; }
    [[nodiscard]] const openai_agent& agent() const noexcept { return *agent_; }

private:
    [[nodiscard]] responses_model_options responses_options() const;
    [[nodiscard]] std::shared_ptr<chat_model> paid(std::shared_ptr<chat_model> model) const;
    [[nodiscard]] const http_client& client() const;
    [[nodiscard]] http_timeouts timeouts() const;

    std::shared_ptr<const openai_agent> agent_;
    std::string place_;
    secret_string key_;
    std::optional<std::chrono::milliseconds> retry_after_;
};

}  // namespace weft::agent_detail
