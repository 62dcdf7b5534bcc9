#pragma once

#include <weft/model/decorator/rate_limiter.hpp>
#include <weft/model/embedding/embedding_model.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace weft {

/** What the calls of a limited model of embeddings count for. */
struct limited_embedding_options {
    rate_limit_key key{};  ///< As in the limiter: it may share limits with chat models.
    std::string tenant{};  ///< Whose line a call waits in.
};

/** Asks for vectors as fast as the limits of the endpoint allow and no faster, by the limiter that chat models have.
 *
 *      auto model = std::make_shared<weft::limited_embedding_model>(endpoint, limiter, options);
 *
 *  A call counts as one request, also if the model sends several. Put it below `retrying_embedding_model`.
 *
 *  @par Errors          `errc::limit_reached` if too many calls wait already; what the model throws.
 *  @par Cancellation    While it waits at once; during the call as the model says.
 *  @par Thread safety   From any loop, if the model is.
 */
class limited_embedding_model final : public embedding_model {
public:
    limited_embedding_model(std::shared_ptr<embedding_model> model, rate_limiter limiter,
                            limited_embedding_options options = {});

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }

private:
    [[nodiscard]] task<embeddings> do_embed(std::vector<std::string> texts) override;

    std::shared_ptr<embedding_model> model_;
    rate_limiter limiter_;
    limited_embedding_options options_;
};

}  // namespace weft
