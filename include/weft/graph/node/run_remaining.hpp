#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/units.hpp>

#include <cstdint>
#include <optional>

namespace weft {

/** What a run may still use, as a node reads it by `node_context::remaining`. What is not given has no limit. */
struct run_remaining {
    run_remaining() noexcept {}

    /** Node visits of the node's own graph that may begin, without the reserve for ways out. */
    std::optional<std::uint32_t> steps;
    /** Time until `run_options::elapsed_max`, that of the outermost run; 0 once it is used up. */
    std::optional<std::chrono::nanoseconds> elapsed;
    std::optional<weft::tokens> tokens;   ///< Of the budget, as far as nothing else has reserved them.
    std::optional<usd_micros> cost;       ///< The same of money.
};

}  // namespace weft
