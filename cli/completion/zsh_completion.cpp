#include "shell_completion.hpp"

#include <weft/base/text/joined_text.hpp>

namespace weft_cli {

namespace {

/** Text inside single quotes; of what _arguments and _describe read, the special characters are escaped. */
std::string zsh_text(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (c == '\'') result += "'\\''";
        else if (std::string_view{"\\[]:"}.find(c) != std::string_view::npos) result += {'\\', c};
        else result.push_back(c);
    }
    return result;
}

std::string zsh_action(const option_outline& option)
{
    if (option.choices.empty()) return option.takes_file ? "_files" : " ";
    return "(" + weft::joined_text(option.choices, " ") + ")";
}

std::string zsh_value(const option_outline& option) { return zsh_text(option.value) + ":" + zsh_action(option); }

/** Lines of _arguments, each with a backslash at the end of the one before. */
void add_zsh_options(std::string& text, const command_outline& command, std::string_view indent)
{
    for (const option_outline& option : command.options)
        for (const std::string& flag : option.flags) {
            const bool is_long = flag.starts_with("--");
            text.append(" \\\n").append(indent).append("'").append(option.is_many ? "*" : "").append(flag);
            if (!option.value.empty()) text.append(is_long ? "=" : "+");
            text.append("[").append(zsh_text(option.description)).append("]");
            if (!option.value.empty()) text.append(":").append(zsh_value(option));
            text.append("'");
        }
}

std::string zsh_case(const command_outline& command)
{
    std::string text = "                " + command.name + ")\n                    _arguments -s";
    add_zsh_options(text, command, "                        ");
    int place = 1;
    for (const option_outline& argument : command.arguments) {
        const std::string which = argument.is_many ? "*" : std::to_string(place++);
        text += " \\\n                        '" + which + ":" + zsh_value(argument) + "'";
    }
    return text + "\n                    ;;\n";
}

}  // namespace

std::string zsh_completion(const command_outline& program)
{
    std::string commands;
    std::string cases;
    for (const command_outline& command : program.commands) {
        commands += "        '" + zsh_text(command.name) + ":" + zsh_text(command.description) + "'\n";
        cases += zsh_case(command);
    }
    std::string options;
    add_zsh_options(options, program, "        ");
    return R"(#compdef weft
# Completes weft in zsh. Written by: weft completion zsh

_weft() {
    local curcontext="$curcontext" state line
    local -a commands
    commands=(
)" + commands + R"(    )
    _arguments -s -C)" + options + R"( \
        '1:command:->command' \
        '*::argument:->argument'
    case $state in
        command)
            _describe -t commands command commands
            ;;
        argument)
            curcontext="${curcontext%:*:*}:weft-$words[1]:"
            case $words[1] in
)" + cases + R"(            esac
            ;;
    esac
}

if [ "$funcstack[1]" = _weft ]; then
    _weft "$@"
elif (( $+functions[compdef] )); then
    compdef _weft weft
fi
)";
}

}  // namespace weft_cli
