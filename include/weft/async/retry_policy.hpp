#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/errc.hpp>

#include <vector>

namespace weft {

/** How the delays between attempts are spread. */
enum class jitter {
    none,  ///< Exactly the computed delay.
    full,  ///< Uniform between nothing and the computed delay, so that clients which failed together spread out.
};

/** When to try again and how long to wait before: a plain value that decides and waits for nothing itself.
 *
 *  Attempts are counted from 1. The delay before attempt 2 is `initial`, each further one `factor` times longer, none
 *  longer than `delay_max`.
 *
 *  @par Source   Brooker: Exponential Backoff And Jitter, AWS Architecture Blog, 2015 ("full jitter").
 */
struct retry_policy {
    int attempts_max = 3;                     ///< The first attempt included; 0 or 1 means no retry.
    std::chrono::nanoseconds initial = std::chrono::milliseconds{500};
    double factor = 2.0;                      ///< At least 1.
    std::chrono::nanoseconds delay_max = std::chrono::seconds{30};
    enum jitter jitter = jitter::full;
    /** Errors worth another attempt; empty: all but `errc::cancelled`, `errc::budget_exhausted`,
     *  `errc::guardrail_tripped`, `errc::http_refused` and `errc::agent_refused`. */
    std::vector<errc> retry_on = {};

    /** Whether another attempt follows after number `attempt` (1, 2, …) failed with `cause`. */
    [[nodiscard]] bool retries_after(int attempt, errc cause) const noexcept;

    /** How long to wait before attempt number `attempt` (2, 3, …); nothing before the first.
     *  @param uniform  A random number in [0, 1), used by `jitter::full` only. */
    [[nodiscard]] std::chrono::nanoseconds delay_before(int attempt, double uniform) const noexcept;
};

}  // namespace weft
