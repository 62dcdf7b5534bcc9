#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace weft {

/** A whole number of something, which does not mix with numbers of other things.
 *
 *  Sums and products that exceed 64 bits stop at the largest or smallest value: what an endpoint
 *  reports must not turn a budget round.
 */
template <class Tag>
class quantity {
public:
    /** 0. */
    constexpr quantity() noexcept = default;
    /** Explicit: a bare number does not say what it counts. */
    constexpr explicit quantity(std::int64_t count) noexcept : count_{count} {}

    [[nodiscard]] constexpr std::int64_t count() const noexcept { return count_; }

    /** What sums and products stop at. */
    [[nodiscard]] static constexpr quantity max() noexcept { return quantity{INT64_MAX}; }
    [[nodiscard]] static constexpr quantity min() noexcept { return quantity{INT64_MIN}; }

    // The builtins tell of an overflow by one flag of the processor; a comparison beforehand would cost more.
    constexpr quantity& operator+=(quantity other) noexcept
    {
        const auto limit = other.count_ < 0 ? INT64_MIN : INT64_MAX;
        if (__builtin_add_overflow(count_, other.count_, &count_)) count_ = limit;
        return *this;
    }
    constexpr quantity& operator-=(quantity other) noexcept
    {
        const auto limit = other.count_ < 0 ? INT64_MAX : INT64_MIN;
        if (__builtin_sub_overflow(count_, other.count_, &count_)) count_ = limit;
        return *this;
    }
    constexpr quantity& operator*=(std::int64_t factor) noexcept
    {
        const auto limit = (count_ < 0) == (factor < 0) ? INT64_MAX : INT64_MIN;
        if (__builtin_mul_overflow(count_, factor, &count_)) count_ = limit;
        return *this;
    }

    friend constexpr quantity operator+(quantity a, quantity b) noexcept { return a += b; }
    friend constexpr quantity operator-(quantity a, quantity b) noexcept { return a -= b; }
    /** By a plain number only: tokens times tokens are no tokens. */
    friend constexpr quantity operator*(quantity a, std::int64_t factor) noexcept
    {
        return a *= factor;
    }
    friend constexpr quantity operator*(std::int64_t factor, quantity a) noexcept
    {
        return a *= factor;
    }
    friend constexpr bool operator==(quantity, quantity) noexcept = default;
    friend constexpr auto operator<=>(quantity, quantity) noexcept = default;

private:
    std::int64_t count_ = 0;
};

/** What a model reads and writes, as its endpoint counts. */
using tokens = quantity<struct tokens_tag>;

/** Money: millionths of a US dollar. */
using usd_micros = quantity<struct usd_micros_tag>;

/** E.g. `"1200 tokens"`. */
[[nodiscard]] std::string to_string(tokens amount);

/** E.g. `"$5.00"`, `"$0.00015"`: two to six decimals, without trailing zeros after the second. */
[[nodiscard]] std::string to_string(usd_micros amount);

}  // namespace weft
