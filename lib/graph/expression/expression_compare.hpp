#pragma once

#include "expression_evaluation.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>

namespace weft::expression_detail {

enum class comparison : std::uint8_t {
    equal, unequal, less, less_equal, greater, greater_equal, in, not_in, is, is_not
};

[[nodiscard]] bool is_number(const expression_value& v) noexcept;
/** The order of two numbers, exact between integers and reals. */
[[nodiscard]] std::partial_ordering compare_numbers(const expression_value& a, const expression_value& b);

[[nodiscard]] bool are_equal(evaluation& in, const expression_value& a, const expression_value& b, int depth = 0);
[[nodiscard]] bool compare(evaluation& in, comparison how, const expression_value& a, const expression_value& b);
[[nodiscard]] bool contains(evaluation& in, const expression_value& container, const expression_value& item);

/** A number that is the same for equal values. Fails for what a set or the keys of a dict cannot hold. */
[[nodiscard]] std::uint64_t hash_of(evaluation& in, const expression_value& v, int depth = 0);

}  // namespace weft::expression_detail
