#include <weft/model/decorator/rate_share.hpp>

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

using std::chrono::microseconds;

constexpr double slice_window = 60 + std::chrono::duration<double>{rate_share::lasts}.count();
constexpr std::chrono::seconds retry_after_failure{1};

microseconds span_of(double seconds) noexcept
{
    constexpr double longest = 1e15;  // thirty years, far from an overflow
    return microseconds{static_cast<microseconds::rep>(std::min(std::ceil(seconds * 1e6), longest))};
}

/** What goes at once; half of a small limit, so that something is left to fill with. */
double burst_of(double per_minute, double headroom) noexcept
{
    return std::min(std::max(per_minute * headroom, 1.0), per_minute / 2);
}

double per_second_of(double per_minute, double headroom) noexcept
{
    return (per_minute - burst_of(per_minute, headroom)) / slice_window;
}

/** At the price of small amounts: what is given back costs no more than it did. */
microseconds correction_of(double amount, double per_minute, double headroom) noexcept
{
    return per_minute > 0 && amount > 0 ? span_of(amount / per_second_of(per_minute, headroom)) : microseconds{0};
}

/** When an amount may begin, from the moment of its claim on. */
microseconds delay_of(double amount, double per_minute, double headroom, microseconds full_in) noexcept
{
    return amount > 0 && per_minute > 0 ? full_in - price_of(amount, per_minute, headroom).depth : microseconds{0};
}

}  // namespace

rate_price price_of(double amount, double per_minute, double headroom) noexcept
{
    if (per_minute <= 0 || amount <= 0) return {};
    const microseconds even = span_of(slice_window * amount / per_minute);
    if (per_minute < 2) return {even, even};  // one call at a time
    const double burst = burst_of(per_minute, headroom);
    const double per_second = per_second_of(per_minute, headroom);
    if (amount <= burst) return {span_of(amount / per_second), span_of(burst / per_second)};
    // It begins when what goes beyond a burst has flowed in, and that has to flow in once more behind it.
    return {span_of((2 * amount - burst) / per_second), span_of(amount / per_second)};
}

std::optional<time_point> rate_share::ready_at(double tokens) const noexcept
{
    const bool has_calls = limits_.calls <= 0 || left_.calls >= 1;
    const bool has_tokens = limits_.tokens <= 0 || left_.tokens >= tokens;
    if (!has_calls || !has_tokens) return std::nullopt;
    return from_;
}

void rate_share::take(double tokens) noexcept
{
    left_.calls -= 1;
    left_.tokens -= tokens;
}

void rate_share::correct(rate_amounts more) noexcept
{
    owed_.calls += more.calls;
    owed_.tokens += more.tokens;
}

bool rate_share::has_news() const noexcept
{
    return owed_.calls != 0 || owed_.tokens != 0 || left_.calls > 0 || left_.tokens > 0;
}

double rate_share::slice_of(double waiting, double first, double per_minute, double headroom) const noexcept
{
    if (per_minute <= 0) return 0;
    const double fair = per_second_of(per_minute, headroom) * std::chrono::duration<double>{lasts}.count() / holders_;
    // No slice costs more for its size.
    return std::max(first, std::min({waiting, fair, burst_of(per_minute, headroom)}));
}

double rate_share::part_when_away() const noexcept { return 60 / slice_window / holders_; }

rate_claim rate_share::begin_claim(const wish& of, time_point now)
{
    correct({-std::max(left_.calls, 0.0), -std::max(left_.tokens, 0.0)});
    left_ = {};
    told_ = owed_;
    owed_ = {};
    wanted_.calls = std::floor(slice_of(of.waiting.calls, of.first.calls, limits_.calls, headroom_.calls));
    wanted_.tokens = slice_of(of.waiting.tokens, of.first.tokens, limits_.tokens, headroom_.tokens);
    sent_ = now;
    const auto cost = [](double wanted, double used, double per_minute, double headroom) {
        return price_of(wanted, per_minute, headroom).cost + correction_of(used, per_minute, headroom);
    };
    const rate_amounts used{std::max(told_.calls, 0.0) + of.missing.calls,
                            std::max(told_.tokens, 0.0) + of.missing.tokens};
    rate_claim claim;
    claim.cost.calls = cost(wanted_.calls, used.calls, limits_.calls, headroom_.calls);
    claim.cost.tokens = cost(wanted_.tokens, used.tokens, limits_.tokens, headroom_.tokens);
    claim.back.calls = correction_of(-told_.calls, limits_.calls, headroom_.calls);
    claim.back.tokens = correction_of(-told_.tokens, limits_.tokens, headroom_.tokens);
    return claim;
}

// The moment of the claim lies between its sending and now: a slice begins by the later and ends by the earlier one.
void rate_share::end_claim(const rate_standing& standing, time_point now) noexcept
{
    const microseconds delay =
        std::max({microseconds{0}, standing.paused,
                  delay_of(wanted_.calls, limits_.calls, headroom_.calls, standing.full_in.calls),
                  delay_of(wanted_.tokens, limits_.tokens, headroom_.tokens, standing.full_in.tokens)});
    left_ = wanted_;
    from_ = now + delay;
    until_ = sent_ + delay + lasts;
    holders_ = std::max<std::uint32_t>(standing.holders, 1);
    next_try_.reset();
    told_ = {};
}

void rate_share::drop_claim() noexcept
{
    // What was used counts, at worst twice; what was given back is given up.
    correct({std::max(told_.calls, 0.0), std::max(told_.tokens, 0.0)});
    told_ = {};
}

void rate_share::fail_claim(time_point now) noexcept
{
    drop_claim();
    next_try_ = now + retry_after_failure;
}

}  // namespace weft
