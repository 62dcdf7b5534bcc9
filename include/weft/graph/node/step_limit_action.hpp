#pragma once

#include <cstdint>

namespace weft {

/** What happens when a run has used up its steps, or a node ran too often in a row. */
enum class step_limit_action : std::uint8_t {
    fail,              ///< The run fails with `errc::steps_exceeded` or `errc::node_repeated`.
    raise,             ///< As `fail`, and awaiting the run throws that as an error.
    return_last,       ///< The run finishes with what there is.
    return_with_flag,  ///< As `return_last`, and `run_result::was_cut_short` says so.
};

/** How often a branch may visit one node without another node in between, as a graph says it for all its runs. */
struct row_limit {
    std::uint32_t visits = 0;  ///< 0: unlimited.
    step_limit_action action = step_limit_action::fail;
};

}  // namespace weft
