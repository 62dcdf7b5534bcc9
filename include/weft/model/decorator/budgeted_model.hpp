#pragma once

#include <weft/base/units.hpp>
#include <weft/model/chat_model.hpp>

#include <memory>
#include <string_view>

namespace weft {

/** How much of a budget is put aside for a call. */
struct budgeted_model_options {
    double estimate_factor = 1.15;   ///< Of the estimated input, since an estimate may be too low.
    tokens output_expected{1'000};   ///< For the output, unless the request allows less.
};

/** Keeps calls within the tokens and model calls of the budget that their request names; without one they pass.
 *
 *      request.budget = run_budget;
 *      chat_reply reply = co_await weft::budgeted_model{endpoint}.reply(request, sink);
 *
 *  Before a call its estimated input and expected output are put aside; afterwards what it really used is settled, also
 *  when it failed. While the reply is written, its characters divided by four are taken as tokens: once they exceed
 *  what is put aside, more is; when the budget has no more, the call is stopped.
 *
 *  @par Errors
 *    - `errc::budget_exhausted`   too little is left to begin; or, as a `model_error`, to go on.
 *    - What the model throws.
 *  @par Cancellation    As the model says; what was put aside counts as used as far as is not known better.
 *  @par Thread safety   From any loop, if the model is.
 */
class budgeted_model final : public chat_model {
public:
    explicit budgeted_model(std::shared_ptr<chat_model> model, budgeted_model_options options = {});

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;
    [[nodiscard]] task<chat_reply> pay_reply(chat_request request, chat_sink& sink);

    std::shared_ptr<chat_model> model_;
    budgeted_model_options options_;
};

}  // namespace weft
