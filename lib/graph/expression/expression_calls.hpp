#pragma once

#include "expression_evaluation.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::expression_detail {

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
