#include <weft/model/decorator/model_retry.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

using std::chrono::nanoseconds;
using real_nanoseconds = std::chrono::duration<double, std::nano>;

/** By its status, or by an error in the stream that has none. */
bool is_overload(const model_failure& failure) noexcept
{
    if (failure.status == 0) return failure.code == errc::model_overloaded;
    return failure.status == 503 || failure.status == 529;
}

model_retry_step no(std::string_view why = {}) noexcept { return {.goes_on = false, .delay = {}, .why_not = why}; }

bool is_worth_a_retry(const model_retry_policy& policy, const model_failure& failure)
{
    if (failure.code == errc::cancelled) return false;
    return policy.is_worth_a_retry ? policy.is_worth_a_retry(failure) : failure.is_transient;
}

}  // namespace

nanoseconds model_retry::delay_after(const model_failure& failure, double uniform) const noexcept
{
    BOOST_ASSERT_MSG(uniform >= 0 && uniform < 1, "model_retry: uniform lies in [0, 1)");
    if (failure.retry_after) {
        const real_nanoseconds hint{*failure.retry_after};
        return std::chrono::ceil<nanoseconds>(hint * (1 + policy_.hint_jitter * uniform));
    }
    const bool overload = is_overload(failure);
    const real_nanoseconds base{overload ? policy_.overload_base : policy_.base};
    const real_nanoseconds most{overload ? policy_.overload_delay_max : policy_.delay_max};
    // In doubles until the bound is applied: far attempts overflow any integer.
    const real_nanoseconds grown = std::min(most, base * std::pow(policy_.factor, attempt_ - 1));
    const double share = policy_.jitter_min + (1 - policy_.jitter_min) * uniform;
    return std::chrono::duration_cast<nanoseconds>(grown * share);
}

model_retry_step model_retry::after(const model_failure& failure, bool has_passed, time_point now, double uniform)
{
    if (!is_worth_a_retry(policy_, failure)) return no();
    if (has_passed && !policy_.restarts_after_tokens) return no("not retried: some of the reply was delivered");
    if (attempt_ >= policy_.attempts_max)
        return no(attempt_ > 1 ? "given up after the last attempt allowed" : std::string_view{});
    if (failure.retry_after && *failure.retry_after > policy_.hint_max)
        return no("not retried: the wait that the endpoint asks for is longer than allowed");
    const nanoseconds delay = delay_after(failure, uniform);
    if (policy_.elapsed_max && now - began_ + delay > *policy_.elapsed_max)
        return no("not retried: the next attempt would begin after the deadline of the call");
    if (budget_ && !budget_->try_take()) return no("not retried: the retry budget is used up");
    ++attempt_;
    return {.goes_on = true, .delay = delay, .why_not = {}};
}

}  // namespace weft
