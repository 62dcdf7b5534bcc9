#include "store_call.hpp"

#include <weft/async/retry_policy.hpp>

namespace weft {

using namespace std::chrono_literals;

std::chrono::nanoseconds retry_delay(int failures) noexcept
{
    // Without jitter: what limits the tries is the lease of the worker, not this.
    retry_policy policy;
    policy.initial = 50ms;
    policy.delay_max = 2s;
    policy.jitter = jitter::none;
    return policy.delay_before(failures + 1, 0.0);
}

}  // namespace weft
