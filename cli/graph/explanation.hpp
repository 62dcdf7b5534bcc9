#pragma once

#include <weft/graph/graph_spec_reader.hpp>

#include <string>

namespace weft_cli {

/** What a graph file means, in paragraphs for people: keys with types and reducers, nodes with kinds and what holds for
 *  them, edges and where branches meet, the limits of a run with what the file does not say, the goal. */
[[nodiscard]] std::string explanation_of(const weft::loaded_graph& loaded);

}  // namespace weft_cli
