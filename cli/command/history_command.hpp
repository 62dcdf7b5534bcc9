#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft history`: the checkpoints of a thread. `exit_code` outlives the app. */
void add_history_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
