#include "commands.hpp"

#include "graph/explanation.hpp"
#include "graph/problem.hpp"
#include "graph/prompt_view.hpp"
#include "graph/run_input.hpp"
#include "store/store_problem.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/list_option.hpp"

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

struct explain_options {
    std::string file = {};
    std::string prompt_of = {};
    std::vector<std::string> inputs = {};
    foreign_names foreign = {};
};

int explain(const explain_options& options)
{
    const graph_file_reader reader{options.foreign};
    const graph_file file = reader.read(options.file);
    if (const int trouble = tell_mistakes("explain", file); trouble != all_good) return trouble;
    if (options.prompt_of.empty()) {
        std::cout << explanation_of(*file.loaded);
        return all_good;
    }
    const weft::graph_spec& spec = file.loaded->spec;
    const boost::json::object inputs = read_inputs(options.inputs, spec, std::cin);
    const std::vector<prompt_view> views =
        view_prompts(spec, options.prompt_of, inputs, reader.tools());
    for (std::size_t i = 0; i < views.size(); ++i) std::cout << (i > 0 ? "\n" : "") << text_of(views[i]);
    return all_good;
}

}  // namespace

void add_explain_command(CLI::App& app, int& exit_code)
{
    const auto options = std::make_shared<explain_options>();
    CLI::App& command = *app.add_subcommand("explain", "Say how a graph file was understood: keys, joins, limits");
    command.add_option("FILE", options->file, "Graph file")->required()->type_name("");
    CLI::Option* const prompt =
        command.add_option("--prompt", options->prompt_of, "Show what this node would tell its model")
            ->type_name("NODE");
    add_list(command, "-i,--input", options->inputs, "For --prompt: the value of a key; again for each further one")
        ->type_name("KEY=VALUE|@FILE")
        ->needs(prompt);
    add_foreign_names(command, options->foreign);
    command.footer(R"(It tells what holds when the graph runs, also what the file leaves out: the keys
with types and reducers, the nodes with kinds, retries and timeouts, the edges in the order in which they are tried,
where branches meet, the limits.

With --prompt it shows what a node that asks a model would tell it first: the layers of its prompt with their size and
what became of them, the messages, the tools; of a team and of a supervisor with workers, for each agent. No model is
asked. The same file and values give the same text.

Examples:
  weft explain support.json
  weft explain support.json --prompt answer --input request=Hello

Exit status: 0 explained, 1 the file has mistakes, 2 wrong usage or a file that cannot be read.)");
    command.callback([options, &exit_code] {
        try {
            exit_code = explain(*options);
        } catch (const usage_error& e) {
            exit_code = tell_wrong("explain", e);
        }
    });
}

}  // namespace weft_cli
