#pragma once

#include "compilation.hpp"

namespace weft::spec_detail {

/** Declares the keys of the spec, and the key of the conversation of all nodes, where the spec or its defaults have
 *  one. */
void add_keys(compilation& in);

/** Gives the graph the memory of the spec, whose scope may name keys. */
void add_memory(compilation& in);

}  // namespace weft::spec_detail
