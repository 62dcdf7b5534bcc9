#include "program.hpp"

#include "command/commands.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"

#include <weft/graph/spec/spec_mistake.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace weft_cli {

namespace {

constexpr const char* first_steps = R"(Five to begin with:
  weft new hello           writes hello.json, a graph that runs
  weft run hello.json      runs it, with scripted replies or with a model of yours
  weft check hello.json    says what is wrong with it, where, and what to do
  weft explain hello.json  says how it was understood: keys, joins, limits, defaults
  weft draw hello.json     draws it: Mermaid, DOT, SVG

A run that survives the program:
  weft run hello.json --thread first    keeps the run in weft.db, step by step
  weft resume first                     goes on after Ctrl-C, a crash or a question

Example:
  weft new review --template review && weft run review.json --input topic=rain

Exit status: 0 good, 1 the graph has errors or its run failed, 2 wrong usage or a file that cannot be read.
`weft COMMAND --help` tells more, with examples. All of it: man weft; PROGRAM.md and GRAPH_FILES.md in docs/ or
share/doc/weft.)";

std::vector<std::string> names_of_commands(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty()) names.push_back(command->get_name());
    return names;
}

std::vector<std::string> names_of_options(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::Option* const option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

/** The command that the line names; the program if there is none. */
const CLI::App& command_of(const CLI::App& app)
{
    const std::vector<CLI::App*> parsed = app.get_subcommands();
    return parsed.empty() ? app : *parsed.back();
}

/** What a word is that nothing takes, and what was probably meant. */
std::string unknown_word(const CLI::App& app, const CLI::App& command, const std::string& word)
{
    const bool is_option = word.starts_with('-') && word.size() > 1;
    if (!is_option && &app != &command) return "there is no place for '" + word + "'";
    const std::string plain = is_option ? word.substr(0, word.find('=')) : word;
    const std::vector<std::string> names = is_option ? names_of_options(command) : names_of_commands(app);
    const std::vector<std::string_view> known{names.begin(), names.end()};
    return (is_option ? "there is no option '" : "there is no command '") + plain + "'" +
           weft::known_names(plain, known);
}

/** What is wrong with the file of --config: an option that the command does not have, or a line that is none. */
std::string wrong_in_file(const CLI::App& app, const CLI::App& command, std::string_view said)
{
    std::string what{said.substr(std::min(said.size(), said.rfind(' ') + 1))};
    const std::string table = command.get_name() + '.';
    const bool is_option = what.starts_with(table);
    const std::string in_file = "--config " + app.get_config_ptr()->as<std::string>() + ": ";
    if (!is_option) return in_file + "it cannot be read from '" + what + "' on";
    return in_file + '[' + command.get_name() + "]: " + unknown_word(app, command, "--" + what.substr(table.size()));
}

int tell_wrong_usage(const CLI::App& app, const CLI::ParseError& e)
{
    const CLI::App& command = command_of(app);
    const std::string name = &command == &app ? "weft" : "weft " + command.get_name();
    const std::vector<std::string> unknown = app.remaining(true);
    const bool is_of_file = dynamic_cast<const CLI::ConfigError*>(&e) != nullptr;
    const std::string what = is_of_file        ? wrong_in_file(app, command, e.what())
                             : unknown.empty() ? e.what()
                                               : unknown_word(app, command, unknown.front());
    std::cerr << console::harmless(name + ": " + what) << "\nSee " << name << " --help\n";
    return wrong_usage;
}

/** `weft help check` is `weft check --help`. */
std::vector<const char*> args_of(int argc, const char* const* argv)
{
    std::vector<const char*> args{argv, argv + argc};
    if (argc < 2 || std::string_view{argv[1]} != "help") return args;
    args.erase(args.begin() + 1);
    args.push_back("--help");
    return args;
}

int run_app(CLI::App& app, const int& exit_code, int argc, const char* const* argv)
{
    const std::vector<const char*> args = args_of(argc, argv);
    try {
        app.parse(static_cast<int>(args.size()), args.data());
    } catch (const CLI::ParseError& e) {
        return e.get_exit_code() == 0 ? app.exit(e) : tell_wrong_usage(app, e);
    }
    if (!app.get_subcommands().empty()) return exit_code;
    std::cerr << app.help();
    return wrong_usage;
}

/** The commands for runs in a store. */
void add_saved_run_commands(CLI::App& app, int& exit_code)
{
    const std::size_t before = app.get_subcommands([](CLI::App*) { return true; }).size();
    add_resume_command(app, exit_code);
    add_threads_command(app, exit_code);
    add_history_command(app, exit_code);
    add_show_command(app, exit_code);
    add_answer_command(app, exit_code);
    add_event_command(app, exit_code);
    add_fork_command(app, exit_code);
    add_compat_command(app, exit_code);
    add_pause_command(app, exit_code);
    add_stop_command(app, exit_code);
    add_revive_command(app, exit_code);
    add_label_command(app, exit_code);
    add_prune_command(app, exit_code);
    add_forget_command(app, exit_code);
    add_export_command(app, exit_code);
    const std::vector<CLI::App*> all = app.get_subcommands([](CLI::App*) { return true; });
    for (std::size_t i = before; i < all.size(); ++i) all[i]->group("Commands for runs that are kept");
}

}  // namespace

void describe_program(CLI::App& app, int& exit_code)
{
    app.name("weft");
    app.description("Runs, checks and draws graphs of AI agents that stand in JSON files. No C++ needed.");
    app.set_version_flag("--version", "weft " WEFT_VERSION);
    app.set_config("--config", "", "Options in a file of TOML, in a table for each command, such as [serve]")
        ->type_name("FILE");
    app.allow_config_extras(CLI::config_extras_mode::error);
    app.footer(first_steps);
    app.get_formatter()->label("SUBCOMMAND", "COMMAND");
    app.get_formatter()->column_width(26);
    add_new_command(app, exit_code);
    add_run_command(app, exit_code);
    add_serve_command(app, exit_code);
    add_worker_command(app, exit_code);
    add_queue_command(app, exit_code);
    add_workers_command(app, exit_code);
    add_top_command(app, exit_code);
    add_dead_command(app, exit_code);
    add_cron_command(app, exit_code);
    add_store_command(app, exit_code);
    add_mcp_command(app, exit_code);
    add_keys_command(app, exit_code);
    add_check_command(app, exit_code);
    add_explain_command(app, exit_code);
    add_draw_command(app, exit_code);
    add_index_command(app, exit_code);
    add_trace_command(app, exit_code);
    add_completion_command(app, exit_code);
    add_man_command(app, exit_code);
    for (CLI::App* const command : app.get_subcommands([](CLI::App* c) { return !c->get_group().empty(); }))
        command->group("Commands");
    add_saved_run_commands(app, exit_code);
}

int run_program(int argc, const char* const* argv) noexcept
{
    try {
        CLI::App app;
        int exit_code = all_good;
        describe_program(app, exit_code);
        exit_code = run_app(app, exit_code, argc, argv);
        std::cout.flush();
        if (std::cout) return exit_code;
        std::cerr << "weft: standard output does not take what is written\n";
    } catch (const std::exception& e) {
        std::cerr << "weft: " << console::harmless(e.what()) << '\n';
    }
    return wrong_usage;
}

}  // namespace weft_cli
