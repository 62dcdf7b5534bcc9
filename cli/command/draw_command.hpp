#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft draw`. @param exit_code   Set by the command when it runs; outlives the app. */
void add_draw_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
