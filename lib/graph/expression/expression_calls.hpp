#pragma once

#include "expression_evaluation.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::expression_detail {

/** A function or a method that expressions may call. */
struct callable {
    std::string_view name;
    std::uint8_t arguments_min;
    std::uint8_t arguments_max;  ///< `any` for no bound.
    std::string_view keywords;   ///< Names of arguments, each followed by a blank; "*" allows any.

    static constexpr std::uint8_t any = std::numeric_limits<std::uint8_t>::max();
};

/** All of them, in the order of their numbers. */
[[nodiscard]] std::span<const callable> functions() noexcept;
[[nodiscard]] std::span<const callable> methods() noexcept;

/** A place in an expression where something is called. */
struct call_site {
    std::uint32_t callee;      ///< Number of the function or method.
    std::uint32_t positional;  ///< How many arguments have no name.
    std::vector<std::string> names;
};

/** The arguments of a call. */
struct arguments {
    std::span<const expression_value> positional;
    std::span<const expression_value> named;
    const std::vector<std::string>& names;

    /** An argument by its position or its name; null if it is not given. */
    [[nodiscard]] const expression_value* find(std::size_t position, std::string_view name) const noexcept;
};

[[nodiscard]] expression_value call_function(evaluation& in, std::uint32_t function, const arguments& with);
[[nodiscard]] expression_value call_method(evaluation& in, std::uint32_t method, const expression_value& on,
                                           const arguments& with);

}  // namespace weft::expression_detail
