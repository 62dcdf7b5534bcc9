#pragma once

#include "program_outline.hpp"

#include <string>
#include <string_view>

namespace weft_cli {

/** The manual page weft(1) as roff, for man-db, groff and mandoc. Footers of commands become sections of theirs: a line
 *  that ends with a colon is a heading, indented lines stay as they are.
 *
 *  @param version   E.g. `0.1.0`. */
[[nodiscard]] std::string man_page(const command_outline& program, std::string_view version);

}  // namespace weft_cli
