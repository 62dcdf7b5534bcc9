#pragma once

#include <weft/graph/expression/expression_arena.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::expression_detail {

/** Why an evaluation ends without a value: thrown inside the evaluator only, never out of it. */
struct evaluation_error {
    std::string text;  ///< As Python writes it: `TypeError: …`.
};

[[noreturn]] void refuse(std::string_view error, const std::string& what);

/** What one evaluation may still spend, and where it keeps what it makes. */
struct evaluation {
    expression_arena& arena;
    std::size_t steps_left;
    std::size_t steps_max;

    /** Counts work that grows with the size of a value. */
    void charge(std::size_t steps)
    {
        if (steps > steps_left) refuse_steps();
        steps_left -= steps;
    }

private:
    [[noreturn]] void refuse_steps() const;
};

/** The name of a value's type in Python. */
[[nodiscard]] std::string type_name(const expression_value& value);

/** Gives a mapping its members, so that the value can be looked at as a whole; others stay as they are. */
[[nodiscard]] expression_value whole(evaluation& in, const expression_value& value);

[[nodiscard]] bool is_true(evaluation& in, const expression_value& value);

}  // namespace weft::expression_detail
