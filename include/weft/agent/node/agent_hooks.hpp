#pragma once

#include <weft/model/chat_model.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/chat_request.hpp>
#include <weft/tool/tool_runner.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** Functions around the calls that an agent makes: they look, change, replace and mend.
 *
 *      weft::agent_hooks hooks;
 *      hooks.before_model([](std::string_view, weft::chat_request& request) {
 *          request.labels["tenant"] = "acme";
 *          return std::optional<weft::chat_reply>{};
 *      });
 *
 *  Hooks of one kind are called in the order in which they were added. They are interceptors: what one throws ends the
 *  call, as a failure of the model or of that tool call. Those who only want to watch use `lifecycle_hooks`.
 *
 *  Hooks around a model run with the call: where a run writes its effects down, a reply that was kept comes back as the
 *  hooks left it, and they are not called again. `after_tool` is called again then, with the answer that was kept.
 *
 *  @par Thread safety   As a value. The functions are called on the loops of all runs that share them.
 *  @par Source          Agentflow's CallbackManager: before, after and on error of calls of models and tools.
 */
class agent_hooks {
public:
    /** May change the request. A reply stands for the call, which is not made, and no further hook of this kind is
     *  asked.
     *  @param agent   Its name. */
    using model_before = std::function<std::optional<chat_reply>(std::string_view agent, chat_request& request)>;
    /** May change the reply, also one that another hook gave. */
    using model_after = std::function<void(std::string_view agent, const chat_request& request, chat_reply& reply)>;
    /** May give a reply in the place of a failure; the first that does counts. Not asked about a stop. */
    using model_error = std::function<std::optional<chat_reply>(std::string_view agent, const chat_request& request,
                                                                const std::exception_ptr& why)>;
    /** May change the arguments. Text skips the call and tells the model why. */
    using tool_before = std::function<std::optional<std::string>(tool_invocation& call)>;
    /** May change the result. */
    using tool_after = std::function<void(const tool_invocation& call, tool_answer& answer)>;
    /** May give a result in the place of a failure; the first that does counts. Not asked about calls that were refused
     *  or stopped. */
    using tool_error =
        std::function<std::optional<tool_result>(const tool_invocation& call, const tool_answer& failed)>;

    agent_hooks& before_model(model_before hook);
    agent_hooks& after_model(model_after hook);
    agent_hooks& on_model_error(model_error hook);
    agent_hooks& before_tool(tool_before hook);
    agent_hooks& after_tool(tool_after hook);
    agent_hooks& on_tool_error(tool_error hook);

    [[nodiscard]] bool has_model_hooks() const noexcept;

    /** A model whose calls go through the hooks; the model itself if there are none. A reply that a hook gave is
     *  delivered to the sink as one piece, after a retraction if something came before.
     *  @param agent   What the hooks are told. */
    [[nodiscard]] std::shared_ptr<chat_model> around(std::shared_ptr<chat_model> model, std::string agent) const;

    /** The options with these hooks: before those that the options have already, behind them after the calls. */
    [[nodiscard]] tool_runner_options around(tool_runner_options options) const;

private:
    friend class hooked_model;
    std::vector<model_before> before_model_;
    std::vector<model_after> after_model_;
    std::vector<model_error> on_model_error_;
    std::vector<tool_before> before_tool_;
    std::vector<tool_after> after_tool_;
    std::vector<tool_error> on_tool_error_;
};

}  // namespace weft
