#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft new`. @param exit_code   Set by the command when it runs; outlives the app. */
void add_new_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
