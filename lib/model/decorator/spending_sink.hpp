#pragma once

#include <weft/base/budget_ledger.hpp>
#include <weft/model/chat_model.hpp>

#include "passing_sink.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>

namespace weft::model_detail {

/** What a call will probably use. */
struct call_estimate {
    std::int64_t input = 0;   ///< Tokens to read.
    std::int64_t output = 0;  ///< Tokens to write.
};

/** @param factor           Of the estimated input, since an estimate may be too low.
 *  @param output_expected  Unless the request allows less. */
[[nodiscard]] call_estimate estimate_call(const chat_request& request, double factor, tokens output_expected);

/** Puts aside what a call will probably use, more while its reply is written, and settles what it did use.
 *
 *  Four characters of the reply count as a token. What was put aside and is not settled counts as spent.
 */
class spending_sink final : public passing_sink {
public:
    /** What a usage costs a budget. @param answered   The model that answered; empty if none did. */
    using pricing = std::function<spending(const usage& used, std::int64_t calls, std::string_view answered)>;

    /** @param ledger   Null: nothing is put aside.
     *  @par Errors     `errc::budget_exhausted`. */
    spending_sink(const std::shared_ptr<budget_ledger>& ledger, call_estimate expected, pricing price,
                  chat_sink& target);

    /** What stopped the reply, if the budget did. */
    [[nodiscard]] const std::exception_ptr& exhausted() const noexcept { return exhausted_; }

    /** The call has ended. Parts of it that reported nothing cost what was estimated. */
    void settle(const usage& used, std::int64_t calls, std::string_view answered);

private:
    bool may_pass(std::string_view piece) override;
    void put_more_aside();
    [[nodiscard]] std::int64_t written() const noexcept;

    call_estimate expected_;
    pricing price_;
    std::int64_t characters_ = 0;
    budget_ledger::reservation held_;
    std::exception_ptr exhausted_;
};

/** Calls a model with a sink that spends, and settles however the call ends.
 *
 *  @par Errors
 *    - `errc::budget_exhausted`, a `model_error`   the reply grew beyond what is left.
 *    - What the model throws. */
[[nodiscard]] task<chat_reply> call_spending(std::shared_ptr<chat_model> model, chat_request request,
                                             spending_sink& sink);

}  // namespace weft::model_detail
