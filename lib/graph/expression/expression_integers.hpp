#pragma once

#include "expression_evaluation.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::expression_detail {

inline constexpr unsigned integer_bits_max = 4096;
inline constexpr std::int64_t exponent_max = 1000;

/** An integer of up to 8192 bits and a sign, without a heap: the product of two that are allowed still fits. */
using wide = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    2 * integer_bits_max, 2 * integer_bits_max, boost::multiprecision::signed_magnitude,
    boost::multiprecision::unchecked, void>>;

struct big_integer {
    wide value;
};

/** Whether a value is an `int` or a `bool`. */
[[nodiscard]] inline bool is_integer(const expression_value& v) noexcept
{
    return v.is(expression_kind::integer) || v.is(expression_kind::boolean) || v.is(expression_kind::big_integer);
}
/** Whether its 64 bits are all of it. */
[[nodiscard]] inline bool is_small(const expression_value& v) noexcept
{
    return v.is(expression_kind::integer) || v.is(expression_kind::boolean);
}

[[nodiscard]] wide to_wide(const expression_value& integer);
/** An integer as a value. Fails beyond `integer_bits_max`. */
[[nodiscard]] expression_value from_wide(evaluation& in, const wide& integer);

// The operators on two integers. Division and remainder round as in Python: the remainder has the divisor's sign.
[[nodiscard]] expression_value add(evaluation& in, const expression_value& a, const expression_value& b);
[[nodiscard]] expression_value subtract(evaluation& in, const expression_value& a, const expression_value& b);
[[nodiscard]] expression_value multiply(evaluation& in, const expression_value& a, const expression_value& b);
[[nodiscard]] expression_value floor_divide(evaluation& in, const expression_value& a, const expression_value& b);
[[nodiscard]] expression_value modulo(evaluation& in, const expression_value& a, const expression_value& b);
[[nodiscard]] expression_value power(evaluation& in, const expression_value& a, const expression_value& b);
[[nodiscard]] expression_value shift_left(evaluation& in, const expression_value& a, const expression_value& b);
[[nodiscard]] expression_value shift_right(evaluation& in, const expression_value& a, const expression_value& b);
[[nodiscard]] expression_value bit_and(evaluation& in, const expression_value& a, const expression_value& b);
[[nodiscard]] expression_value bit_or(evaluation& in, const expression_value& a, const expression_value& b);
[[nodiscard]] expression_value bit_xor(evaluation& in, const expression_value& a, const expression_value& b);
[[nodiscard]] expression_value negate(evaluation& in, const expression_value& a);
[[nodiscard]] expression_value invert(evaluation& in, const expression_value& a);

/** a / b, rounded once. */
[[nodiscard]] double divide(const expression_value& a, const expression_value& b);
/** The nearest double. Fails when it would be infinite. */
[[nodiscard]] double to_real(const expression_value& integer);
/** The integer part of a finite double. */
[[nodiscard]] wide truncated(double finite);

[[nodiscard]] std::strong_ordering compare_integers(const expression_value& a, const expression_value& b);
/** Exactly, without rounding the integer. */
[[nodiscard]] std::partial_ordering compare_integer_real(const expression_value& integer, double real);

/** Digits of a base from 2 to 36, without a sign; underscores are skipped. Nothing when one is no digit. */
[[nodiscard]] std::optional<expression_value> parse_digits(evaluation& in, std::string_view digits, unsigned base);
[[nodiscard]] std::string integer_text(evaluation& in, const expression_value& integer);

}  // namespace weft::expression_detail
