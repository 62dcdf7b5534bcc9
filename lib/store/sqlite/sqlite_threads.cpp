#include "sqlite_threads.hpp"

#include <weft/base/error.hpp>

namespace weft::sqlite_detail {

std::optional<thread_row> find_thread(connection& db, const thread_key& key)
{
    query asked{db, "SELECT no, head, active FROM thread WHERE tenant = ? AND name = ?", key.tenant, key.thread};
    if (!asked.next()) return std::nullopt;
    thread_row found;
    found.no = asked.integer(0);
    found.head = asked.integer(1);
    if (!asked.is_null(2)) found.active = asked.integer(2);
    return found;
}

std::int64_t thread_number(connection& db, const thread_key& key)
{
    const auto found = find_thread(db, key);
    return found ? found->no : 0;
}

thread_row make_thread(connection& db, const thread_key& key, std::int64_t changed)
{
    if (const auto found = find_thread(db, key)) return *found;
    query made{db, "INSERT INTO thread (tenant, name, changed) VALUES (?, ?, ?) RETURNING no", key.tenant, key.thread,
               changed};
    thread_row thread;
    if (made.next()) thread.no = made.integer(0);
    made.run();
    return thread;
}

fence_check check_fence(connection& db, const write_fence& fence, compares what)
{
    fence_check result;
    const auto found = find_thread(db, fence.thread);
    if (!found) return result;
    result.thread = *found;
    // Who was given up is nobody's holder, even while his runs wait to be taken away.
    const bool is_holder =
        query{db,
              "SELECT 1 FROM run r JOIN worker w ON w.no = r.worker "
              "WHERE r.no = ? AND r.id = ? AND r.phase = 2 AND r.epoch = ? AND w.until IS NOT NULL",
              found->active.value_or(0), raw{fence.run}, fence.epoch}
            .next();
    if (!is_holder) return result;
    const bool is_stale = what == compares::epoch_and_head && fence.head != found->head;
    result.state = is_stale ? write_state::stale_head : write_state::ok;
    return result;
}

void touch_thread(connection& db, std::int64_t thread, std::int64_t changed)
{
    query{db, "UPDATE thread SET changed = ? WHERE no = ?", changed, thread}.run();
}

std::int64_t next_epoch(connection& db)
{
    query raised{db, "UPDATE store SET epoch = epoch + 1 RETURNING epoch"};
    if (!raised.next()) throw error{errc::store_corrupt, db.file(), "its table 'store' is empty"};
    const std::int64_t epoch = raised.integer(0);
    raised.run();
    return epoch;
}

}  // namespace weft::sqlite_detail
