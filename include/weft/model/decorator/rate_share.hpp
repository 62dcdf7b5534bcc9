#pragma once

#include <weft/async/wait/shared_rates.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace weft {

/** So many calls and tokens. */
struct rate_amounts {
    double calls = 0;
    double tokens = 0;
};

/** What an amount of a limit costs in a shared rate, and how far ahead of now the rate may be taken. */
struct rate_price {
    std::chrono::microseconds cost{0};
    std::chrono::microseconds depth{0};  ///< It may begin when the rate is full again within this span.
};

/** The price at which no minute holds more than the limit, wherever it begins, though each claim may be spent
 *  `rate_share::lasts` late.
 *
 *  The rate fills with `limit - burst` in a minute and `lasts`, where `burst` is the headroom; a burst goes at once. A
 *  larger amount waits until what goes beyond a burst has flowed in, and costs that twice: else a minute that ends with
 *  it and one that begins with it could not both be within the limit.
 *  @param per_minute   The limit; 0: none, and all is free. @param amount   At most the limit, if it is to hold. */
[[nodiscard]] rate_price price_of(double amount, double per_minute, double headroom) noexcept;

/** What this process may spend of a limit that it shares with others: a slice at a time, claimed ahead, spent without a
 *  question, and given back with the next claim where it was not used. A value without clock, timer, lock or thread.
 *
 *  A claim takes its place in the line of the rate when it is made. Each process has one claim under way, of at most as
 *  much as is its fair share of a second, or one call: so processes take turns. While the rates cannot be asked it is
 *  `is_away`: the process then spends its share of the limits by itself. */
class rate_share {
public:
    /** @param headroom   The share of each limit that goes at once; of tokens at least `token_headroom_min`. */
    explicit rate_share(double headroom) noexcept : headroom_{headroom, std::max(headroom, token_headroom_min)} {}

    /** The limits that all processes have together; 0: none of that kind. */
    void limit_to(rate_amounts per_minute) noexcept { limits_ = per_minute; }

    /** From when on a call may begin out of the slice; nothing: it needs another claim. */
    [[nodiscard]] std::optional<time_point> ready_at(double tokens) const noexcept;
    /** Whether the slice may not be spent any more. */
    [[nodiscard]] bool has_lapsed(time_point now) const noexcept { return now >= until_; }
    void take(double tokens) noexcept;
    /** So much more was used than was taken; negative: less. The next claim says so. */
    void correct(rate_amounts more) noexcept;

    /** Whether the last claim failed, and the next one is not due. */
    [[nodiscard]] bool is_away() const noexcept { return next_try_.has_value(); }
    /** When to claim again; nothing: at any time. */
    [[nodiscard]] std::optional<time_point> next_try() const noexcept { return next_try_; }
    /** Whether something is to be told or given back though nothing is wanted. */
    [[nodiscard]] bool has_news() const noexcept;
    /** How many processes have the limit, with this one; as was known last. */
    [[nodiscard]] std::uint32_t holders() const noexcept { return holders_; }

    /** The share of each limit that goes at once. */
    [[nodiscard]] rate_amounts headroom() const noexcept { return headroom_; }
    /** What part of the limits the process spends while it is away: at the pace of claims. */
    [[nodiscard]] double part_when_away() const noexcept;

    /** What a claim is for. */
    struct wish {
        rate_amounts waiting;  ///< All that waits.
        rate_amounts first;    ///< What the first call takes at least.
        rate_amounts missing;  ///< What was spent of the part while it was away, and has not flowed in again.
    };
    /** What is left of the slice goes back with it. */
    [[nodiscard]] rate_claim begin_claim(const wish& of, time_point now);
    /** The claim that was begun was answered, or failed. */
    void end_claim(const rate_standing& standing, time_point now) noexcept;
    void fail_claim(time_point now) noexcept;
    /** Whether the claim counts is not known, and no fault of the rates. */
    void drop_claim() noexcept;

    /** So that usual calls are no larger than what goes at once. */
    static constexpr double token_headroom_min = 0.05;
    /** How long a slice may be spent, from the moment at which it may begin. */
    static constexpr std::chrono::seconds lasts{1};

private:
    [[nodiscard]] double slice_of(double waiting, double first, double per_minute, double headroom) const noexcept;

    rate_amounts headroom_;
    rate_amounts limits_;
    rate_amounts left_;  // of the slice
    time_point from_{};  // when the slice may be spent
    time_point until_{};
    rate_amounts owed_;    // what was used and is not claimed yet; negative: not used
    rate_amounts wanted_;  // by the claim under way
    rate_amounts told_;    // what was owed, in it
    time_point sent_{};
    std::optional<time_point> next_try_;
    std::uint32_t holders_ = 1;
};

}  // namespace weft
