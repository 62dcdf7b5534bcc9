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

/** What has to flow in until a bucket is full. */
double missing_in(const std::optional<token_level>& bucket, time_point now) noexcept
{
    if (!bucket) return 0;
    const std::chrono::duration<double> span = bucket->ready_at(bucket->rate().burst) - now;
    return std::max(span.count(), 0.0) * bucket->rate().per_second;
}

void take_from(std::optional<token_level>& bucket, double amount, time_point now) noexcept
{
    if (bucket) bucket->take(amount, now);
}

}  // namespace

rate_gate::rate_gate(const model_rate_limits& limits, time_point now)
    : limits_{limits}, requests_limit_{limits.requests_per_minute}, tokens_limit_{limits.tokens_per_minute},
      requests_{bucket_of(requests_limit_, limits.headroom, now)},
      tokens_{bucket_of(tokens_limit_, limits.headroom, now)}, paused_until_{now}, pause_told_{now}
{
}

void rate_gate::fill_buckets(time_point now) noexcept
{
    const bool is_away = is_shared() && share_->is_away();
    const double part = is_away ? share_->part_when_away() : 1;
    const rate_amounts headroom = is_away ? share_->headroom() : rate_amounts{limits_.headroom, limits_.headroom};
    requests_ = bucket_of(requests_limit_ * part, headroom.calls, now);
    tokens_ = bucket_of(tokens_limit_ * part, headroom.tokens, now);
}

void rate_gate::share(bool is_shared)
{
    if (is_shared == share_.has_value()) return;
    share_.reset();
    if (!is_shared) return;
    share_.emplace(limits_.headroom);
    share_->limit_to({requests_limit_, tokens_limit_});
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
    waiting_tokens_ += place.tokens;
}

void rate_gate::leave(rate_place& place)
{
    named_tenant& named = *static_cast<named_tenant*>(place.tenant_);
    place.unlink();
    --waiting_;
    waiting_tokens_ -= place.tokens;
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
    if (!next || !may_begin()) return std::nullopt;
    time_point ready = paused_until_;
    if (lives_on_claims()) {
        const std::optional<time_point> claimed = share_->ready_at(next->tokens);
        return claimed ? std::optional{std::max(ready, *claimed)} : std::nullopt;
    }
    if (requests_) ready = std::max(ready, requests_->ready_at(1));
    if (tokens_) ready = std::max(ready, tokens_->ready_at(next->tokens));
    return ready;
}

rate_place* rate_gate::serve(time_point now)
{
    const std::optional<time_point> ready = ready_at();
    if (!ready || *ready > now || (lives_on_claims() && share_->has_lapsed(now))) return nullptr;
    named_tenant& named = **active_.begin();
    tenant& own = named.second;
    active_.erase(active_.begin());
    rate_place& served = own.line.pop();
    --waiting_;
    waiting_tokens_ -= served.tokens;
    ++in_flight_;
    if (lives_on_claims()) {
        share_->take(served.tokens);
    } else {
        take_from(requests_, 1, now);
        take_from(tokens_, served.tokens, now);
    }
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
    if (lives_on_claims()) return share_->correct({requests, tokens});
    take_from(requests_, requests, now);
    take_from(tokens_, tokens, now);
}

void rate_gate::pause_until(time_point moment) noexcept { paused_until_ = std::max(paused_until_, moment); }

void rate_gate::learn(const rate_limits& reported, time_point now) noexcept
{
    const double requests = lower_limit(limits_.requests_per_minute, reported.requests.limit);
    const double tokens = lower_limit(limits_.tokens_per_minute, reported.tokens.limit);
    const bool is_new = requests != requests_limit_ || tokens != tokens_limit_;
    requests_limit_ = requests;
    tokens_limit_ = tokens;
    if (share_) share_->limit_to({requests_limit_, tokens_limit_});
    if (is_new) fill_buckets(now);
    const auto lower = [&](std::optional<token_level>& bucket, const rate_limit& said) {
        if (said.remaining && bucket) bucket->lower_to(static_cast<double>(*said.remaining), now);
    };
    lower(requests_, reported.requests);
    lower(tokens_, reported.tokens);
}

bool rate_gate::needs_claim(time_point now) const
{
    const rate_place* next = first();
    if (!next || is_claiming_ || !is_shared() || !may_begin()) return false;
    if (share_->is_away()) return now >= *share_->next_try();
    return share_->has_lapsed(now) || !share_->ready_at(next->tokens);
}

std::optional<time_point> rate_gate::next_look() const
{
    const std::optional<time_point> ready = ready_at();
    if (!ready || is_claiming_ || !is_shared() || !share_->is_away()) return ready;
    return std::min(*ready, *share_->next_try());
}

std::optional<rate_claim> rate_gate::begin_claim(time_point now)
{
    const bool is_needed = needs_claim(now);
    const bool has_pause = paused_until_ > std::max(now, pause_told_);
    const bool has_news = lives_on_claims() && waiting_ == 0 && (has_pause || share_->has_news());
    if (is_claiming_ || (!is_needed && !has_news)) return std::nullopt;
    rate_share::wish wish;
    wish.waiting = {static_cast<double>(waiting_), waiting_tokens_};
    if (const rate_place* next = first()) wish.first = {1, next->tokens};
    if (share_->is_away()) wish.missing = {missing_in(requests_, now), missing_in(tokens_, now)};
    rate_claim claim = share_->begin_claim(wish, now);
    if (paused_until_ > now) claim.pause = std::chrono::ceil<std::chrono::microseconds>(paused_until_ - now);
    pause_told_ = paused_until_;
    is_claiming_ = true;
    return claim;
}

void rate_gate::end_claim(const rate_standing& standing, time_point now)
{
    is_claiming_ = false;
    if (share_) share_->end_claim(standing, now);
}

void rate_gate::fail_claim(time_point now)
{
    is_claiming_ = false;
    if (!share_) return;
    const bool was_away = share_->is_away();
    share_->fail_claim(now);
    pause_told_ = now;
    if (was_away) return;
    // What went so far was claimed: its own buckets begin empty.
    fill_buckets(now);
    if (requests_) requests_->lower_to(0, now);
    if (tokens_) tokens_->lower_to(0, now);
}

void rate_gate::drop_claim() noexcept
{
    is_claiming_ = false;
    pause_told_ = time_point{};
    if (share_) share_->drop_claim();
}

}  // namespace weft
