#include "fan_out_results.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace weft {

namespace {

/** @param status  Of branches of which nothing else is known. */
branch_results results_with(const graph& of, const branch_starts& starts, branch_status status)
{
    branch_results results(starts.size());
    for (std::uint32_t b = 0; b < starts.size(); ++b) {
        results[b].index = b;
        results[b].node = of.name_of(starts.first_node_of(b));
        results[b].status = status;
    }
    return results;
}

branch_results results_of(const graph& of, const region& closed)
{
    branch_results results = results_with(of, closed, branch_status::not_started);
    closed.ended.for_each([&results](std::uint32_t plain) { results[plain].status = branch_status::succeeded; },
                          [&results](const ended_branch& one) {
                              results[one.branch].status = one.status;
                              results[one.branch].error = one.error;
                          });
    return results;
}

}  // namespace

fan_out_results::fan_out_results(const graph& of, region& closed)
{
    if (closed.succeeded == closed.size()) {
        of_.emplace(of);
        starts_ = std::move(static_cast<branch_starts&>(closed));
    } else {
        known_ = new branch_results(results_of(of, closed));
    }
}

const branch_results& fan_out_results::results() const
{
    if (const branch_results* known = known_.load(std::memory_order_acquire)) return *known;
    auto made = std::make_unique<const branch_results>(results_with(*of_, starts_, branch_status::succeeded));
    // Another copy of the run may read at the same time: the first list stays.
    const branch_results* expected = nullptr;
    if (known_.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *made.release();
    return *expected;
}

}  // namespace weft
