#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft fork`: a new thread out of a checkpoint. `exit_code` outlives the app. */
void add_fork_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
