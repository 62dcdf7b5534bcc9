#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft pause` and `weft stop`: what a run is asked to do from elsewhere. `exit_code` outlives the app. */
void add_pause_command(CLI::App& app, int& exit_code);
void add_stop_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
