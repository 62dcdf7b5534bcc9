#pragma once

#include <weft/graph/node_registry.hpp>
#include <weft/graph/subgraph.hpp>

#include <boost/json/object.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::agent_detail {

/** What a file says of a node whose work is a graph. */
struct graph_kind_words {
    std::string kind = {};
    boost::json::object settings = {};
    std::optional<std::vector<std::string>> writes = {};  ///< Not given: told by the node's options alone.
};

/** A graph inside a node that a file has words for.
 *  @param may_command   It can lead on where the node's edges do not. */
[[nodiscard]] std::shared_ptr<const node_body> graph_kind_body(subgraph inside, graph_kind_words words,
                                                               bool may_command = false);

/** The graph inside has limits of its own: the node waits for it, unless the file says how long. */
void wait_for_graph(node_request& request);

}  // namespace weft::agent_detail
