#pragma once

#include <weft/store/record/checkpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft {

/** Which part of a thread's history to read, newest first: `history_page{.before = 40, .count_max = 20}`. */
struct history_page {
    std::optional<std::int64_t> before = {};   ///< Only checkpoints of a lower number; none: from the newest on.
    std::size_t count_max = 100;               ///< At most so many.
    std::optional<checkpoint_kind> kind = {};  ///< Only checkpoints of this kind; none: all kinds.
};

}  // namespace weft
