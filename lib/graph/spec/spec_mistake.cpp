#include <weft/graph/spec/spec_mistake.hpp>

#include <utility>

namespace weft {

namespace {

std::string list_of(const std::vector<spec_mistake>& mistakes)
{
    std::string text = std::to_string(mistakes.size()) + (mistakes.size() == 1 ? " mistake" : " mistakes");
    for (const spec_mistake& mistake : mistakes) text += "\n  - " + mistake.to_text();
    return text;
}

}  // namespace

std::string spec_mistake::to_text() const
{
    return (file.empty() ? "" : file + ":") + std::to_string(line) + ":" + std::to_string(column) + ": " + path + ": " +
           text;
}

graph_spec_error::graph_spec_error(std::string_view file, std::vector<spec_mistake> mistakes)
    : error{errc::invalid_graph, file.empty() ? "graph file" : "graph file '" + std::string{file} + "'",
            list_of(mistakes)},
      mistakes_{std::move(mistakes)}
{
}

}  // namespace weft
