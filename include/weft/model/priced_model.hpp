#pragma once

#include <weft/chat/budget_ledger.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/price_table.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** What to do when the cost is limited and the price of the model is not known. */
enum class unknown_price {
    refuse,  ///< Refuse the call: its cost is not zero.
    allow,   ///< Make it; tokens and calls are counted, its cost is not.
};

/** How calls are priced and what they draw on. */
struct priced_model_options {
    std::string provider{};  ///< As in the table.
    std::string model{};     ///< What a request without a name of its own goes to.
    std::shared_ptr<const price_table> prices{};  ///< Null: no price is known.
    std::optional<budget_ledger> ledger{};        ///< Nothing: costs are told and not limited.
    unknown_price without_price = unknown_price::refuse;
    double estimate_factor = 1.15;  ///< Of the estimated input, since an estimate may be too low.
    tokens output_expected{1'000};  ///< Set aside for the output, unless the request allows less.
};

/** Says what calls cost, and keeps them within a budget.
 *
 *      auto model = std::make_shared<weft::priced_model>(endpoint, options);   // options.ledger = run_budget
 *
 *  Before a call its estimated input and expected output are reserved; afterwards what it really used is settled, also
 *  when it failed. While the reply is written, its characters divided by four are taken as tokens: once they exceed what
 *  is reserved, more is; when the budget has no more, the call is stopped. The reply tells its cost if the price and all
 *  of its usage are known.
 *
 *  @par Errors
 *    - `errc::budget_exhausted`       too little is left to begin; or, as a `model_error`, to go on.
 *    - `errc::invalid_configuration`  the ledger limits the cost and the model has no price.
 *    - What the model throws.
 *  @par Cancellation    As the model says; what was reserved counts as used as far as is not known better.
 *  @par Thread safety   From any loop, if the model is.
 */
class priced_model final : public chat_model {
public:
    explicit priced_model(std::shared_ptr<chat_model> model, priced_model_options options = {});

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }

private:
    class spending;
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;
    [[nodiscard]] std::optional<model_cost> cost_of(std::string_view answered, const std::string& asked,
                                                    const usage& used, std::int64_t calls) const;
    void check_price(const std::string& asked) const;

    std::shared_ptr<chat_model> model_;
    priced_model_options options_;
};

}  // namespace weft
