#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Adds `weft export`: the conversations of a store as lines of JSON, to train models with. `exit_code` outlives the
 *  app. */
void add_export_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
