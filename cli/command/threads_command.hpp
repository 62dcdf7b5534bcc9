#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft threads`: which threads a store has. `exit_code` outlives the app. */
void add_threads_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
