#pragma once

#include <weft/graph/node/node.hpp>
#include <weft/graph/node/node_options.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::graph_detail {

/** What a cached node is called, and what it may read. */
struct cached_place {
    std::string graph;
    std::string node;
    std::optional<std::vector<std::string>> reads;
    std::optional<std::vector<std::string>> writes;
};

/** The work of a node behind a cache; `policy.where` is there. */
[[nodiscard]] std::shared_ptr<const node_body> make_cached_node(std::shared_ptr<const node_body> work,
                                                                node_cache_policy policy, cached_place at);

}  // namespace weft::graph_detail
