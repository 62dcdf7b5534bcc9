#include "commands.hpp"

#include "graph/starter.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output_file.hpp"

#include <weft/base/utf8.hpp>
#include <weft/graph/document/graph_file_format.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>

namespace weft_cli {

namespace {

struct new_options {
    std::string name = {};
    std::string which = starter_names().front();
    bool is_forced = false;
};

int refuse_new(const std::string& why)
{
    std::cerr << "weft new: " << console::harmless(why) << '\n';
    return wrong_usage;
}

/** A word as a shell takes it. */
std::string quoted_for_shell(const std::string& word)
{
    constexpr std::string_view plain
        = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-+=:,@%";
    if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

int make_new(const new_options& options)
{
    std::filesystem::path path{options.name};
    if (weft::format_of_file(options.name) == weft::graph_file_format::yaml)
        return refuse_new("it writes JSON: end the name with .json, or with nothing");
    if (path.extension() != ".json") path += ".json";
    const std::string stem = path.stem().string();
    if (stem.empty() || stem == ".json" || path.filename() == ".json") return refuse_new("the name is empty: give one");
    std::error_code ignored;
    if (!options.is_forced && std::filesystem::exists(path, ignored))
        return refuse_new(path.string() + " is there already: choose another name, or write over it with --force");
    const std::string text = starter_text(options.which, weft::repaired_utf8(stem));
    const overwriting existing = options.is_forced ? overwriting::allowed : overwriting::refused;
    if (const std::string why = write_output(path, text, existing); !why.empty())
        return refuse_new("cannot write " + path.string() + ": " + why);
    const std::string file = console::harmless_line(quoted_for_shell(path.string()));
    std::cout << "Wrote " << console::harmless_line(path.string()) << ". Next:\n"
              << "  weft run " << file << ' ' << starter_arguments(options.which) << '\n'
              << "  weft explain " << file << '\n'
              << "  weft draw " << file << '\n'
              << "Then change it, and ask `weft check " << file << "` whether it is right.\n";
    return all_good;
}

}  // namespace

void add_new_command(CLI::App& app, int& exit_code)
{
    const auto options = std::make_shared<new_options>();
    CLI::App& command = *app.add_subcommand("new", "Write a graph file to begin with, which runs as it is");
    command.add_option("NAME", options->name, "Name of the graph, and of its file without .json")
        ->required()
        ->type_name("");
    command.add_option("--template", options->which, "What to begin with")
        ->check(CLI::IsMember(starter_names()))
        ->type_name("TEMPLATE")
        ->capture_default_str();
    command.add_flag("--force", options->is_forced, "Write over a file that is there");
    command.footer(R"(Templates:
  hello     keys, nodes that compute, a router; no model
  review    a model writes, a model judges, and back until it is good
  research  three models at once, of which two are enough, and a report

Without a model that is set up, nodes of the kind llm give the replies that stand in the file under scripted.

Examples:
  weft new hello
  weft new support --template review
  weft run support.json

Exit status: 0 written, 2 wrong usage, or the file is there already or cannot be written.)");
    command.callback([options, &exit_code] { exit_code = make_new(*options); });
}

}  // namespace weft_cli
