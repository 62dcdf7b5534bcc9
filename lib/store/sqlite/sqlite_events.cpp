#include "sqlite_events.hpp"

#include "sqlite_run_row.hpp"
#include "sqlite_threads.hpp"
#include "store/record/event_pruning.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace weft::sqlite_detail {

namespace {

/** Where the log of a run begins and ends. */
struct log_row {
    std::int64_t first = 1;
    std::int64_t last = 0;
    std::int64_t bytes = 0;
};

log_row find_log(connection& db, std::int64_t run)
{
    query asked{db, "SELECT first, last, bytes FROM event_log WHERE run = ?", run};
    if (!asked.next()) return {};
    return {asked.integer(0), asked.integer(1), asked.integer(2)};
}

void write_log(connection& db, std::int64_t run, const log_row& log)
{
    query{db,
          "INSERT INTO event_log (run, first, last, bytes) VALUES (?1, ?2, ?3, ?4) "
          "ON CONFLICT DO UPDATE SET first = ?2, last = ?3, bytes = ?4",
          run, log.first, log.last, log.bytes}.run();
}

void prune_log(connection& db, std::int64_t run, log_row& log, const event_log_limits& limits)
{
    const std::int64_t begin = log.first;
    event_pruning pruning{static_cast<std::size_t>(log.last - log.first + 1), static_cast<std::size_t>(log.bytes),
                          limits};
    {
        query oldest{db,
                     "SELECT length(CAST(kind AS BLOB)) + length(data) FROM run_event WHERE run = ? ORDER BY id", run};
        while (oldest.next() && pruning.takes(oldest.as<std::size_t>(0))) {
            log.bytes -= oldest.integer(0);
            ++log.first;
        }
    }
    if (log.first > begin) query{db, "DELETE FROM run_event WHERE run = ? AND id < ?", run, log.first}.run();
}

}  // namespace

std::uint64_t add_events(connection& db, std::int64_t run, const std::vector<event_draft>& events,
                         const event_log_limits& limits, const moment& at)
{
    log_row log = find_log(db, run);
    for (const event_draft& each : events) {
        query{db, "INSERT INTO run_event (run, id, at, kind, data) VALUES (?, ?, ?, ?, ?)", run, ++log.last,
              stored(at.today), each.kind, raw{each.data}}.run();
        log.bytes += static_cast<std::int64_t>(size_of(each));
    }
    prune_log(db, run, log, limits);
    write_log(db, run, log);
    return static_cast<std::uint64_t>(log.last);
}

event_append append_events(connection& db, const event_batch& batch, const moment& at)
{
    event_append result;
    const fence_check fenced = check_fence(db, batch.by, compares::epoch);
    result.state = fenced.state;
    const std::optional<run_row> run = run_by_id(db, batch.by.run);
    if (result.state != write_state::ok || !run) return result;
    result.last = add_events(db, run->no, batch.events, batch.limits, at);
    return result;
}

event_prune prune_ended_logs(connection& db, wall_time before, std::size_t events_max)
{
    struct ended_log {
        std::int64_t run;
        std::int64_t last;
        std::int64_t surplus;
    };
    std::vector<ended_log> logs;
    {
        query ended{db,
                    "SELECT r.no, coalesce(l.last, 0), coalesce(l.last - l.first, 0) FROM run r LEFT JOIN event_log l "
                    "ON l.run = r.no WHERE r.log_is_whole = 1 AND r.phase BETWEEN 4 AND 6 AND r.ended <= ? "
                    "ORDER BY r.ended LIMIT 500", stored(before)};
        while (ended.next()) logs.push_back({ended.integer(0), ended.integer(1), ended.integer(2)});
    }
    event_prune done;
    for (const ended_log& log : logs) {
        if (done.events >= events_max) break;
        query{db, "UPDATE run SET log_is_whole = 0 WHERE no = ?", log.run}.run();
        done.has_more = true;
        if (log.surplus <= 0) continue;
        query{db, "DELETE FROM run_event WHERE run = ? AND id < ?", log.run, log.last}.run();
        query{db,
              "UPDATE event_log SET first = last, bytes = (SELECT length(CAST(kind AS BLOB)) + length(data) "
              "FROM run_event e WHERE e.run = event_log.run) WHERE run = ?", log.run}.run();
        ++done.runs;
        done.events += static_cast<std::uint64_t>(log.surplus);
    }
    return done;
}

event_page read_events(connection& db, run_id run, std::uint64_t after, std::size_t count_max)
{
    event_page page;
    const std::optional<run_row> found = run_by_id(db, run);
    if (!found) {
        page.state = event_log_state::unknown;
        return page;
    }
    const log_row log = find_log(db, found->no);
    page.last = static_cast<std::uint64_t>(log.last);
    if (log.last > 0) page.first = static_cast<std::uint64_t>(log.first);
    page.state = state_for_reader(after, page.first, page.last);
    if (page.state != event_log_state::ok || after >= page.last) return page;
    query asked{db, "SELECT id, at, kind, data FROM run_event WHERE run = ? AND id > ? ORDER BY id LIMIT ?", found->no,
                after, std::min<std::size_t>(count_max, INT64_MAX)};
    while (asked.next())
        page.events.push_back(
            {asked.as<std::uint64_t>(0), as_wall_time(asked.integer(1)), asked.text(2), asked.text(3)});
    return page;
}

}  // namespace weft::sqlite_detail
