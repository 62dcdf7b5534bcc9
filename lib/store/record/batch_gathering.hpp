#pragma once

#include <weft/base/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace weft::store_detail {

/** Decides how long a writer waits for more calls before it begins a transaction.
 *
 *  What shares a transaction shares its flush to disk. Without a wait the callers fall into two groups: one is written
 *  while the other gathers, and each flush serves half of them. So a writer waits for as many calls as there were
 *  callers when the last transaction ended, those in it and those behind it, since they are likely to come again at
 *  once; and for a part of the time that a transaction takes, so that a caller that stays away costs little. It is
 *  then not waited for again.
 *
 *  @par Thread safety   None.
 */
class batch_gathering {
public:
    /** @param calls_max   What a transaction takes at most. @param pause_max   The longest wait. */
    batch_gathering(std::size_t calls_max, std::chrono::nanoseconds pause_max) noexcept
        : calls_max_{calls_max}, pause_max_{pause_max}
    {
    }

    /** A transaction is over.
     *  @param calls     In it.
     *  @param waiting   Those that came meanwhile.
     *  @param begin, end  Of it, by one clock. */
    void ended(std::size_t calls, std::size_t waiting, time_point begin, time_point end) noexcept
    {
        wanted_ = std::min(calls + waiting, calls_max_);
        pause_ = std::min((end - begin) / 2, pause_max_);
        until_ = end + pause_;
    }

    /** For how many calls to wait. */
    [[nodiscard]] std::size_t wanted() const noexcept { return wanted_; }
    /** For how long, at most, since the last transaction ended. */
    [[nodiscard]] std::chrono::nanoseconds pause() const noexcept { return pause_; }
    /** Until when: a call that comes later is alone, and is not held up. */
    [[nodiscard]] time_point until() const noexcept { return until_; }

private:
    std::size_t calls_max_;
    std::chrono::nanoseconds pause_max_;
    std::size_t wanted_ = 1;
    std::chrono::nanoseconds pause_{0};
    time_point until_{};
};

}  // namespace weft::store_detail
