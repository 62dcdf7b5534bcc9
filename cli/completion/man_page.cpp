#include "man_page.hpp"

#include <algorithm>

namespace weft_cli {

namespace {

/** Text that roff shows as it is: a hyphen is the one that people type, and no line is taken for a request. */
std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
        if (c == '\\') result += "\\e";
        else if (c == '-') result += "\\-";
        else if (c == '\'') result += "\\(aq";
        else if (c == '`') result += "\\(ga";
        else if (c == '^') result += "\\(ha";
        else if (c == '~') result += "\\(ti";
        else result.push_back(c);
    }
    return result;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

/** Paragraphs, headings and examples of a footer. */
std::string footer_text(std::string_view footer)
{
    std::string text;
    bool is_example = false;
    bool is_new = true;
    const auto end_example = [&] {
        if (is_example) text += ".RE\n.fi\n";
        is_example = false;
    };
    while (!footer.empty()) {
        const std::string_view line = footer.substr(0, footer.find('\n'));
        footer.remove_prefix(std::min(line.size() + 1, footer.size()));
        if (line.empty()) {
            end_example();
            is_new = true;
            continue;
        }
        if (line.starts_with("  ") && !is_example) {
            text += ".nf\n.RS\n";
            is_example = true;
        } else if (!line.starts_with("  ")) {
            end_example();
            if (is_new) text += ".PP\n";
        }
        text += escaped(is_example ? line.substr(2) : line) + "\n";
        is_new = false;
    }
    end_example();
    return text;
}

std::string usage_of(const std::string& program, const command_outline& command)
{
    std::string text = bold(program + " " + command.name);
    if (!command.options.empty()) text += " [" + italic("OPTION") + "]...";
    for (const option_outline& argument : command.arguments) {
        const std::string name = italic(argument.value) + (argument.is_many ? "..." : "");
        text += " " + (argument.is_required ? name : "[" + name + "]");
    }
    return text + "\n";
}

std::string option_text(const option_outline& option)
{
    std::string names;
    for (const std::string& flag : option.flags) names += (names.empty() ? "" : ", ") + bold(flag);
    if (!option.value.empty()) names += (names.empty() ? "" : " ") + italic(option.value);
    std::string text = ".TP\n" + names + "\n" + escaped(option.description);
    for (std::size_t i = 0; i < option.choices.size(); ++i)
        text += (i > 0 ? ", " : option.description.empty() ? "" : ": ") + bold(option.choices[i]);
    if (!option.default_value.empty()) text += " (default: " + escaped(option.default_value) + ")";
    return text + "\n";
}

std::string command_text(const std::string& program, const command_outline& command)
{
    std::string text = ".SS " + escaped(program + " " + command.name) + "\n" + escaped(command.description) + ".\n";
    text += ".PP\n" + usage_of(program, command);
    for (const option_outline& argument : command.arguments) text += option_text(argument);
    for (const option_outline& option : command.options) text += option_text(option);
    return text + footer_text(command.footer);
}

}  // namespace

std::string man_page(const command_outline& program, std::string_view version)
{
    const std::string name = program.name;
    std::string text = ".\\\" Written by: " + name + " man\n.TH WEFT 1 \"\" \"weft " + escaped(version) +
                       "\" \"User Commands\"\n.SH NAME\n" + name + " \\- runs, checks and draws graphs of AI agents\n";
    text += ".SH SYNOPSIS\n";
    for (const command_outline& command : program.commands) text += usage_of(name, command) + ".br\n";
    text += bold(name) + " " + bold("--help") + " | " + bold("--version") + "\n";
    text += ".SH DESCRIPTION\n" + escaped(program.description) + "\n" + footer_text(program.footer);
    text += ".SH OPTIONS\n";
    for (const option_outline& option : program.options) text += option_text(option);
    text += ".SH COMMANDS\n";
    for (const command_outline& command : program.commands) text += command_text(name, command);
    text += R"(.SH EXIT STATUS
.TP
.B 0
It is good.
.TP
.B 1
The graph has errors, its run failed, or a thread or its store is busy or away.
.TP
.B 2
Wrong usage, or a file cannot be read or written.
.TP
.B 3
A run was paused, or waits for answers.
.PP
Commands may have more; see there.
.SH ENVIRONMENT
.TP
.B NO_COLOR
If it is set and not empty, nothing is coloured, on terminals neither.
.TP
.B WEFT_LLM_PROVIDER\fR, \fBWEFT_LLM_URL\fR, \fBWEFT_LLM_API_KEY\fR, \fBWEFT_LLM_MODEL\fR, \fBOPENAI_API_KEY
Which model answers in runs. Without them replies are scripted.
.TP
.B WEFT_STORE
Where runs are kept: a file, or postgresql://USER@HOST/DATABASE. Without it the file weft.db in the current folder.
.TP
.B WEFT_STORE_KEYS
The file with the keys of a sealed store.
.SH SEE ALSO
.BR dot (1)
.PP
PROGRAM.md, GRAPH_FILES.md and graph.schema.json in share/doc/weft.
)";
    return text;
}

}  // namespace weft_cli
