#include "served_graph_options.hpp"

#include "store/store_place.hpp"
#include "terminal/list_option.hpp"

namespace weft_cli {

void add_graphs_option(CLI::App& command, std::vector<std::string>& graphs)
{
    command.add_option("GRAPHS", graphs, "Graph files, or folders with them")->required()->type_name("");
}

void add_served_graph_options(CLI::App& command, run_args& args)
{
    add_list(command, "--stub", args.stubs, "What a node with this function of a C++ program writes, as a JSON object")
        ->type_name("FUNCTION=JSON");
    add_comma_list(command, "--allow", args.allowed,
                   "Tools for models: http_fetch, files=FOLDER, files-write=FOLDER, mcp=SERVER of the file; http=HOST: "
                   "a service of your own for nodes of the kind http")
        ->type_name("TOOL");
    command.add_option("--mcp-tokens", args.mcp_tokens,
                       "Keep the OAuth tokens of MCP servers in this file, which only its owner may read")
        ->type_name("FILE");
    command.add_option("--prices", args.prices, "What models cost, for a budget of money; see MODEL_DECORATORS.md")
        ->type_name("FILE");
    add_store_options(command, args.store);
    command.add_option("--keep-last", args.keep_last, "Checkpoints of a thread that stay; 0: all")
        ->type_name("N")
        ->capture_default_str()
        ->group("Kept runs");
}

}  // namespace weft_cli
