#pragma once

#include <weft/base/budget_ledger.hpp>
#include <weft/model/decorator/price_table.hpp>
#include <weft/model/embedding/embedding_model.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** How calls for vectors are priced, and what pays for them. */
struct priced_embedding_options {
    std::string provider{};                        ///< As in the table.
    std::string model{};                           ///< As in the table.
    std::shared_ptr<const price_table> prices{};   ///< Null: no price is known.
    std::shared_ptr<budget_ledger> budget{};       ///< What calls are paid from: tokens, cost, calls; null: nothing.
    /** Called after each call that gave vectors, on its loop: what it used, and its cost if there is a price. */
    std::function<void(const usage& used, const std::optional<model_cost>& cost)> on_cost{};
};

/** Keeps calls for vectors within a budget, and says what they cost.
 *
 *      auto model = std::make_shared<weft::priced_embedding_model>(endpoint, options);
 *
 *  Before a call the tokens of its texts, by an estimate, and their price are put aside; afterwards what it really used
 *  is settled. A call whose usage the provider does not tell counts with the estimate.
 *
 *  @par Errors
 *    - `errc::budget_exhausted`       too little is left; nothing was sent.
 *    - `errc::invalid_configuration`  the budget limits the cost, and the model has no price.
 *    - What the model throws; then what was put aside counts as used, unless the call was refused.
 *  @par Cancellation    As the model says; what was put aside counts as used.
 *  @par Thread safety   From any loop, if the model is.
 */
class priced_embedding_model final : public embedding_model {
public:
    priced_embedding_model(std::shared_ptr<embedding_model> model, priced_embedding_options options);

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }

private:
    [[nodiscard]] task<embeddings> do_embed(std::vector<std::string> texts) override;
    [[nodiscard]] std::optional<model_cost> cost_of(const usage& used) const;
    [[nodiscard]] spending spending_of(const usage& used) const;

    std::shared_ptr<embedding_model> model_;
    priced_embedding_options options_;
};

}  // namespace weft
