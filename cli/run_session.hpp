#pragma once

#include "run_report.hpp"
#include "terminal_person.hpp"

#include <weft/engine/run_request.hpp>
#include <weft/graph/graph.hpp>

#include <string>

namespace weft_cli {

/** How a run is shown while it goes on. */
enum class run_showing {
    live,    ///< Progress on standard output.
    events,  ///< Each event as a line of JSON on standard output.
    quiet,
};

struct session_options {
    run_showing showing = run_showing::live;
    std::string log = {};               ///< A file for the events as lines of JSON; empty: none.
    terminal_person* person = nullptr;  ///< For whose questions the pictures step aside; may be null.
};

/** Runs a graph once on this OS thread, shows it meanwhile, and writes its log. The first SIGINT or SIGTERM cancels the
 *  run; a second one ends the program at once.
 *
 *  @param request   Without a watcher and a stop token.
 *  @return          What became of the run. Its log and, as `events`, standard output end with `result_json`.
 *  @par Errors      `usage_error`: the log cannot be written. */
[[nodiscard]] ended_run run_and_show(const weft::graph& graph, weft::run_request request,
                                     const session_options& options);

}  // namespace weft_cli
