#pragma once

#include "run/run_setup.hpp"
#include "run/run_telemetry.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace weft_cli {

/** The graph files of a command that serves them. */
void add_graphs_option(CLI::App& command, std::vector<std::string>& graphs);
/** What their nodes may use, and where their runs are kept.
 *  @param args   Outlives the command. */
void add_served_graph_options(CLI::App& command, run_args& args);

/** Where lines about runs go. @param file   Outlives the command. */
void add_run_log_option(CLI::App& command, std::string& file);
/** What the option says; null: no lines are written. @par Errors  `usage_error`. */
[[nodiscard]] run_log_function run_log_of(const run_args& args);

/** How fast models may be asked. @param args   Outlives the command. */
void add_model_limit_options(CLI::App& command, run_args& args);

/** How long runs stay that are over, and their events. */
struct retention_spans {
    std::optional<std::chrono::milliseconds> runs;    ///< Nothing: for ever.
    std::optional<std::chrono::milliseconds> events;  ///< Nothing: as long as their runs.
};

/** @param args   Outlives the command. */
void add_retention_options(CLI::App& command, retention_args& args);
/** What the options say. @par Errors  `usage_error`. */
[[nodiscard]] retention_spans spans_of(const retention_args& args);

}  // namespace weft_cli
