#pragma once

#include "compilation.hpp"

namespace weft::spec_detail {

/** Reports what is wrong with the MCP servers of the spec. Nothing is started. */
void check_servers(compilation& in);

}  // namespace weft::spec_detail
