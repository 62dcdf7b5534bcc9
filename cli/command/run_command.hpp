#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft run`. `exit_code` outlives the app. */
void add_run_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
