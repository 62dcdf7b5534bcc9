// The server that OpenAI's clients talk to in the tests interop.openai_*.
// usage: openai_server <port> <loops>

#include "interop_server.hpp"
#include "serve/openai/openai_graphs.hpp"
#include "serve/server/client_tool_graph.hpp"

int main(int count, char** arguments)
{
    std::vector<weft::served_graph> graphs = openai_graphs::all();
    graphs.push_back(client_tool_graph::helper());
    return serve_until_stopped(count, arguments, std::move(graphs));
}
