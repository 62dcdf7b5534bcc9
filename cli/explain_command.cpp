#include "explain_command.hpp"

#include "exit_codes.hpp"
#include "explanation.hpp"
#include "problem.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace weft_cli {

namespace {

struct explain_options {
    std::string file = {};
    foreign_names foreign = {};
};

int explain(const explain_options& options)
{
    const graph_file file = graph_file_reader{options.foreign}.read(options.file);
    if (const int trouble = tell_mistakes("explain", file); trouble != all_good) return trouble;
    std::cout << explanation_of(*file.loaded);
    return all_good;
}

}  // namespace

void add_explain_command(CLI::App& app, int& exit_code)
{
    const auto options = std::make_shared<explain_options>();
    CLI::App& command = *app.add_subcommand("explain", "Say how a graph file was understood: keys, joins, limits");
    command.add_option("FILE", options->file, "Graph file")->required()->type_name("");
    add_foreign_names(command, options->foreign);
    command.footer(R"(It tells what holds when the graph runs, also what the file leaves out: the keys
with types and reducers, the nodes with kinds, retries and timeouts, the edges in the order in which they are tried,
where branches meet, the limits.

Example:
  weft explain support.json

Exit status: 0 explained, 1 the file has mistakes, 2 wrong usage or a file that cannot be read.)");
    command.callback([options, &exit_code] { exit_code = explain(*options); });
}

}  // namespace weft_cli
