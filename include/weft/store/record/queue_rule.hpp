#pragma once

#include <weft/base/chrono.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace weft {

/** What a step of `new_run::priority` is worth: a run goes before runs of the same tenant that were entered up to so
 *  much earlier with a priority of one less. So a low priority waits longer, and no run waits for ever. */
inline constexpr std::chrono::seconds priority_head_start{60};

/** A rate: `count` in each `per`, evenly, and up to `burst` of them at once.
 *  @par Source   GCRA: ITU-T I.371, annex A; "Rate limiting, cells, and GCRA", brandur.org. */
struct rate_rule {
    std::uint32_t count = 1;                  ///< At least 1.
    std::chrono::milliseconds per = std::chrono::seconds{1};
    std::uint32_t burst = 1;                  ///< At least 1.

    /** From one to the next. */
    [[nodiscard]] std::chrono::microseconds interval() const noexcept
    {
        return std::chrono::microseconds{per} / (count > 0 ? count : 1);
    }

    friend bool operator==(const rate_rule&, const rate_rule&) noexcept = default;
};

/** What runs a limit counts together. */
enum class limit_scope : std::uint8_t {
    tenant,  ///< Those of a tenant.
    graph,   ///< Those of a graph, of all tenants.
    key,     ///< Those of a tenant with the same value under a name in `new_run::limit_keys`.
};

/** How many runs may be under way at once, and how many may begin in a span. Either alone or both. */
struct queue_limit {
    std::optional<std::uint32_t> active_max = {};
    std::optional<rate_rule> rate = {};

    friend bool operator==(const queue_limit&, const queue_limit&) noexcept = default;
};

/** When a run that was lost with its worker, or has failed, is ready again: after `first`, then twice as long with each
 *  attempt, up to `longest`; each time between half of that and all of it. */
struct retry_rule {
    std::chrono::milliseconds first{0};
    std::chrono::milliseconds longest = std::chrono::minutes{5};
    /** Whether runs that end with `run_outcome::may_retry` try again, as long as `new_run::attempts_max` allows. */
    bool retries_failures = false;

    friend bool operator==(const retry_rule&, const retry_rule&) noexcept = default;
};

}  // namespace weft
