#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft compat`: which threads can go on with a changed graph. `exit_code` outlives the app. */
void add_compat_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
