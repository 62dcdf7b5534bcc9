#pragma once

#include "expression_signatures.hpp"
#include "expression_compare.hpp"
#include "expression_operators.hpp"

#include <weft/graph/expression.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::expression_detail {

enum class opcode : std::uint8_t {
    constant,           ///< Pushes constant `operand`.
    name,               ///< Pushes the value of name `operand`.
    unary,              ///< `variant`: unary_operator.
    logical_not,
    binary,             ///< `variant`: binary_operator.
    compare,            ///< `variant`: comparison.
    compare_chained,    ///< Keeps the right operand; or, if it does not hold, pushes False and jumps.
    jump,               ///< By `operand` instructions from the next one; so do all jumps.
    jump_if_false,      ///< Pops the condition.
    keep_if_false,      ///< Jumps with the operand of an `and` that decides it; else pops it.
    keep_if_true,       ///< The same for `or`.
    list, tuple,        ///< Of the topmost `operand` values.
    dict,               ///< Of the topmost `operand` pairs.
    subscript,
    attribute,          ///< Named by constant `operand`.
    function, method,   ///< As call site `operand` says.
};

struct instruction {
    opcode code;
    std::uint8_t variant;
    std::int32_t operand;
    std::uint32_t offset;  ///< In the text, for messages.
};

/** A compiled expression: never changes once it is made. */
struct program {
    explicit program(std::string_view source, const expression_limits& bounds)
        : text{source}, limits{bounds}, arena{bounds.memory_bytes_max}
    {
    }

    std::string text;
    expression_limits limits;
    expression_arena arena;  ///< Holds what the constants view.
    std::vector<instruction> code;
    std::vector<expression_value> constants;
    std::vector<expression_name> names;
    std::vector<call_site> calls;
    std::size_t stack_max = 0;  ///< No evaluation pushes more values.
};

/** Runs a program. Throws `evaluation_error` without a position; `at` is the instruction that failed. */
[[nodiscard]] expression_value run(const program& of, const expression_scope& scope, evaluation& in, std::size_t& at);

}  // namespace weft::expression_detail
