#include "caller_gate.hpp"

#include <weft/net/server/http_error.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t callers_looked_through = 1024;

http_error over_limit(const std::string& what, std::chrono::nanoseconds wait)
{
    const auto seconds = std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(wait).count());
    http_error refused{429, "too_many_requests", what};
    refused.header("Retry-After", std::to_string(seconds));
    return refused;
}

}  // namespace

caller_gate::pass caller_gate::place_in(std::shared_ptr<count> taken)
{
    ++*taken;
    count* const at = taken.get();
    return {at, [taken = std::move(taken)](count* left) { --*left; }};
}

std::size_t caller_gate::callers() const
{
    const std::lock_guard lock{mutex_};
    return callers_.size();
}

void caller_gate::change(caller_limits limits, time_point now)
{
    const std::lock_guard lock{mutex_};
    limits_ = limits;
    const token_rate rate{limits_.requests_per_second, static_cast<double>(std::max<std::size_t>(1, limits_.burst))};
    for (auto& [name, known] : callers_) known.requests = token_level{rate, now};
}

caller_gate::pass caller_gate::enter(const principal& who, time_point now)
{
    const std::lock_guard lock{mutex_};
    const bool is_limited = limits_.requests_per_second > 0 || limits_.open_requests_max > 0;
    if (!is_limited) return nullptr;
    if (callers_.size() % callers_looked_through == callers_looked_through - 1) forget_idle(now);
    const token_rate rate{limits_.requests_per_second, static_cast<double>(std::max<std::size_t>(1, limits_.burst))};
    caller& known = callers_.try_emplace(who.tenant + '\0' + who.name, caller{token_level{rate, now}}).first->second;
    if (limits_.open_requests_max > 0 && *known.open >= limits_.open_requests_max)
        throw over_limit("the caller has " + std::to_string(*known.open) + " requests open, which is all it may",
                         std::chrono::seconds{1});
    if (limits_.requests_per_second > 0) {
        const time_point ready = known.requests.ready_at(1);
        if (ready > now) throw over_limit("the caller sends more requests than it may", ready - now);
        known.requests.take(1, now);
    }
    return place_in(known.open);
}

caller_gate::pass caller_gate::begin_run(const std::string& tenant)
{
    const std::lock_guard lock{mutex_};
    if (limits_.runs_max == 0) return nullptr;
    std::shared_ptr<count>& runs = runs_[tenant];
    if (!runs) runs = std::make_shared<count>(0);
    if (*runs >= limits_.runs_max)
        throw over_limit("the tenant has " + std::to_string(*runs) + " runs under way or in line, which is all it may",
                         std::chrono::seconds{1});
    return place_in(runs);
}

/** A caller whose bucket is full again and who has nothing open is as one who was never here. */
void caller_gate::forget_idle(time_point now)
{
    const double burst = static_cast<double>(std::max<std::size_t>(1, limits_.burst));
    std::erase_if(callers_, [&](const auto& each) {
        const caller& of = each.second;
        return *of.open == 0 && (limits_.requests_per_second <= 0 || of.requests.ready_at(burst) <= now);
    });
    std::erase_if(runs_, [](const auto& each) { return *each.second == 0; });
}

}  // namespace weft::serve_detail
