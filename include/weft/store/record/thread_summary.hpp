#pragma once

#include <weft/base/system/ids.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/thread_key.hpp>

#include <cstdint>
#include <optional>

namespace weft {

/** What a store holds of a thread. */
struct thread_usage {
    std::uint64_t checkpoints = 0;
    std::uint64_t blobs = 0;
    std::uint64_t bytes = 0;  ///< Bodies, blobs, effects and questions; without indexes.
};

/** A thread in a list. */
struct thread_summary {
    thread_key thread;
    std::int64_t head = 0;         ///< The number of its newest checkpoint; 0: none.
    std::optional<run_id> active;  ///< Its run that is ready, running or waiting.
    wall_time changed;             ///< When a run or a checkpoint of it last changed.
};

}  // namespace weft
