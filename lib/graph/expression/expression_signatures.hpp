#pragma once

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

/** The one of that name; null if there is none. */
[[nodiscard]] const callable* find_callable(std::span<const callable> among, std::string_view name) noexcept;
/** Says that there is none of that name, and which there are. @param what   `function` or `method`. */
[[nodiscard]] std::string no_callable(std::span<const callable> among, std::string_view name, std::string_view what);
/** Why a call has too few or too many arguments; empty if it has not. */
[[nodiscard]] std::string wrong_count(const call_site& site, const callable& what);

}  // namespace weft::expression_detail
