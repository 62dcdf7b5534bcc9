#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>
#include <weft/model/decorator/extra_call_budget.hpp>
#include <weft/model/model_error.hpp>

#include <functional>
#include <optional>
#include <string_view>

namespace weft {

/** When a failed model call is made again, and after how long.
 *
 *  Without a hint of the endpoint, retry number n (from 0) waits `min(delay_max, base · factor^n)`, of which at least
 *  the share `jitter_min` and the rest by chance. With a hint it waits at least that, and up to `hint_jitter` more.
 *
 *  @par Source   Brooker: Exponential Backoff And Jitter, AWS Architecture Blog, 2015; RFC 9110 §10.2.3.
 */
struct model_retry_policy {
    int attempts_max = 3;  ///< The first attempt included; 0 or 1 means no retry.
    std::chrono::nanoseconds base = std::chrono::milliseconds{500};
    std::chrono::nanoseconds delay_max = std::chrono::seconds{8};
    std::chrono::nanoseconds overload_base = std::chrono::seconds{2};        ///< Instead, after status 503 or 529.
    std::chrono::nanoseconds overload_delay_max = std::chrono::seconds{30};  ///< Instead, after status 503 or 529.
    double factor = 2;         ///< At least 1.
    double jitter_min = 0.5;   ///< From 0 (all by chance) to 1 (nothing by chance).
    double hint_jitter = 0.1;  ///< At least 0.
    /** Longest hint that is followed (`max_retry_wait`); a longer one fails the call at once. */
    std::chrono::nanoseconds hint_max = std::chrono::seconds{60};
    /** No attempt begins later than this after the call began; a wait that would last longer fails the call at once. */
    std::optional<std::chrono::nanoseconds> elapsed_max{};
    /** Starts again also when the sink has seen some of the reply, after `on_retracted`. Only for sinks that can take
     *  back what they were given. */
    bool restarts_after_tokens = false;
    /** What is worth another attempt; empty: what is transient. Never asked about a cancelled call. */
    std::function<bool(const model_failure&)> is_worth_a_retry{};
};

/** What follows after a failed attempt. */
struct model_retry_step {
    bool goes_on = false;               ///< Another attempt follows after `delay`.
    std::chrono::nanoseconds delay{};
    std::string_view why_not{};         ///< If not: the rule that says so, when the failure itself does not.
};

/** Decides about the attempts of one call: a value without clock, timer or chance of its own. */
class model_retry {
public:
    /** @param policy   Outlives it.
     *  @param budget   Shared by many calls, outlives it; null: no bound but `attempts_max`. */
    model_retry(const model_retry_policy& policy, time_point began, extra_call_budget* budget) noexcept
        : policy_{policy}, budget_{budget}, began_{began}
    {
    }

    /** The attempt that has begun, from 1. */
    [[nodiscard]] int attempt() const noexcept { return attempt_; }

    /** The attempt failed. If another follows, it counts from now on and is taken from the budget.
     *
     *  @param has_passed   Whether the caller has seen some of the reply.
     *  @param uniform      A random number in [0, 1).
     */
    [[nodiscard]] model_retry_step after(const model_failure& failure, bool has_passed, time_point now,
                                         double uniform);

private:
    [[nodiscard]] std::chrono::nanoseconds delay_after(const model_failure& failure, double uniform) const noexcept;

    const model_retry_policy& policy_;
    extra_call_budget* budget_;
    time_point began_;
    int attempt_ = 1;
};

}  // namespace weft
