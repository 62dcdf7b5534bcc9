#pragma once

#include <weft/base/clock.hpp>
#include <weft/graph/node/node_cache.hpp>
#include <weft/graph/state/state_layout.hpp>

#include <chrono>
#include <memory>
#include <optional>

namespace weft::graph_detail {

/** What a node wrote, as a store keeps it; nothing if a value is never JSON. */
[[nodiscard]] std::optional<boost::json::value> write_result(const cached_node_result& result, const state_layout& keys,
                                                             clock::system_time_point now);

/** A result out of a store, and how old it is. */
struct aged_result {
    std::shared_ptr<const cached_node_result> result;
    std::chrono::milliseconds age{0};
    std::size_t bytes = 0;
};
/** Nothing if it does not fit the keys: it comes from another revision of the graph. */
[[nodiscard]] std::optional<aged_result> read_result(const boost::json::value& stored, const state_layout& keys,
                                                     clock::system_time_point now);

}  // namespace weft::graph_detail
