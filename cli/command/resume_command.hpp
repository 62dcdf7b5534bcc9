#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft resume`: go on with a run that is kept. `exit_code` outlives the app. */
void add_resume_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
