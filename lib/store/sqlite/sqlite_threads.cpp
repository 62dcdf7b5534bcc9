#include "sqlite_threads.hpp"

#include "sqlite_time.hpp"
#include "store/record/list_cursor.hpp"
#include "store/record/list_rules.hpp"

#include <weft/base/error.hpp>

#include <algorithm>

// A thread with its active run and the phase of the run of it that ended last, as `phase_of_thread` judges them.
#define WEFT_SQLITE_THREADS \
    "(SELECT t.no, t.name, t.tenant, t.head, a.id AS active, t.changed, t.created, t.metadata, t.state_values, " \
    "CASE WHEN a.phase = 3 THEN 2 WHEN a.no IS NOT NULL THEN 1 WHEN (SELECT e.phase FROM run e " \
    "WHERE e.thread = t.no AND e.phase > 3 ORDER BY e.no DESC LIMIT 1) IN (5, 7) THEN 3 ELSE 0 END AS phase " \
    "FROM thread t LEFT JOIN run a ON a.no = t.active) x "
// ?1 tenant or null, ?2 bits of phases, ?3, ?4 filters, ?5, ?6 when it changed last.
#define WEFT_SQLITE_WANTED_THREADS \
    "FROM " WEFT_SQLITE_THREADS "WHERE (?1 IS NULL OR tenant = ?1) AND (?2 = 0 OR (1 << phase) & ?2) " \
    "AND (?3 = '{}' OR weft_contains(metadata, ?3)) AND (?4 = '{}' OR weft_contains(state_values, ?4)) " \
    "AND (?5 IS NULL OR changed >= ?5) AND (?6 IS NULL OR changed < ?6) "
#define WEFT_SQLITE_THREAD_COLUMNS \
    "SELECT no, name, tenant, head, active, changed, created, metadata, state_values, phase "
// ?7 whether it is the first page, ?8 to ?11 the thread behind which it begins, ?12 how many rows.
#define WEFT_SQLITE_THREAD_LIST WEFT_SQLITE_THREAD_COLUMNS WEFT_SQLITE_WANTED_THREADS

namespace weft::sqlite_detail {

namespace {

// The statements compute phases as numbers.
static_assert(static_cast<int>(thread_phase::busy) == 1 && static_cast<int>(thread_phase::waiting) == 2 &&
              static_cast<int>(thread_phase::failed) == 3);

stored_thread listed_thread(query& asked)
{
    stored_thread found;
    found.thread = thread_key{asked.text(1), asked.text(2)};
    found.head = asked.integer(3);
    if (!asked.is_null(4)) found.active = run_id{asked.id(4)};
    found.changed = as_wall_time(asked.integer(5));
    found.created = as_wall_time(asked.integer(6));
    found.metadata = asked.text(7);
    found.values = asked.text(8);
    found.phase = asked.as<thread_phase>(9);
    return found;
}

sql_text thread_list(list_order order) noexcept
{
    switch (order) {
    case list_order::newest_first: return WEFT_SQLITE_THREAD_LIST "AND (?7 OR no < ?8) ORDER BY no DESC LIMIT ?12";
    case list_order::oldest_first: return WEFT_SQLITE_THREAD_LIST "AND (?7 OR no > ?8) ORDER BY no LIMIT ?12";
    case list_order::last_changed_first:
        return WEFT_SQLITE_THREAD_LIST "AND (?7 OR (changed, no) < (?8, ?9)) ORDER BY changed DESC, no DESC LIMIT ?12";
    case list_order::by_name: break;
    }
    return WEFT_SQLITE_THREAD_LIST "AND (?7 OR (tenant, name) > (?10, ?11)) ORDER BY tenant, name LIMIT ?12";
}

list_cursor place_in_list(query& row, list_order order)
{
    if (order == list_order::by_name) return {0, 0, row.text(2), row.text(1)};
    if (order == list_order::last_changed_first) return {row.integer(5), row.integer(0), {}, {}};
    return {row.integer(0), 0, {}, {}};
}

}  // namespace

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
    query made{db, "INSERT INTO thread (tenant, name, changed, created) VALUES (?1, ?2, ?3, ?3) RETURNING no",
               key.tenant, key.thread, changed};
    thread_row thread;
    if (made.next()) thread.no = made.integer(0);
    made.run();
    return thread;
}

bool create_thread(connection& db, const thread_key& key, const std::string& metadata, std::int64_t changed)
{
    if (find_thread(db, key)) return false;
    query{db, "INSERT INTO thread (tenant, name, changed, created, metadata) VALUES (?1, ?2, ?3, ?3, ?4)", key.tenant,
          key.thread, changed, metadata}.run();
    return true;
}

std::optional<stored_thread> read_thread(connection& db, const thread_key& key)
{
    query asked{db, WEFT_SQLITE_THREAD_COLUMNS "FROM " WEFT_SQLITE_THREADS "WHERE tenant = ? AND name = ?", key.tenant,
                key.thread};
    if (!asked.next()) return std::nullopt;
    return listed_thread(asked);
}

bool update_thread(connection& db, const thread_key& key, const thread_change& change)
{
    std::string metadata;
    {
        query asked{db, "SELECT metadata FROM thread WHERE tenant = ? AND name = ?", key.tenant, key.thread};
        if (!asked.next()) return false;
        metadata = asked.text(0);
    }
    // Merged here, because SQLite merges objects by another rule: a null would remove a member.
    if (change.metadata) metadata = merged_objects(metadata, *change.metadata);
    query{db,
          "UPDATE thread SET metadata = ?, state_values = coalesce(?, state_values) WHERE tenant = ? AND name = ?",
          metadata, change.values, key.tenant, key.thread}.run();
    return true;
}

thread_page search_threads(connection& db, const thread_query& wanted)
{
    const list_cursor after = wanted.after.empty() ? list_cursor{} : list_cursor::parse(wanted.after);
    // One row more than the page has, to know whether there is another page.
    const std::size_t limit = std::min<std::size_t>(wanted.count_max, INT64_MAX - 1) + 1;
    query asked{db, thread_list(wanted.order), wanted.tenant, bits_of(wanted.phases), wanted.metadata_contains,
                wanted.values_contain, stored_or_null(wanted.changed_from), stored_or_null(wanted.changed_before),
                wanted.after.empty(), after.first, after.second, after.tenant, after.name, limit};
    thread_page page;
    list_cursor last;
    while (asked.next()) {
        if (page.threads.size() == wanted.count_max) {
            if (!page.threads.empty()) page.next = last.text();
            break;
        }
        page.threads.push_back(listed_thread(asked));
        last = place_in_list(asked, wanted.order);
    }
    return page;
}

std::size_t count_threads(connection& db, const thread_query& wanted)
{
    query asked{db, "SELECT count(*) " WEFT_SQLITE_WANTED_THREADS, wanted.tenant, bits_of(wanted.phases),
                wanted.metadata_contains, wanted.values_contain, stored_or_null(wanted.changed_from),
                stored_or_null(wanted.changed_before)};
    return asked.next() ? asked.as<std::size_t>(0) : 0;
}

fence_check check_fence(connection& db, const write_fence& fence, compares what)
{
    fence_check result;
    const auto found = find_thread(db, fence.thread);
    if (!found) return result;
    result.thread = *found;
    // A worker that was given up holds nothing, even while its runs wait to be taken away.
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

#undef WEFT_SQLITE_THREADS
#undef WEFT_SQLITE_WANTED_THREADS
#undef WEFT_SQLITE_THREAD_COLUMNS
#undef WEFT_SQLITE_THREAD_LIST
