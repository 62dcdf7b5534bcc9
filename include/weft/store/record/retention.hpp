#pragma once

#include <weft/store/record/checkpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft {

/** Which checkpoints of a thread stay: `retention{.keep_last = 5}`. Those that have a label, were forked from, or are
 *  open to a question stay in any case, and so does the newest one. */
struct retention {
    std::size_t keep_last = 20;                ///< So many, counted from the newest.
    std::optional<wall_time> older_than = {};  ///< Older ones go even if they are among the last.
};

/** What pruning removed. */
struct prune_report {
    std::uint64_t checkpoints = 0;
    std::uint64_t blobs = 0;  ///< That no checkpoint reached any more.
    std::uint64_t bytes = 0;  ///< Of both.
};

}  // namespace weft
