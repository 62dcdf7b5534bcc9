#pragma once

#include <boost/describe/class.hpp>

#include <cstdint>

namespace weft {

/** Counts failures in a row of work that comes again and again, so that people hear of them and are not flooded. A
 *  plain value, which converts to JSON.
 *
 *  @par Source   Sulla's heartbeat service: at the third failure, then at every 25th.
 */
struct failure_streak {
    std::uint32_t first_notice = 3;
    std::uint32_t notice_every = 25;
    std::uint32_t count = 0;

    /** @return Whether people are to be told now. */
    [[nodiscard]] bool failed() noexcept
    {
        ++count;
        return count == first_notice || (count > first_notice && notice_every > 0 && count % notice_every == 0);
    }
    void succeeded() noexcept { count = 0; }
    /** What was stopped has neither failed nor succeeded. */
    void stopped() const noexcept {}

    friend bool operator==(const failure_streak&, const failure_streak&) = default;
};
BOOST_DESCRIBE_STRUCT(failure_streak, (), (first_notice, notice_every, count))

}  // namespace weft
