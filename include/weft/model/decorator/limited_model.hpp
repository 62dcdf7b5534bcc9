#pragma once

#include <weft/model/chat_model.hpp>
#include <weft/model/decorator/rate_limiter.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace weft {

/** What a limited model's calls count for. */
struct limited_model_options {
    std::string provider{};    ///< As in the limiter's keys.
    std::string credential{};  ///< As in the limiter's keys: a name for the key or account, never the key itself.
    std::string model{};       ///< What a request without a name of its own goes to.
    std::string tenant_label = "tenant";  ///< The label of a request that names its tenant.
};

/** Makes calls as fast as the limits of their endpoint allow and no faster; the others wait in a fair line.
 *
 *      weft::rate_limiter limiter{{.limits = {.requests_per_minute = 500, .tokens_per_minute = 200'000}}};
 *      auto model = std::make_shared<weft::limited_model>(endpoint, limiter, options);
 *
 *  All models of one endpoint share one limiter, on however many loops. Put it below `retrying_model`, so that every
 *  attempt takes its place in the line.
 *
 *  @par Errors
 *    - `errc::limit_reached`  too many calls wait already.
 *    - What the model throws.
 *  @par Cancellation    While it waits at once; during the call as the model says.
 *  @par Thread safety   From any loop, if the model is.
 */
class limited_model final : public chat_model {
public:
    limited_model(std::shared_ptr<chat_model> model, rate_limiter limiter, limited_model_options options = {});

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }

private:
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;
    [[nodiscard]] rate_request describe(const chat_request& request) const;

    std::shared_ptr<chat_model> model_;
    rate_limiter limiter_;
    limited_model_options options_;
};

}  // namespace weft
