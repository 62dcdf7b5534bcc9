#include "event_parameters.hpp"

#include "store/record/event_pruning.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace weft::postgres_detail {

std::int64_t bounded(std::size_t count) noexcept
{
    return static_cast<std::int64_t>(std::min<std::size_t>(count, INT64_MAX));
}

void add_events(sql_parameters& to, const std::vector<event_draft>& events)
{
    std::vector<std::string> kinds;
    std::vector<std::string> data;
    for (const event_draft& each : events) {
        kinds.push_back(each.kind);
        data.push_back(each.data);
    }
    to.texts(kinds).byte_strings(data).integer(bounded(size_of(events)));
}

sql_parameters pruning_of(run_id run, const event_log_limits& limits)
{
    const event_log_floor floor = floor_of(limits);
    sql_parameters pruning;
    pruning.id(run.value())
        .integer(bounded(limits.events_max))
        .integer(bounded(limits.bytes_max))
        .integer(bounded(floor.events))
        .integer(bounded(floor.bytes));
    return pruning;
}

}  // namespace weft::postgres_detail
