#pragma once

#include <weft/base/chrono.hpp>

#include <boost/describe/enum.hpp>

#include <cstdint>

namespace weft {

/** How long work may be silent, and how long it may last. The one place of these defaults. */
struct watchdog_limits {
    std::chrono::milliseconds inactivity{120'000};  ///< Without a sign of life: a bump.
    std::uint32_t bumps_max = 3;                    ///< So many in a row; the next one ends the work.
    std::chrono::milliseconds elapsed_max{1'800'000};      ///< Whatever it does.
    std::chrono::milliseconds orchestrator_max{300'000};   ///< Of a decision by a model.
};

/** What a watchdog wants done. */
enum class watchdog_verdict : std::uint8_t {
    wait,      ///< Nothing; look again at `next_look`.
    bump,      ///< Warn that the work is silent.
    inactive,  ///< End it: it was silent for too long.
    too_long,  ///< End it: it lasts too long.
};
BOOST_DESCRIBE_ENUM(watchdog_verdict, wait, bump, inactive, too_long)

/** Watches over work that may hang. A value without clock: it is told the time and says when it wants to be asked
 *  again.
 *
 *  @par Source   Sulla's watchdogs, which came after a workflow had hung for 33 hours. */
class watchdog {
public:
    /** A moment, since any fixed one. */
    using moment = std::chrono::milliseconds;

    watchdog(moment now, const watchdog_limits& limits) noexcept : limits_{limits}, began_{now}, last_{now} {}

    /** A sign of life. */
    void saw_life(moment now) noexcept
    {
        last_ = now;
        bumps_ = 0;
    }
    [[nodiscard]] watchdog_verdict look(moment now) noexcept;
    /** When `look` is worth while. */
    [[nodiscard]] moment next_look() const noexcept;
    [[nodiscard]] std::uint32_t bumps() const noexcept { return bumps_; }

private:
    watchdog_limits limits_;
    moment began_;
    moment last_;  ///< Sign of life, or bump.
    std::uint32_t bumps_ = 0;
};

}  // namespace weft
