// Says of each JSON text, one a line on standard input, what weft makes of it:
//   shape   its shape is wrong
//   graph   its shape is right, but it is no graph
//   fine    it is a graph
// The first argument is the folder of the files that texts may name.

#include <weft/agent/agent_kinds.hpp>
#include <weft/graph/graph_spec_reader.hpp>

#include <iostream>
#include <string>

namespace {

std::string_view verdict(const std::string& text, const weft::spec_reader_options& options,
                         const weft::node_registry& registry)
{
    try {
        (void)weft::read_graph_spec(text);
    } catch (const weft::graph_spec_error&) {
        return "shape";
    }
    try {
        (void)weft::load_graph(text, registry, options);
        return "fine";
    } catch (const weft::graph_spec_error&) {
        return "graph";
    }
}

}  // namespace

int main(int count, char** arguments)
{
    if (count != 2) return 2;
    const weft::spec_reader_options options{.folder = arguments[1]};
    weft::node_registry registry;
    weft::add_agent_kinds(registry, {});
    for (const char* name : {"classify", "answer", "write", "judge", "search", "condense", "query"})
        registry.add_function(name, [] {});
    for (std::string text; std::getline(std::cin, text);) std::cout << verdict(text, options, registry) << '\n';
}
