#pragma once

#include <weft/base/chrono.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/decorator/extra_call_budget.hpp>
#include <weft/model/decorator/latency_window.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

namespace weft {

/** When a second call is made. */
struct hedged_model_options {
    double percentile = 0.95;              ///< Of the times to the first token: after it the second call is made.
    std::size_t observations_min = 20;     ///< So many calls without a hedge come first…
    std::optional<std::chrono::nanoseconds> delay_at_first{};  ///< …unless this says when to hedge until then.
    std::size_t observations_max = 256;    ///< So many of the newest calls count.
    std::chrono::nanoseconds delay_min = std::chrono::milliseconds{10};
    extra_call_share budget{.share = 0.05, .reserve = 10};  ///< Of hedges; the reserve lets several in a row pass.
    std::shared_ptr<chat_model> second{};  ///< Where the second call goes; null: to the same model.
};

/** What a hedged model has done so far. */
struct hedge_counts {
    std::int64_t calls = 0;
    std::int64_t hedges = 0;  ///< Second calls.
    std::int64_t won = 0;     ///< Of them: those that were faster than the first call.
};

/** Makes a call a second time when its first token is late, and goes on with whichever of the two speaks first.
 *
 *      auto model = std::make_shared<weft::hedged_model>(endpoint);
 *
 *  The other call is stopped, which closes its connection, and counts as a call whose usage is not known. The sink sees
 *  one of them only. A first call that fails before is not repeated: that is what `retrying_model` is for. The second
 *  call has a `call_id` of its own, lest the provider takes it for the first.
 *
 *  @par Errors          Those of the call that spoke first; if none did, those of the first call.
 *  @par Cancellation    Both calls are stopped and awaited.
 *  @par Thread safety   From any loop, if the models are; all loops share times and budget.
 *  @par Source          Dean, Barroso: The Tail at Scale, CACM 2013, "hedged requests".
 */
class hedged_model final : public chat_model {
public:
    explicit hedged_model(std::shared_ptr<chat_model> model, hedged_model_options options = {});

    [[nodiscard]] std::string_view label() const noexcept override { return model_->label(); }
    [[nodiscard]] hedge_counts counts() const;

private:
    class race;
    struct contender;
    [[nodiscard]] task<chat_reply> do_reply(chat_request request, chat_sink& sink) override;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> begin_call();
    [[nodiscard]] bool may_hedge();
    void observe(std::chrono::nanoseconds to_first_token);

    std::shared_ptr<chat_model> model_;
    hedged_model_options options_;
    extra_call_budget budget_;
    mutable std::mutex lock_;
    latency_window latencies_;
    hedge_counts counts_;
};

}  // namespace weft
