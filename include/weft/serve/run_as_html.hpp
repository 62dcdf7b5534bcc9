#pragma once

#include <weft/async/task.hpp>
#include <weft/graph/graph.hpp>
#include <weft/store/record/run_record.hpp>

#include <string>

namespace weft {

class service_store;

/** A run as one HTML file, which a browser shows without a server: graph, timeline, steps, texts and values, as the
 *  studio has them. For reports of bugs. What the event log of the run has lost is not in it.
 *
 *  @param of   The graph of the run: it says which of its values are lists, and is drawn if `dot` is installed.
 *
 *  @par Errors          Those of the store.
 *  @par Cancellation    At once.
 *  @par Lifetimes       The store outlives the task. */
[[nodiscard]] task<std::string> run_as_html(service_store& service, run_record run, graph of);

}  // namespace weft
