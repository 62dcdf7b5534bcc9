#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Add `weft label`, `weft prune` and `weft forget`: what stays of a thread. `exit_code` outlives the app. */
void add_label_command(CLI::App& app, int& exit_code);
void add_prune_command(CLI::App& app, int& exit_code);
void add_forget_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
