#include <weft/async/wait/token_level.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace weft {

namespace {

using std::chrono::nanoseconds;

// A century: so far ahead that the bound is never reached, so near that sums of two do not overflow.
constexpr double span_max = 3.2e18;

/** How long `tokens` take to flow in; negative for a negative number. */
nanoseconds time_for(double tokens, const token_rate& rate) noexcept
{
    const double span = std::ceil(tokens / rate.per_second * 1e9);
    return nanoseconds{static_cast<nanoseconds::rep>(std::clamp(span, -span_max, span_max))};
}

}  // namespace

time_point token_level::ready_at(double tokens) const noexcept
{
    return full_at_ - time_for(rate_.burst - std::min(tokens, rate_.burst), rate_);
}

void token_level::take(double tokens, time_point now) noexcept
{
    const time_point furthest = now + nanoseconds{static_cast<nanoseconds::rep>(span_max)};
    full_at_ = std::min(std::max(full_at_, now) + time_for(tokens, rate_), furthest);
}

void token_level::lower_to(double tokens, time_point now) noexcept
{
    full_at_ = std::max(full_at_, now + time_for(rate_.burst - tokens, rate_));
}

}  // namespace weft
