#pragma once

#include <weft/agent/guard/guardrail.hpp>
#include <weft/model/chat_model.hpp>

#include <memory>
#include <string_view>

namespace weft {

/** Asks a model while guardrails look at what it is asked and at what it answers.
 *
 *      weft::guardrails guards;
 *      guards.input.push_back(weft::model_guardrail("on topic", small, "The text is about anything but gardens."));
 *      auto model = std::make_shared<weft::guarded_model>(large, std::move(guards));
 *
 *  The input, what the user said at the end of the conversation, is looked at beside the call: until all have passed
 *  it, nothing of the reply leaves this object, neither deltas nor tool calls. A guardrail that trips stops the call,
 *  which closes its connection, and the other checks. The text of the reply is looked at when it is whole, or piece by
 *  piece (`guardrails::release`). A turn that ends with results of tools has no input; `guard_tools` looks at those.
 *
 *  With `guard_release::whole` and `pieces`, reasoning, refusals and tool calls are told behind the text, when the
 *  reply has passed. While guardrails of the input look, deltas are kept, `held_bytes_max` of them.
 *
 *  In a graph give the guardrails to the node (`llm_node_options::guards`): there verdicts are kept where they cost,
 *  and watchers hear of them.
 *
 *  @par Errors          Beside those of the model, `guardrail_error`; from the constructor
 *                       `errc::invalid_configuration`.
 *  @par Cancellation    The call and the checks are stopped and awaited.
 *  @par Thread safety   From any loop, if model and checks are.
 *  @par Source          OpenAI Agents SDK, guardrails (which let tools run meanwhile); NeMo Guardrails, streaming of
 *                       output rails. */
class guarded_model final : public chat_model {
public:
    guarded_model(std::shared_ptr<chat_model> model, guardrails guards);

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;

    std::shared_ptr<chat_model> model_;
    std::shared_ptr<const guardrails> guards_;
};

}  // namespace weft
