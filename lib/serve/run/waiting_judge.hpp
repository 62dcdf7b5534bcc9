#pragma once

#include "serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/graph/graph.hpp>
#include <weft/serve/waiting_threads.hpp>

#include <memory>
#include <string>
#include <vector>

namespace weft::serve_detail {

/** Looks what the threads that wait can do, of each graph that has another shape than before or is gone. Of each graph
 *  a thousand threads at most.
 *  @param before   The graphs of the engine until now.
 *  @par Errors     Those of the stores. */
[[nodiscard]] task<std::vector<waiting_threads>> judge_waiting(serve_core& core,
                                                               std::shared_ptr<const durable_graphs> before);

/** What the threads of a tenant that wait in a graph could do if another one came in its place.
 *  @par Errors     Those of the stores. */
[[nodiscard]] task<waiting_threads> judge_change(serve_core& core, std::string name, graph next, std::string tenant);

}  // namespace weft::serve_detail
