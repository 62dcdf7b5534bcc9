#pragma once

#include <weft/model/decorator/extra_call_budget.hpp>
#include <weft/model/decorator/model_retry.hpp>
#include <weft/model/embedding/embedding_model.hpp>

#include <memory>
#include <string_view>

namespace weft {

/** How calls for vectors are retried. */
struct retrying_embedding_options {
    model_retry_policy policy{};
    /** Shared with other models of the same endpoint, or null for one of this model alone. */
    std::shared_ptr<extra_call_budget> budget{};
};

/** Makes a failed call for vectors again, by the rules of `retrying_model`: what may pass is worth another attempt, a
 *  refused request, credentials and an exhausted account are not.
 *
 *      auto model = std::make_shared<weft::retrying_embedding_model>(endpoint);
 *
 *  The usage of failed attempts counts in what comes back.
 *
 *  @par Errors          What the last attempt failed with.
 *  @par Cancellation    During an attempt as the model says; between attempts at once, with `errc::cancelled`.
 *  @par Thread safety   From any loop, if the model is.
 */
class retrying_embedding_model final : public embedding_model {
public:
    explicit retrying_embedding_model(std::shared_ptr<embedding_model> model, retrying_embedding_options options = {});

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }

private:
    [[nodiscard]] task<embeddings> do_embed(std::vector<std::string> texts) override;

    std::shared_ptr<embedding_model> model_;
    retrying_embedding_options options_;
};

}  // namespace weft
