#pragma once

#include <weft/async/task.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/node_registry.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::agent_detail {

/** What a file says of a node whose work is a graph. */
struct graph_kind_description {
    std::string kind = {};
    boost::json::object settings = {};
    std::optional<std::vector<std::string>> writes = {};  ///< Not given: told by the node's options alone.
    std::optional<std::vector<std::string>> reads = {};   ///< The same.
};

/** What such a node does beside running its graph. */
struct graph_kind_work {
    bool may_command = false;  ///< It can lead on where the node's edges do not.
    std::function<task<void>(node_context&)> before = {};  ///< Comes first; what it throws fails the node.
};

/** A graph inside a node, described by a file. */
[[nodiscard]] std::shared_ptr<const node_body> graph_kind_body(subgraph inside, graph_kind_description about,
                                                               graph_kind_work work = {});

/** The graph inside has limits of its own: the node waits for it, unless the file says how long. */
void wait_for_graph(node_request& request);

}  // namespace weft::agent_detail
