#pragma once

#include <weft/store/record/stored_event.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {

/** Down to which size a log that exceeds its limits is pruned. */
struct event_log_floor {
    std::size_t events;
    std::size_t bytes;
};

/** Seven eighths of the limits: pruning to the limits themselves would come again with each event. */
[[nodiscard]] event_log_floor floor_of(const event_log_limits& limits) noexcept;

/** Decides which events of a log go: the oldest ones, as long as what is left exceeds the floor.
 *
 *      event_pruning pruning{count, bytes, limits};
 *      while (pruning.takes(size_of_oldest)) …
 */
class event_pruning {
public:
    event_pruning(std::size_t count, std::size_t bytes, const event_log_limits& limits) noexcept;

    /** Whether the oldest event that is left goes. @param size  Of its kind and data. */
    [[nodiscard]] bool takes(std::size_t size) noexcept;

private:
    bool is_due_;
    std::size_t count_;
    std::size_t bytes_;
    event_log_floor floor_;
};

[[nodiscard]] inline std::size_t size_of(const event_draft& event) noexcept
{
    return event.kind.size() + event.data.size();
}
[[nodiscard]] inline std::size_t size_of(const std::vector<event_draft>& events) noexcept
{
    std::size_t bytes = 0;
    for (const event_draft& each : events) bytes += size_of(each);
    return bytes;
}
[[nodiscard]] inline std::size_t size_of(const stored_event& event) noexcept
{
    return event.kind.size() + event.data.size();
}

/** What a reader that has seen `after` gets from a log whose oldest event is `first` and whose newest is `last`. */
[[nodiscard]] event_log_state state_for_reader(std::uint64_t after, std::uint64_t first, std::uint64_t last) noexcept;

}  // namespace weft
