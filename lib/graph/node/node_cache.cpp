#include <weft/graph/node/node_cache.hpp>

#include <weft/async/group/single_flight_cache_operations.hpp>

#include <utility>

namespace weft {

template class single_flight_cache<cached_node_result>;

node_cache::node_cache(node_cache_options options)
    : results_{std::make_shared<const results>(options.limits)}, store_{std::move(options.store)}
{
}

single_flight_counts node_cache::counts() const { return results_->counts(); }

}  // namespace weft
