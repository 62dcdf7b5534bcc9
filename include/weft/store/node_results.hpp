#pragma once

#include <weft/base/chrono.hpp>
#include <weft/graph/node/node_cache.hpp>
#include <weft/store/item_space.hpp>

#include <memory>

namespace weft {

/** Results of cached nodes in a namespace of an item store, for all processes that use it: give it to a `node_cache`.
 *
 *      weft::node_cache shared{{.store = weft::node_results_in(weft::item_space{store, "acme", {"node cache"}})}};
 *
 *  What has had its time is removed by `item_store::sweep`.
 *
 *  @param keep_for_max   Of results whose policy gives no time, or more: a store has no other bound. */
[[nodiscard]] std::shared_ptr<node_result_store>
node_results_in(item_space space, std::chrono::milliseconds keep_for_max = std::chrono::days{30});

}  // namespace weft
