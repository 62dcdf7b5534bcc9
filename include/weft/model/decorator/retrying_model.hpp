#pragma once

#include <weft/base/chrono.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/decorator/extra_call_budget.hpp>
#include <weft/model/decorator/model_retry.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace weft {

/** What an observer hears of an attempt that has ended. The views are valid during the call only. */
struct model_attempt {
    int number = 1;                                     ///< From 1.
    std::string_view model{};                           ///< The label of the model that was called.
    std::string_view call_id{};                         ///< The same for all attempts at one call.
    const model_failure* failure = nullptr;             ///< Null: it succeeded.
    std::string_view request_id{};                      ///< The provider's, for its support.
    std::optional<std::chrono::nanoseconds> delay{};    ///< Before the next attempt; nothing: this was the last.
    std::chrono::nanoseconds waited{};                  ///< Before this attempt, over the whole call.
    std::string_view why_not{};                         ///< The rule that kept the call from going on, if one did.
};

using attempt_observer = std::function<void(const model_attempt&)>;

/** How calls are retried. */
struct retrying_model_options {
    model_retry_policy policy{};
    /** Shared with other models of the same endpoint, or null for one of this model alone. */
    std::shared_ptr<extra_call_budget> budget{};
    /** Called after each attempt, on the loop of the call; what it throws ends the call. */
    attempt_observer on_attempt{};
};

/** Makes a failed call again, as long as the caller has seen nothing of the reply.
 *
 *      auto model = std::make_shared<weft::retrying_model>(endpoint);
 *
 *  | what failed                                            | another attempt                             |
 *  |--------------------------------------------------------|---------------------------------------------|
 *  | the wire, or a status or error that may pass           | yes, before the first delta                 |
 *  | the same, after a delta was delivered                  | only with `restarts_after_tokens`, retracted |
 *  | a refused request, credentials, an exhausted account   | no                                          |
 *  | the call was stopped; the caller's sink threw          | no                                          |
 *
 *  All attempts have one `call_id`; a call without one gets one. The usage of failed attempts counts in the reply,
 *  which
 *  also says how many attempts it took and how long they waited. Do not stack two of them: attempts multiply.
 *
 *  @par Errors          What the last attempt failed with. After several attempts, or if a rule kept the call from
 *  going
 *                       on, a `model_error` that says so, with the usage of all attempts in `partial()`.
 *  @par Cancellation    During an attempt as the model says; between attempts at once, with `errc::cancelled`.
 *  @par Thread safety   From any loop, if the model is.
 */
class retrying_model final : public chat_model {
public:
    /** @param model   What is called; shared. */
    explicit retrying_model(std::shared_ptr<chat_model> model, retrying_model_options options = {});

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }
    [[nodiscard]] const extra_call_budget& budget() const noexcept { return *options_.budget; }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;

    std::shared_ptr<chat_model> model_;
    retrying_model_options options_;
};

}  // namespace weft
