#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft revive`: a dead run is ready for the next worker. `exit_code` outlives the app. */
void add_revive_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
