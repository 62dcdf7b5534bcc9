#pragma once

#include <weft/model/chat_model.hpp>
#include <weft/model/decorator/price_table.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** What to do when the cost is limited and the price of the model is not known. */
enum class unknown_price {
    refuse,  ///< Refuse the call: its cost is not zero.
    allow,   ///< Make it; its cost is not counted.
};

/** How calls are priced. */
struct priced_model_options {
    std::string provider{};  ///< As in the table.
    std::string model{};     ///< What a request without a name of its own goes to.
    std::shared_ptr<const price_table> prices{};  ///< Null: no price is known.
    unknown_price without_price = unknown_price::refuse;
    double estimate_factor = 1.15;  ///< Of the estimated input, since an estimate may be too low.
    tokens output_expected{1'000};  ///< Whose price is put aside for the output, unless the request allows less.
    /** Called after each call, also one that failed, on its loop: the model, and its cost if there is a price. */
    std::function<void(std::string_view model, const std::optional<model_cost>& cost)> on_cost{};
};

/** Says what calls cost, and keeps them within the cost of the budget that their request names.
 *
 *      auto model = std::make_shared<weft::priced_model>(endpoint, options);
 *
 *  The reply tells its cost if the price and all of its usage are known. With a budget, the price of the estimated
 *  input
 *  and the expected output is put aside before a call and settled afterwards, as `budgeted_model` does with tokens; a
 *  reply that grows beyond what is left is stopped.
 *
 *  @par Errors
 *    - `errc::budget_exhausted`       too little is left to begin; or, as a `model_error`, to go on.
 *    - `errc::invalid_configuration`  the budget limits the cost and the model has no price.
 *    - What the model throws.
 *  @par Cancellation    As the model says; what was put aside counts as spent as far as is not known better.
 *  @par Thread safety   From any loop, if the model is.
 */
class priced_model final : public chat_model {
public:
    explicit priced_model(std::shared_ptr<chat_model> model, priced_model_options options = {});

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;
    [[nodiscard]] std::optional<model_cost> cost_of(std::string_view answered, const std::string& asked,
                                                    const usage& used, std::int64_t calls) const;
    void check_price(const chat_request& request, const std::string& asked) const;

    std::shared_ptr<chat_model> model_;
    priced_model_options options_;
};

}  // namespace weft
