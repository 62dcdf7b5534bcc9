#pragma once

#include "graph/run_input.hpp"

#include <weft/base/error.hpp>

#include <string>
#include <string_view>

namespace weft_cli {

/** What the program ends with when a store, or a run in it, says no: 1 if the same may go well another time, 2 if what
 *  was asked for cannot be. */
[[nodiscard]] int exit_code_for(weft::errc code) noexcept;

/** What a person can do about what a store says; empty if its message says it. */
[[nodiscard]] std::string store_remedy(const weft::error& why);

/** Tells on standard error what went wrong and what to do. @return  What the program ends with. */
int tell_wrong(std::string_view command, const weft::error& why);
int tell_wrong(std::string_view command, const usage_error& why);

}  // namespace weft_cli
