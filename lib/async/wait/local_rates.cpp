#include <weft/async/wait/local_rates.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>

#include <algorithm>

namespace weft {

namespace {

using std::chrono::microseconds;

microseconds span_between(time_point from, time_point to) noexcept
{
    return std::chrono::duration_cast<microseconds>(to - from);
}

}  // namespace

task<rate_standing> local_rates::claim(rate_claim what)
{
    for (const std::string& name : {what.rate, what.holder})
        if (name.size() > name_bytes_max)
            throw error{errc::limit_reached, "shared rate",
                        "a name of " + std::to_string(name.size()) + " bytes; at most " +
                            std::to_string(name_bytes_max)};
    const time_point now = (co_await this_task::loop()).now();
    const std::lock_guard guard{lock_};
    rate& of = rates_[what.rate];
    of.paused_until = std::max(of.paused_until, now + what.pause);
    // What is given back leaves the rate at most full; what comes behind a pause stands in line there.
    const time_point earliest = std::max(now, of.paused_until);
    of.calls_full = std::max(of.calls_full - what.back.calls, earliest) + what.cost.calls;
    of.tokens_full = std::max(of.tokens_full - what.back.tokens, earliest) + what.cost.tokens;
    of.holders[what.holder] = now;
    std::erase_if(of.holders, [&](const auto& each) { return now - each.second >= holder_seen_for; });
    rate_standing standing;
    standing.full_in = {span_between(now, of.calls_full), span_between(now, of.tokens_full)};
    standing.paused = span_between(now, of.paused_until);
    standing.holders = static_cast<std::uint32_t>(of.holders.size());
    co_return standing;
}

}  // namespace weft
