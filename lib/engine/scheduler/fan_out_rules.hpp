#pragma once

#include <weft/engine/scheduler/frontier.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace weft {

// What a fan-out does when its branches start and end, by its options. Without effects.

[[nodiscard]] inline const fan_out_options& options_of(const graph& of, const region& r) noexcept
{
    return of.node(r.source).fan_out;
}

/** Whether a fan-out may start its next branch now. */
[[nodiscard]] inline bool may_start_branch(const graph& of, const region& r) noexcept
{
    if (!r.is_open || r.is_decided || r.started == r.size()) return false;
    const std::uint32_t most = options_of(of, r).concurrency_max;
    return most == 0 || r.running < most;
}
/** The time of one branch; 0: unlimited. */
[[nodiscard]] inline std::chrono::nanoseconds timeout_of(const graph& of, const region& r,
                                                         std::uint32_t branch) noexcept
{
    if (r.sent && r.sent->items[branch].timeout.count() > 0) return r.sent->items[branch].timeout;
    return options_of(of, r).branch_timeout;
}
/** Whether the branches that have ended decide how the fan-out ends; the others are stopped then. */
[[nodiscard]] bool is_decided_by_policy(const graph& of, const region& r) noexcept;
/** Whether a fan-out that is open may fail with the failures that it has. */
[[nodiscard]] bool may_fail(const graph& of, const region& r) noexcept;
/** Whether a fan-out whose branches have all ended fails. */
[[nodiscard]] bool has_failed(const graph& of, const region& r) noexcept;
/** What goes up from a fan-out whose branches have all ended; null if its join goes on. */
[[nodiscard]] failure_ptr failure_of(const graph& of, const frontier& where, const region& r);
/** How the branches of a fan-out have ended, by branch. */
[[nodiscard]] std::vector<branch_status> statuses_of(const region& r);

}  // namespace weft
