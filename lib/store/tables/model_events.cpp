#include "model_events.hpp"

#include "store/record/event_pruning.hpp"
#include "store/record/limit_checks.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace weft::store_detail {

namespace {

void prune_log(event_rows& log, const event_log_limits& limits)
{
    event_pruning pruning{log.events.size(), log.bytes, limits};
    while (!log.events.empty() && pruning.takes(size_of(log.events.front()))) {
        log.bytes -= size_of(log.events.front());
        log.events.pop_front();
    }
}

}  // namespace

void add_events(event_rows& log, std::vector<event_draft> events, const event_log_limits& limits, wall_time at)
{
    for (event_draft& each : events) {
        log.bytes += size_of(each);
        log.events.push_back({++log.last, at, std::move(each.kind), std::move(each.data)});
    }
    prune_log(log, limits);
}

event_append append_events(store_model& model, const write_fence& by, std::vector<event_draft> events,
                           const event_log_limits& limits, store_moment at)
{
    check_limits(events);
    event_append result;
    result.state = model.check(by);
    if (result.state != write_state::ok) return result;
    event_rows& log = model.tables().runs.at(by.run).log;
    add_events(log, std::move(events), limits, at.today);
    result.last = log.last;
    return result;
}

event_page read_events(const store_tables& tables, run_id run, std::uint64_t after, std::size_t count_max)
{
    event_page page;
    const auto found = tables.runs.find(run);
    if (found == tables.runs.end()) {
        page.state = event_log_state::unknown;
        return page;
    }
    const event_rows& log = found->second.log;
    page.last = log.last;
    if (!log.events.empty()) page.first = log.events.front().id;
    page.state = state_for_reader(after, page.first, page.last);
    if (page.state != event_log_state::ok || after >= log.last) return page;
    // Ids have no holes, so that an id says where its event is.
    const auto begin = log.events.begin() + static_cast<std::ptrdiff_t>(after + 1 - page.first);
    const auto count = std::min(count_max, static_cast<std::size_t>(log.events.end() - begin));
    page.events.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    return page;
}

event_prune prune_ended_logs(store_model& model, wall_time before, std::size_t events_max)
{
    std::vector<run_row*> long_logs;
    for (auto& [id, run] : model.tables().runs) {
        const bool is_done = is_over(run.record.phase) && run.record.phase != run_phase::dead;
        if (is_done && run.record.ended <= before && run.log.events.size() > 1) long_logs.push_back(&run);
    }
    std::sort(long_logs.begin(), long_logs.end(), [](const run_row* a, const run_row* b) {
        return std::tie(a->record.ended, a->order) < std::tie(b->record.ended, b->order);
    });
    event_prune done;
    for (run_row* const run : long_logs) {
        if (done.events >= events_max) break;
        event_rows& log = run->log;
        done.events += log.events.size() - 1;
        log.events.erase(log.events.begin(), log.events.end() - 1);
        log.bytes = size_of(log.events.back());
        ++done.runs;
    }
    done.has_more = done.runs < long_logs.size();
    return done;
}

}  // namespace weft::store_detail
