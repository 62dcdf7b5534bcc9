#pragma once

#include <weft/facade/state_graph.hpp>

namespace weft::engine_detail {

/** Runs a thread of the graph to its end, or to its next question. */
[[nodiscard]] task<state_result> run_thread(compiled_state_graph graph, state_request request);

}  // namespace weft::engine_detail
