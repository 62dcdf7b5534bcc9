#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft trace`. `exit_code` outlives the app. */
void add_trace_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
