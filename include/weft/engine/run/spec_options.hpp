#pragma once

#include <weft/engine/run_options.hpp>
#include <weft/graph/graph_spec.hpp>

namespace weft {

/** The options of a run with the limits of its graph file, those of `defaults` where the file says nothing.
 *
 *  @param otherwise   What the file cannot say, and what holds where it is silent. */
[[nodiscard]] run_options run_options_of(const graph_spec& spec, run_options otherwise = {});

}  // namespace weft
