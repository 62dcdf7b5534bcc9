#include <weft/graph/node/node_cache.hpp>

#include <weft/async/group/single_flight_cache.hpp>

#include <utility>

namespace weft {

node_cache::node_cache(node_cache_options options)
    : results_{std::make_shared<const results>(options.limits)}, store_{std::move(options.store)}
{
}

single_flight_counts node_cache::counts() const { return results_->counts(); }

}  // namespace weft
