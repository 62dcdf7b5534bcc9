#include <weft/agent/host/zone_schedule.hpp>

#include <weft/base/error.hpp>

#include <date/tz.h>

#include <algorithm>
#include <stdexcept>

namespace weft {

namespace {

using std::chrono::sys_seconds;

/** Null if there is none. */
const date::time_zone* find_zone(std::string_view name)
{
    // That the system has no zones at all is another mistake than a wrong name.
    try {
        (void)date::get_tzdb();
    } catch (const std::exception&) {
        throw error{errc::invalid_configuration, "time zone '" + std::string{name} + "'",
                    "the system has no time zones: install tzdata"};
    }
    try {
        return date::locate_zone(std::string{name});
    } catch (const std::exception&) {
        return nullptr;
    }
}

const date::time_zone* zone_of(std::string_view name)
{
    if (name.empty()) return nullptr;
    const date::time_zone* const found = find_zone(name);
    if (!found)
        throw error{errc::invalid_configuration, "time zone '" + std::string{name} + "'",
                    "the system does not know it: give a name of the IANA database, such as Europe/Berlin"};
    return found;
}

date::local_seconds local_of(sys_seconds moment) { return date::local_seconds{moment.time_since_epoch()}; }

/** When the clocks of a place first show a time; the end of the gap if they never do. */
sys_seconds moment_of(const date::time_zone& zone, sys_seconds shown)
{
    const date::local_seconds local = local_of(shown);
    const date::local_info info = zone.get_info(local);
    if (info.result == date::local_info::nonexistent) return info.first.end;
    return sys_seconds{local.time_since_epoch() - info.first.offset};
}

}  // namespace

zone_schedule::zone_schedule(std::string_view cron, std::string_view time_zone)
    : schedule_{cron}, zone_{zone_of(time_zone)}
{
}

std::optional<sys_seconds> zone_schedule::next(sys_seconds now) const
{
    if (!zone_) return schedule_.next(now);
    // A zone may repeat a day, as those beside the date line have: so many minutes may be shown that have been before.
    constexpr int repeated_max = 25 * 60;
    sys_seconds shown{zone_->to_local(now).time_since_epoch()};
    for (int i = 0; i < repeated_max; ++i) {
        const std::optional<sys_seconds> candidate = schedule_.next(shown);
        if (!candidate) return std::nullopt;
        const sys_seconds moment = moment_of(*zone_, *candidate);
        if (moment > now) return moment;
        shown = *candidate;
    }
    return std::nullopt;
}

bool is_time_zone(std::string_view name) { return name.empty() || find_zone(name) != nullptr; }

}  // namespace weft
