#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

/** Gives the app everything that `weft` has: its texts, options and commands.
 *  @param exit_code   Set by the command that runs; outlives the app. */
void describe_program(CLI::App& app, int& exit_code);

/** Runs the program on its command line. Never throws; what goes wrong is told on standard error.
 *  @return   What the process ends with; see exit_codes.hpp. */
[[nodiscard]] int run_program(int argc, const char* const* argv) noexcept;

}  // namespace weft_cli
