#include <weft/model/decorator/extra_call_budget.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

constexpr std::int64_t one_call = 1'000'000;

std::int64_t millionths(double calls) noexcept { return std::llround(calls * static_cast<double>(one_call)); }

}  // namespace

extra_call_budget::extra_call_budget(extra_call_share rate) noexcept
    : share_{millionths(rate.share)}, reserve_{millionths(rate.reserve)}, left_{reserve_}
{
    BOOST_ASSERT_MSG(rate.share >= 0 && rate.reserve >= 0, "a budget of extra calls is not negative");
}

void extra_call_budget::on_call() noexcept
{
    std::int64_t had = left_.load(std::memory_order_relaxed);
    while (!left_.compare_exchange_weak(had, std::min(had + share_, reserve_), std::memory_order_relaxed)) {
    }
}

bool extra_call_budget::try_take() noexcept
{
    std::int64_t had = left_.load(std::memory_order_relaxed);
    do {
        if (had < one_call) return false;
    } while (!left_.compare_exchange_weak(had, had - one_call, std::memory_order_relaxed));
    return true;
}

double extra_call_budget::left() const noexcept
{
    return static_cast<double>(left_.load(std::memory_order_relaxed)) / static_cast<double>(one_call);
}

}  // namespace weft
