#pragma once

#include "compilation.hpp"

namespace weft::spec_detail {

/** Adds the edges of the spec; those of routers are there already. */
void add_edges(compilation& in);

/** Says how the fan-outs behave, and where their branches meet. */
void add_fan_outs(compilation& in);

/** The options that say how a fan-out of the spec behaves. */
[[nodiscard]] fan_out_options fan_out_options_of(const fan_out_spec& fan_out, spec_defaults defaults);

}  // namespace weft::spec_detail
