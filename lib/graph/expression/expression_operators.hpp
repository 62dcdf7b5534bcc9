#pragma once

#include "expression_evaluation.hpp"

#include <cstdint>
#include <string_view>

namespace weft::expression_detail {

enum class binary_operator : std::uint8_t {
    add, subtract, multiply, divide, floor_divide, modulo, power, shift_left, shift_right, bit_or, bit_xor, bit_and
};
enum class unary_operator : std::uint8_t { plus, minus, invert };

/** Why a text has no remainder: what `%` does to texts in Python is left out. */
inline constexpr std::string_view no_formatting =
    "formatting a text with % is not allowed: join texts with +, as in 'score: ' + str(score)";

[[nodiscard]] expression_value apply(evaluation& in, binary_operator how, const expression_value& a,
                                     const expression_value& b);
[[nodiscard]] expression_value apply(evaluation& in, unary_operator how, const expression_value& a);

}  // namespace weft::expression_detail
