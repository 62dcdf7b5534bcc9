#pragma once

#include <cstdint>

namespace weft {

/** What happens when a run has used up its steps, or a node ran too often in a row. */
enum class step_limit_action : std::uint8_t {
    fail,              ///< The run fails with `errc::steps_exceeded` or `errc::node_repeated`.
    raise,             ///< As `fail`, and awaiting the run throws that as an error.
    return_last,       ///< The run finishes with what there is.
    return_with_flag,  ///< As `return_last`, and `run_result::was_cut_short` tells.
};

}  // namespace weft
