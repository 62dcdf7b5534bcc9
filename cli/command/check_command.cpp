#include "commands.hpp"

#include "graph/check_report.hpp"
#include "run/run_registry.hpp"
#include "terminal/exit_codes.hpp"

#include <boost/json/serialize.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace weft_cli {

namespace {

struct check_options {
    std::vector<std::string> files = {};
    std::string format = "text";
    bool is_strict = false;
    foreign_names foreign = {};
    std::string prices = {};
};

void write_text(const check_report& report)
{
    const problem_writer writer{console::screen{STDERR_FILENO}};
    for (const checked_file& checked : report.files) {
        if (!checked.file.trouble.empty()) (void)tell_mistakes("check", checked.file);
        for (const problem& what : checked.problems) std::cerr << writer.text_of(what, checked.file);
    }
    std::cout << console::harmless(summary_of(report));
}

int check(const check_options& options)
{
    foreign_names foreign = options.foreign;
    foreign.knows_prices = read_prices(options.prices) != nullptr;
    const graph_file_reader reader{foreign};
    const check_report report = check_files(options.files, reader);
    if (options.format == "json") std::cout << boost::json::serialize(to_json(report)) << '\n';
    else if (options.format == "sarif") std::cout << boost::json::serialize(to_sarif(report)) << '\n';
    else write_text(report);
    return report.exit_code(options.is_strict);
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code)
{
    const auto options = std::make_shared<check_options>();
    CLI::App& command = *app.add_subcommand("check", "Say what is wrong with graph files, and where");
    command.add_option("FILE", options->files, "Graph files; those that they name are read too")
        ->required()
        ->type_name("");
    command.add_option("--format", options->format, "How to say it")
        ->check(CLI::IsMember({"text", "json", "sarif"}))
        ->type_name("FORMAT")
        ->capture_default_str();
    command.add_flag("--strict", options->is_strict, "Let warnings fail, not only errors");
    add_foreign_names(command, options->foreign);
    command
        .add_option("--prices", options->prices,
                    "What models cost; without it a file that limits the cost of an agent is a mistake")
        ->type_name("FILE");
    command.footer(R"(Functions that a file names belong to a C++ program and are taken for granted;
other unknown names are mistakes.
Problems go to standard error, each with its place, the line and what to do. What a problem is:
  error    sure to go wrong: the graph cannot be made, or its runs cannot end well
  warning  may go wrong
  note     worth a look

Examples:
  weft check support.json
  weft check --strict graphs/*.json
  weft check --kinds search,mail support.json
  weft check --format sarif graphs/*.json > weft.sarif

Exit status: 0 no errors, 1 errors (with --strict also warnings), 2 wrong usage or a file that cannot be read.)");
    command.callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace weft_cli
