#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft explain`. @param exit_code   Set by the command when it runs; outlives the app. */
void add_explain_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
