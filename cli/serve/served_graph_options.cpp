#include "served_graph_options.hpp"

#include "graph/run_input.hpp"
#include "store/store_place.hpp"

#include <weft/graph/spec/spec_duration.hpp>

namespace weft_cli {

void add_graphs_option(CLI::App& command, std::vector<std::string>& graphs)
{
    command.add_option("GRAPHS", graphs, "Graph files, or folders with them")->required()->type_name("");
}

void add_served_graph_options(CLI::App& command, run_args& args)
{
    add_node_options(command, args);
    command.add_option("--prices", args.prices, "What models cost, for a budget of money; see MODEL_DECORATORS.md")
        ->type_name("FILE");
    add_store_options(command, args.store);
    command.add_option("--keep-last", args.keep_last, "Checkpoints of a thread that stay; 0: all")
        ->type_name("N")
        ->capture_default_str()
        ->group("Kept runs");
}

void add_keep_runs_option(CLI::App& command, run_args& args)
{
    command.add_option("--keep-runs", args.keep_runs, "Forget runs so long after their end, e.g. 720h")
        ->type_name("SPAN")
        ->group("Kept runs");
}

std::chrono::milliseconds span_of(const char* option, const std::string& text)
{
    const auto span = weft::spec_duration::parse(text);
    if (!span) throw usage_error{std::string{option} + " " + text + ": write a whole number and a unit, e.g. 720h"};
    return std::chrono::duration_cast<std::chrono::milliseconds>(span->span());
}

}  // namespace weft_cli
