#pragma once

#include <weft/base/memory/pooled_vector.hpp>
#include <weft/graph/state/value.hpp>

#include <cstdint>

namespace weft {

/** One write: an update for a key, to be joined by the key's reducer, or a value that replaces whatever is there. */
struct state_write {
    std::uint32_t slot;
    bool is_overwrite;
    bool is_published;  ///< Survives a hard cancel of the run.
    value_ptr value;
};

/** The writes of one node, in order, not seen outside until the node completes. */
using write_set = pooled_vector<state_write>;

}  // namespace weft
