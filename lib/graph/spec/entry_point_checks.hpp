#pragma once

#include "compilation.hpp"

namespace weft::spec_detail {

/** Reports what is wrong with the entry points of the spec. Whether a time zone is known, and a secret there, is seen
 *  where the graph is served. */
void check_entry_points(compilation& in);

}  // namespace weft::spec_detail
