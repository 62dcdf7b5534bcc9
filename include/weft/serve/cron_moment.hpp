#pragma once

#include <weft/store/service/cron_table.hpp>

#include <optional>

namespace weft {

/** When a cron runs next after a moment; nothing: never again. Its schedule is five fields, or `@every 300s`.
 *  @par Errors   `errc::invalid_configuration`: its schedule or time zone is none. */
[[nodiscard]] std::optional<wall_time> next_moment(const cron& of, wall_time after);

}  // namespace weft
