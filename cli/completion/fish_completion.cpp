#include "shell_completion.hpp"

#include <weft/base/text/joined_text.hpp>

namespace weft_cli {

namespace {

std::string fish_text(std::string_view text)
{
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') result.push_back('\\');
        result.push_back(c);
    }
    return result + "'";
}

/** What completes a value: choices, files, or nothing but what is typed. */
std::string fish_values(const option_outline& option)
{
    if (!option.choices.empty()) return " -x -a " + fish_text(weft::joined_text(option.choices, " "));
    return option.takes_file ? " -r -F" : " -x";
}

std::string fish_line(const option_outline& option, const std::string& condition)
{
    std::string text = "complete -c weft -n " + fish_text(condition);
    for (const std::string& flag : option.flags)
        text += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
    if (!option.value.empty()) text += fish_values(option);
    return text + " -d " + fish_text(option.description) + "\n";
}

}  // namespace

std::string fish_completion(const command_outline& program)
{
    std::string text = "# Completes weft in fish. Written by: weft completion fish\n\ncomplete -c weft -f\n";
    const std::string before_command = "__fish_use_subcommand";
    for (const option_outline& option : program.options) text += fish_line(option, before_command);
    for (const command_outline& command : program.commands) {
        const std::string inside = "__fish_seen_subcommand_from " + command.name;
        text += "\ncomplete -c weft -n " + before_command + " -a " + command.name + " -d " +
                fish_text(command.description) + "\n";
        for (const option_outline& option : command.options) text += fish_line(option, inside);
        for (const option_outline& argument : command.arguments) {
            const std::string begin = "complete -c weft -n " + fish_text(inside);
            if (!argument.choices.empty())
                text += begin + " -a " + fish_text(weft::joined_text(argument.choices, " ")) + "\n";
            else if (argument.takes_file) text += begin + " -F\n";
        }
    }
    return text;
}

}  // namespace weft_cli
