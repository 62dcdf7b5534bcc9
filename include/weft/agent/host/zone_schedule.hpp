#pragma once

#include <weft/base/chrono.hpp>
#include <weft/graph/spec/cron_schedule.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace date {
class time_zone;
}

namespace weft {

/** When something is due again and again by the clocks of a place: a `cron_schedule` in a time zone.
 *
 *      const weft::zone_schedule breakfast{"30 7 * * *", "Europe/Berlin"};
 *      breakfast.next(now);
 *
 *  The clocks of a place jump. What its schedule says of them then:
 *  - A moment that does not exist, because clocks were put forward over it, is due at the first moment after the gap.
 *    Several of one gap are due once: with "0,30 2 * * *" there is one run at 03:00 on that day.
 *  - A moment that exists twice, because clocks were put back, is due once, the first time. A schedule of each hour, or
 *    of each ten minutes, pauses during the repeated hour; one without a time zone does not.
 *
 *  Names of zones and their rules are those of the system (tzdata); rules that change while the program runs are seen
 *  by the next program.
 *
 *  @par Thread safety   As a value.
 *  @par Source          IANA Time Zone Database; cron(8) of Vixie cron, for clocks that jump.
 */
class zone_schedule {
public:
    /** @param cron       As `cron_schedule` reads it.
     *  @param time_zone  A name such as `Europe/Berlin`; empty: UTC.
     *  @par Errors       `errc::invalid_configuration`: the field that is none, and the zone that is not known. */
    explicit zone_schedule(std::string_view cron, std::string_view time_zone = std::string_view{});

    /** The first moment after `now`; nothing if there is none within eight years. */
    [[nodiscard]] std::optional<std::chrono::sys_seconds> next(std::chrono::sys_seconds now) const;

    [[nodiscard]] const std::string& text() const noexcept { return schedule_.text(); }

private:
    cron_schedule schedule_;
    const date::time_zone* zone_ = nullptr;  // null: UTC; else of the library, which keeps it until the program ends
};

/** Whether the system knows a time zone. @param name  Such as `Europe/Berlin`; empty: UTC. */
[[nodiscard]] bool is_time_zone(std::string_view name);

}  // namespace weft
