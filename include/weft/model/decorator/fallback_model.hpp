#pragma once

#include <weft/model/chat_model.hpp>
#include <weft/model/decorator/circuit_breaker.hpp>
#include <weft/model/model_error.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft {

/** One of the models that a call may go to. */
struct fallback_entry {
    std::shared_ptr<chat_model> model{};
    /** Replaces the model that the request names; empty: the one that `model` was made for. Only the first entry leaves
     *  the request's own choice when this is empty. */
    std::string model_name{};
    /** Of its endpoint, shared by all who call it; null: none. It counts failures that may pass, but for rate
     *  limits. */
    std::shared_ptr<circuit_breaker> breaker{};
};

/** Whether a failure of one model is a reason to ask the next one: it may pass, or lies in the endpoint, its
 *  credentials
 *  or its account. A refused request would be refused again. */
[[nodiscard]] bool is_reason_to_fall_back(const model_failure& failure) noexcept;

/** How models stand in for each other. */
struct fallback_model_options {
    /** Which failures go on to the next model; empty: `is_reason_to_fall_back`. Never asked about a cancelled call. */
    std::function<bool(const model_failure&)> goes_on{};
    /** Goes on also when the sink has seen some of the reply, after `on_retracted`. */
    bool restarts_after_tokens = false;
    /** Called when a model has failed and the next one is asked, on the loop of the call. */
    std::function<void(const chat_model& failed, const model_failure& why)> on_fall_back{};
};

/** Asks models in turn until one answers, as long as the caller has seen nothing of a reply.
 *
 *      auto model = std::make_shared<weft::fallback_model>(std::vector<weft::fallback_entry>{
 *          {.model = capable, .breaker = first_endpoint}, {.model = balanced}});
 *
 *  All get the same request but for the name of the model; what a provider keeps in messages for itself is dropped by
 *  the other providers. A model whose circuit breaker is open is passed over. The usage of failed calls counts in the
 *  reply.
 *
 *  @par Errors          The failure that was no reason to go on; else, when the last model has failed too, a
 *  `model_error`
 *                       with the code of the last failure that lists all of them. It is transient if one of them is.
 *                       - `errc::model_overloaded`  all circuit breakers are open.
 *  @par Cancellation    As the models say.
 *  @par Thread safety   From any loop, if the models are.
 */
class fallback_model final : public chat_model {
public:
    /** @param entries   At least one, in the order in which they are asked. */
    explicit fallback_model(std::vector<fallback_entry> entries, fallback_model_options options = {});

    /** The labels of all, e.g. `a at x, else b at y`. */
    [[nodiscard]] std::string_view label() const noexcept override { return label_; }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;

    std::vector<fallback_entry> entries_;
    fallback_model_options options_;
    std::string label_;
};

}  // namespace weft
