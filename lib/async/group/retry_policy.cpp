#include <weft/async/retry_policy.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <cmath>

namespace weft {

bool retry_policy::retries_after(int attempt, errc cause) const noexcept
{
    if (attempt >= attempts_max) return false;
    if (retry_on.empty())
        return cause != errc::cancelled && cause != errc::budget_exhausted && cause != errc::guardrail_tripped &&
               cause != errc::http_refused && cause != errc::agent_refused;
    return std::find(retry_on.begin(), retry_on.end(), cause) != retry_on.end();
}

std::chrono::nanoseconds retry_policy::delay_before(int attempt, double uniform) const noexcept
{
    BOOST_ASSERT_MSG(factor >= 1.0, "retry_policy: factor is at least 1");
    BOOST_ASSERT_MSG(uniform >= 0.0 && uniform < 1.0, "retry_policy: uniform lies in [0, 1)");
    if (attempt < 2 || initial <= initial.zero()) return initial.zero();
    // In doubles until the bound is applied: far attempts overflow any integer.
    using nanoseconds = std::chrono::duration<double, std::nano>;
    const nanoseconds grown = nanoseconds{initial} * std::pow(factor, attempt - 2);
    const std::chrono::nanoseconds bounded =
        grown < nanoseconds{delay_max} ? std::chrono::duration_cast<std::chrono::nanoseconds>(grown) : delay_max;
    if (jitter == jitter::none) return bounded;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(nanoseconds{bounded} * uniform);
}

}  // namespace weft
