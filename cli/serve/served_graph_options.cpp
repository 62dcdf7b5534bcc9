#include "served_graph_options.hpp"

#include "store/store_place.hpp"

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

}  // namespace weft_cli
