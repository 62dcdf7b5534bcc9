#pragma once

#include "run/run_setup.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace weft_cli {

/** The graph files of a command that serves them. */
void add_graphs_option(CLI::App& command, std::vector<std::string>& graphs);
/** What their nodes may use, and where their runs are kept.
 *  @param args   Outlives the command. */
void add_served_graph_options(CLI::App& command, run_args& args);

/** How fast models may be asked. @param args   Outlives the command. */
void add_model_limit_options(CLI::App& command, run_args& args);

/** How long runs stay that are over. @param args   Outlives the command. */
void add_keep_runs_option(CLI::App& command, run_args& args);
/** What the option says. @par Errors  `usage_error`. */
[[nodiscard]] std::chrono::milliseconds keep_runs_of(const std::string& text);

}  // namespace weft_cli
