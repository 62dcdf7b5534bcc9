#include "sqlite_threads.hpp"

#include <weft/base/error.hpp>

namespace weft::sqlite_detail {

std::optional<thread_row> find_thread(connection& db, const thread_key& key)
{
    query asked{db, "SELECT no, epoch, head, active FROM thread WHERE tenant = ? AND name = ?", key.tenant, key.thread};
    if (!asked.next()) return std::nullopt;
    thread_row found;
    found.no = asked.integer(0);
    found.epoch = asked.integer(1);
    found.head = asked.integer(2);
    if (!asked.is_null(3)) found.active = asked.integer(3);
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

fence_check check_fence(connection& db, const write_fence& fence)
{
    fence_check result;
    const auto found = find_thread(db, fence.thread);
    if (!found || found->epoch != fence.epoch) return result;
    result.thread = *found;
    result.state = found->head == fence.head ? write_state::ok : write_state::stale_head;
    return result;
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
