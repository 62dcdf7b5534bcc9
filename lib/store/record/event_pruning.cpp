#include "event_pruning.hpp"

#include <algorithm>

namespace weft {

event_log_floor floor_of(const event_log_limits& limits) noexcept
{
    const auto most_of = [](std::size_t limit) { return limit - limit / 8; };
    return {std::max<std::size_t>(most_of(limits.events_max), 1), most_of(limits.bytes_max)};
}

event_pruning::event_pruning(std::size_t count, std::size_t bytes, const event_log_limits& limits) noexcept
    : is_due_{count > limits.events_max || bytes > limits.bytes_max}, count_{count}, bytes_{bytes},
      floor_{floor_of(limits)}
{
}

bool event_pruning::takes(std::size_t size) noexcept
{
    // The newest event stays, or a reader could not tell an empty log from one whose events are all gone.
    if (!is_due_ || count_ <= 1 || (count_ <= floor_.events && bytes_ <= floor_.bytes)) return false;
    --count_;
    bytes_ -= size;
    return true;
}

event_log_state state_for_reader(std::uint64_t after, std::uint64_t first, std::uint64_t last) noexcept
{
    return after < last && after + 1 < first ? event_log_state::pruned : event_log_state::ok;
}

}  // namespace weft
