#pragma once

#include "rules.hpp"

#include <vector>

namespace weft_tidy {

/** A public header includes the standard headers of the names it uses, itself or by way of weft's own headers: so it
 *  compiles alone, whatever others include before it. */
void check_std_includes(const source_text& source, const std::vector<source_text>& project, mistakes& found);

}  // namespace weft_tidy
