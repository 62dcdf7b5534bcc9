#include <weft/serve/cron_moment.hpp>

#include <weft/agent/host/zone_schedule.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/spec/spec_duration.hpp>

#include <chrono>
#include <string_view>

namespace weft {

std::optional<wall_time> next_moment(const cron& of, wall_time after)
{
    constexpr std::string_view every_word = "@every ";
    if (of.schedule.starts_with(every_word)) {
        const auto every = spec_duration::parse(std::string_view{of.schedule}.substr(every_word.size()));
        const auto span = every ? std::chrono::floor<std::chrono::seconds>(every->span()) : std::chrono::seconds{0};
        if (span.count() < 1)
            throw error{errc::invalid_configuration, "cron", "'" + of.schedule + "' is no span of a second or more"};
        // Multiples of the span, so that all servers agree on the moments.
        const auto since = std::chrono::floor<std::chrono::seconds>(after.time_since_epoch());
        const wall_time next{(since / span + 1) * span};
        if (of.end && next >= *of.end) return std::nullopt;
        return next;
    }
    const zone_schedule schedule{of.schedule, of.time_zone};
    const auto next = schedule.next(std::chrono::floor<std::chrono::seconds>(after));
    if (!next || (of.end && *next >= *of.end)) return std::nullopt;
    return *next;
}

}  // namespace weft
