#pragma once

#include <weft/graph/analysis.hpp>
#include <weft/graph/graph.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** The text of a graph file, and what `weft check` finds in it. */
struct graph_file_look {
    std::string file;                        ///< Its name, for people.
    std::string text;
    std::vector<located_finding> findings;   ///< Mistakes, else what an analysis finds. `file` is empty for this file.
    std::optional<weft::graph> graph;        ///< Nothing: the text has mistakes.
};

/** Looks at the file of a graph as it was read, or at another text in its place, which may come from anybody. Changes
 *  nothing.
 *  @par Thread safety   It is called from any loop of a server, also from several at once; must not wait. */
using graph_file_function = std::function<graph_file_look(const std::optional<std::string>& text)>;

}  // namespace weft
