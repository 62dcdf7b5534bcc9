#pragma once

#include "expression_evaluation.hpp"

#include <cstdint>

namespace weft::expression_detail {

/** `a // b` and `a % b` as Python's float does it. */
[[nodiscard]] double floor_divide(double a, double b);
[[nodiscard]] double modulo(double a, double b);
[[nodiscard]] double power(double a, double b);

/** `float(text)`. */
[[nodiscard]] double parse_real(evaluation& in, std::string_view text);
/** Digits of a literal, without underscores, to the nearest double; infinite or zero when out of range. */
[[nodiscard]] double real_of_digits(std::string_view digits);
/** `round(value)` and `round(value, digits)`, to even from half-way. */
[[nodiscard]] expression_value rounded(evaluation& in, const expression_value& value);
[[nodiscard]] expression_value rounded(evaluation& in, const expression_value& value, const expression_value& digits);
/** `int(value)`. */
[[nodiscard]] expression_value integer_part(evaluation& in, double value);

}  // namespace weft::expression_detail
