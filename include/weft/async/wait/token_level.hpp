#pragma once

#include <weft/base/clock.hpp>

namespace weft {

/** How fast a token bucket fills and how much it holds. */
struct token_rate {
    double per_second;  ///< Above 0.
    double burst;       ///< What can be taken at once after a pause; above 0.
};

/** How full a token bucket is, as a value: the moment at which it will be full again. It may be drawn below empty.
 *
 *  @par Source   The generic cell rate algorithm of ITU-T I.371, annex A, in its virtual scheduling form.
 */
class token_level {
public:
    /** Full at `now`. */
    token_level(token_rate rate, time_point now) noexcept : rate_{rate}, full_at_{now} {}

    /** The moment from which on `tokens`, or all that the bucket can hold, are there. */
    [[nodiscard]] time_point ready_at(double tokens) const noexcept;
    /** Takes `tokens`, there or not, or gives them back when negative. */
    void take(double tokens, time_point now) noexcept;
    /** What is there is at most `tokens`. */
    void lower_to(double tokens, time_point now) noexcept;
    [[nodiscard]] const token_rate& rate() const noexcept { return rate_; }

private:
    token_rate rate_;
    time_point full_at_;
};

}  // namespace weft
