#pragma once

#include "serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/serve/waiting_threads.hpp>

#include <memory>
#include <vector>

namespace weft::serve_detail {

/** Looks what the threads that wait can do, of each graph that has another shape than before or is gone. Of each graph
 *  a thousand threads at most.
 *  @param before   The graphs of the engine until now.
 *  @par Errors     Those of the stores. */
[[nodiscard]] task<std::vector<waiting_threads>> judge_waiting(serve_core& core,
                                                               std::shared_ptr<const durable_graphs> before);

}  // namespace weft::serve_detail
