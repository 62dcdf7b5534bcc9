#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace weft_cli {

/** Gives a command an option that can be given several times, with one value each time. The words behind the value,
 *  file names for instance, are never taken for further values. `values` outlives the command. */
CLI::Option* add_list(CLI::App& command, const char* name, std::vector<std::string>& values, const char* about);

/** The same for values without commas: `--kinds a,b` is `--kinds a --kinds b`. */
CLI::Option* add_comma_list(CLI::App& command, const char* name, std::vector<std::string>& values, const char* about);

}  // namespace weft_cli
