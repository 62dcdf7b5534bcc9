#include <weft/model/decorator/rate_gate.hpp>

#include <boost/assert.hpp>

#include <algorithm>

namespace weft {

namespace {

constexpr std::size_t idle_tenants_max = 1'024;

/** The limit in force: what is configured, or less if the endpoint says so. */
double lower_limit(double configured, const std::optional<std::int64_t>& reported) noexcept
{
    if (!reported || *reported <= 0) return configured;
    const auto told = static_cast<double>(*reported);
    return configured > 0 ? std::min(configured, told) : told;
}

/** A full bucket for what may begin in a minute; nothing if there is no limit. */
std::optional<token_level> bucket_of(double per_minute, double headroom, time_point now) noexcept
{
    const double per_second = per_minute * (1 - headroom) / 60;
    if (per_second <= 0) return std::nullopt;
    return token_level{{.per_second = per_second, .burst = std::max(per_minute * headroom, 1.0)}, now};
}

void take_from(std::optional<token_level>& bucket, double amount, time_point now) noexcept
{
    if (bucket) bucket->take(amount, now);
}

}  // namespace

rate_gate::rate_gate(const model_rate_limits& limits, time_point now)
    : limits_{limits}, requests_limit_{limits.requests_per_minute}, tokens_limit_{limits.tokens_per_minute},
      requests_{bucket_of(requests_limit_, limits.headroom, now)},
      tokens_{bucket_of(tokens_limit_, limits.headroom, now)}, paused_until_{now}
{
}

double rate_gate::cost_of(const rate_place& place) const noexcept
{
    const double by_requests = requests_limit_ > 0 ? 1 / requests_limit_ : 0;
    const double by_tokens = tokens_limit_ > 0 ? place.tokens / tokens_limit_ : 0;
    const double cost = std::max(by_requests, by_tokens);
    return cost > 0 ? cost : 1;
}

void rate_gate::enter(rate_place& place, const std::string& tenant_name, double weight)
{
    BOOST_ASSERT_MSG(weight > 0, "the weight of a tenant is above 0");
    named_tenant& named = *tenants_.try_emplace(tenant_name).first;
    tenant& own = named.second;
    if (own.line.empty()) {
        // Who comes back has no claim on the time in which it asked for nothing.
        own.start = std::max(own.start, virtual_time_);
        own.order = ++entered_;
        active_.insert(&named);
    }
    own.weight = weight;
    own.line.push(place);
    place.tenant_ = &named;
    ++waiting_;
}

void rate_gate::leave(rate_place& place)
{
    named_tenant& named = *static_cast<named_tenant*>(place.tenant_);
    place.unlink();
    --waiting_;
    if (!named.second.line.empty()) return;
    active_.erase(&named);
    rest(named);
}

/** Forgets tenants that have nothing left to pay for. */
void rate_gate::rest(named_tenant& idle)
{
    if (active_.empty()) return tenants_.clear();
    if (idle.second.start <= virtual_time_)
        tenants_.erase(idle.first);
    else if (tenants_.size() > active_.size() + idle_tenants_max)
        std::erase_if(tenants_, [](const named_tenant& one) { return one.second.line.empty(); });
}

rate_place* rate_gate::first() const noexcept
{
    return active_.empty() ? nullptr : &(*active_.begin())->second.line.front();
}

std::optional<time_point> rate_gate::ready_at() const
{
    const rate_place* next = first();
    if (!next || (limits_.in_flight_max > 0 && in_flight_ >= limits_.in_flight_max)) return std::nullopt;
    time_point ready = paused_until_;
    if (requests_) ready = std::max(ready, requests_->ready_at(1));
    if (tokens_) ready = std::max(ready, tokens_->ready_at(next->tokens));
    return ready;
}

rate_place* rate_gate::serve(time_point now)
{
    const std::optional<time_point> ready = ready_at();
    if (!ready || *ready > now) return nullptr;
    named_tenant& named = **active_.begin();
    tenant& own = named.second;
    active_.erase(active_.begin());
    rate_place& served = own.line.pop();
    --waiting_;
    ++in_flight_;
    take_from(requests_, 1, now);
    take_from(tokens_, served.tokens, now);
    virtual_time_ = own.start;
    own.start += cost_of(served) / own.weight;
    own.order = ++entered_;
    if (own.line.empty())
        rest(named);
    else
        active_.insert(&named);
    return &served;
}

void rate_gate::correct(double requests, double tokens, time_point now) noexcept
{
    take_from(requests_, requests, now);
    take_from(tokens_, tokens, now);
}

void rate_gate::pause_until(time_point moment) noexcept { paused_until_ = std::max(paused_until_, moment); }

void rate_gate::learn(const rate_limits& reported, time_point now) noexcept
{
    const auto adopt = [&](std::optional<token_level>& bucket, double& in_force, double configured,
                           const rate_limit& said) {
        const double limit = lower_limit(configured, said.limit);
        if (limit != in_force) {
            in_force = limit;
            bucket = bucket_of(limit, limits_.headroom, now);
        }
        if (said.remaining && bucket) bucket->lower_to(static_cast<double>(*said.remaining), now);
    };
    adopt(requests_, requests_limit_, limits_.requests_per_minute, reported.requests);
    adopt(tokens_, tokens_limit_, limits_.tokens_per_minute, reported.tokens);
}

}  // namespace weft
