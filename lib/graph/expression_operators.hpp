#pragma once

#include "expression_evaluation.hpp"

#include <cstdint>

namespace weft::expression_detail {

enum class binary_operator : std::uint8_t {
    add, subtract, multiply, divide, floor_divide, modulo, power, shift_left, shift_right, bit_or, bit_xor, bit_and
};
enum class unary_operator : std::uint8_t { plus, minus, invert };

[[nodiscard]] expression_value apply(evaluation& in, binary_operator how, const expression_value& a,
                                     const expression_value& b);
[[nodiscard]] expression_value apply(evaluation& in, unary_operator how, const expression_value& a);

}  // namespace weft::expression_detail
