#pragma once

#include "run_report.hpp"
#include "terminal/terminal_person.hpp"

#include <weft/async/task.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>

#include <functional>
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

/** Makes the task that runs, with a watcher for its events. A stop of the task cancels the run. */
using run_starter = std::function<weft::task<weft::run_result>(weft::run_request::event_function watcher)>;

/** Runs a task on this OS thread, shows its events meanwhile, and writes its log. The first SIGINT or SIGTERM stops it;
 *  a second one ends the program at once.
 *
 *  @param graph     Its name, for the log.
 *  @param tell_end  Told of the end before its log, and standard output as `events`, end with `result_json`: adds what
 *                   the result does not know.
 *  @return          What became of the run.
 *  @par Errors      `usage_error`: the log cannot be written. What the task throws; a stop by a signal is a result. */
[[nodiscard]] ended_run run_and_show(const std::string& graph, const run_starter& start, const session_options& options,
                                     const std::function<void(ended_run&)>& tell_end = {});

}  // namespace weft_cli
