#pragma once

#include "sql_request.hpp"

#include <weft/base/system/ids.hpp>
#include <weft/store/record/event_draft.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::postgres_detail {

/** A count or limit as the server takes it. */
[[nodiscard]] std::int64_t bounded(std::size_t count) noexcept;
/** Adds the kinds, the data and the bytes of all: three parameters. */
void add_events(sql_parameters& to, const std::vector<event_draft>& events);
/** Of `prune_events`. */
[[nodiscard]] sql_parameters pruning_of(run_id run, const event_log_limits& limits);

}  // namespace weft::postgres_detail
