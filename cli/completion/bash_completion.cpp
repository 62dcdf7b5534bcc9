#include "shell_completion.hpp"

#include <weft/base/text/joined_text.hpp>

namespace weft_cli {

namespace {

/** What completes a value: a call of one of the two functions of the script; nothing if any text may stand there. */
std::string bash_action(const option_outline& option)
{
    if (!option.choices.empty()) return "_weft_words '" + weft::joined_text(option.choices, " ") + "'";
    return option.takes_file ? "_weft_files" : "";
}

/** The case of a command: values of its options first, then its options, then its arguments. */
std::string bash_case(const command_outline& command)
{
    std::string values;
    std::string flags;
    for (const option_outline& option : command.options) {
        flags += (flags.empty() ? "" : " ") + weft::joined_text(option.flags, " ");
        if (option.value.empty()) continue;
        const std::string action = bash_action(option);
        values += "                " + weft::joined_text(option.flags, "|") + ") " + (action.empty() ? ":" : action) +
                  "; return ;;\n";
    }
    std::string text = "        " + command.name + ")\n";
    if (!values.empty()) text += "            case $before in\n" + values + "            esac\n";
    text += "            if [[ $word == -* ]]; then _weft_words '" + flags + "'; return; fi\n";
    for (const option_outline& argument : command.arguments)
        if (const std::string action = bash_action(argument); !action.empty()) text += "            " + action + "\n";
    return text + "            ;;\n";
}

}  // namespace

std::string bash_completion(const command_outline& program)
{
    std::string commands;
    std::string cases;
    for (const command_outline& command : program.commands) {
        commands += (commands.empty() ? "" : " ") + command.name;
        cases += bash_case(command);
    }
    std::string flags;
    for (const option_outline& option : program.options)
        flags += (flags.empty() ? "" : " ") + weft::joined_text(option.flags, " ");
    return R"(# Completes weft in bash. Written by: weft completion bash

_weft_words() {
    local IFS=$' \n'
    COMPREPLY=($(compgen -W "$1" -- "$word"))
}

_weft_files() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$word"))
}

_weft() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= i
    COMPREPLY=()
    # bash takes the = of --option=value for a word of its own
    if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi
    done
    case $command in
        '')
            if [[ $word == -* ]]; then _weft_words ')" +
           flags + "'; else _weft_words '" + commands + R"('; fi
            ;;
)" + cases + R"(    esac
}

complete -F _weft weft
)";
}

}  // namespace weft_cli
