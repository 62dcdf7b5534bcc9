#include "fan_out_rules.hpp"

#include "branch_failure.hpp"

#include <algorithm>
#include <string>

namespace weft {

bool is_decided_by_policy(const graph& of, const region& r) noexcept
{
    const branch_policy policy = options_of(of, r).on_failure;
    switch (policy.which()) {
    case branch_policy::kind::fail_all: return r.failed > 0;
    case branch_policy::kind::first_success:
    case branch_policy::kind::quorum:
        // Enough have succeeded, or too few are left.
        return r.succeeded >= policy.needed() || r.size() - r.failed < policy.needed();
    case branch_policy::kind::continue_others:
    case branch_policy::kind::wait_all: break;
    }
    return false;
}

bool may_fail(const graph& of, const region& r) noexcept
{
    const branch_policy::kind policy = options_of(of, r).on_failure.which();
    // Its failures are results, which the join reads.
    if (policy == branch_policy::kind::wait_all) return false;
    return policy != branch_policy::kind::continue_others || r.succeeded == 0;
}

bool has_failed(const graph& of, const region& r) noexcept
{
    const branch_policy policy = options_of(of, r).on_failure;
    const bool is_quorum = policy.which() == branch_policy::kind::quorum;
    if (policy.which() == branch_policy::kind::wait_all || (!r.first_failure && !is_quorum)) return false;
    return policy.which() == branch_policy::kind::fail_all || r.succeeded < std::max(policy.needed(), 1u);
}

failure_ptr failure_of(const graph& of, const frontier& where, const region& r)
{
    if (!has_failed(of, r)) return nullptr;
    const branch_policy policy = options_of(of, r).on_failure;
    const bool is_quorum = policy.which() == branch_policy::kind::quorum;
    // The first in time is the cause; those that follow are often its consequence.
    if (policy.which() == branch_policy::kind::fail_all) return r.first_failure;
    const std::uint32_t needed = std::max(policy.needed(), 1u);
    // Another attempt would not mend it.
    bool is_tripped = false;
    r.ended.for_each([](std::uint32_t) {}, [&is_tripped](const ended_branch& one) {
        is_tripped |= one.error && one.error->code == errc::guardrail_tripped;
    });
    const errc code = is_tripped ? errc::guardrail_tripped : is_quorum ? errc::quorum_missed : errc::branches_failed;
    return failure_at(of, where.branches[r.parent], code,
                      std::to_string(r.succeeded) + " of " + std::to_string(r.size()) + " branches succeeded, " +
                          std::to_string(needed) + " needed" +
                          (r.first_failure ? "; the first failure: " + r.first_failure->message : ""));
}

std::vector<branch_status> statuses_of(const region& r)
{
    std::vector<branch_status> statuses(r.size(), branch_status::not_started);
    r.ended.for_each([&statuses](std::uint32_t plain) { statuses[plain] = branch_status::succeeded; },
                     [&statuses](const ended_branch& ended) { statuses[ended.branch] = ended.status; });
    return statuses;
}

}  // namespace weft
