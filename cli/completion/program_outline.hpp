#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft_cli {

/** An option or an argument of a command, as shells and manuals need it. */
struct option_outline {
    std::vector<std::string> flags = {};    ///< `-o`, `--out`; empty for an argument.
    std::string value = {};                 ///< What its value is called; empty if it takes none.
    std::vector<std::string> choices = {};  ///< The values that it takes, if these are all.
    std::string default_value = {};
    std::string description = {};
    bool takes_file = false;
    bool is_many = false;                   ///< Whether it takes any number of values.
    bool is_required = false;
};

struct command_outline {
    std::string name = {};
    std::string description = {};
    std::string footer = {};
    std::vector<option_outline> options = {};
    std::vector<option_outline> arguments = {};
    std::vector<command_outline> commands = {};
};

/** What a program takes, without commands and options that help does not show either.
 *
 *  A value is taken for a file if it is called FILE, OUT, or ends in an extension, as RUN.jsonl does. */
[[nodiscard]] command_outline outline_of(const CLI::App& app);

}  // namespace weft_cli
