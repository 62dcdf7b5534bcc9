#pragma once

#include "graph_picture.hpp"

#include <weft/async/task.hpp>
#include <weft/graph/graph.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/role/run_event_log.hpp>

#include <optional>
#include <string>

namespace weft::serve_detail {

/** The studio as one file that a browser shows without a server: its modules, with what the page would have asked for.
 *  It refers to no other place, and no text in it becomes markup.
 *
 *  @param of     The graph of the run; nothing if it is not known.
 *  @par Errors      Those of the log.
 *  @par Lifetimes   Log and layouts outlive the task. */
[[nodiscard]] task<std::string> saved_run(run_event_log& log, run_record run, std::optional<graph> of,
                                          layout_table& layouts);

}  // namespace weft::serve_detail
