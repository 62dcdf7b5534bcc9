#include "sqlite_run_records.hpp"

#include "sqlite_run_row.hpp"
#include "sqlite_time.hpp"
#include "store/record/list_cursor.hpp"
#include "store/record/list_rules.hpp"
#include "store/record/lost_attempts.hpp"
#include "store/record/queue_texts.hpp"

#include <algorithm>

#define WEFT_SQLITE_RUN_COLUMNS \
    "r.id, t.name, t.tenant, r.phase, r.signal, r.graph, r.message, r.attempt, r.created, r.ended, r.metadata, " \
    "r.webhook, r.priority, r.not_before, r.changed, r.revision"
#define WEFT_SQLITE_WHOLE_RUN \
    WEFT_SQLITE_RUN_COLUMNS ", r.input, r.worker, r.epoch, r.phase < 4 AND r.suspected_at IS t.head, r.limit_keys, " \
    "r.lost_attempts"

// ?1 tenant, ?2 thread, ?3 graph, each null if any will do; ?4 bits of phases; ?5 filter; ?6, ?7 when it was made,
// ?8, ?9 when it changed last.
#define WEFT_SQLITE_WANTED_RUNS(scope) \
    "FROM run r JOIN thread t ON t.no = r.thread WHERE " scope \
    "(?1 IS NULL OR r.tenant = ?1) AND (?2 IS NULL OR t.name = ?2) " \
    "AND (?3 IS NULL OR r.graph = ?3) AND (?4 = 0 OR (1 << r.phase) & ?4) " \
    "AND (?5 = '{}' OR weft_contains(r.metadata, ?5)) " \
    "AND (?6 IS NULL OR r.created >= ?6) AND (?7 IS NULL OR r.created < ?7) " \
    "AND (?8 IS NULL OR r.changed >= ?8) AND (?9 IS NULL OR r.changed < ?9) "
// ?10 whether it is the first page, ?11 the run behind which it begins, ?12 how many rows.
#define WEFT_SQLITE_RUN_LIST(scope, behind, direction) \
    "SELECT " WEFT_SQLITE_RUN_COLUMNS ", r.idempotency_key, r.no " WEFT_SQLITE_WANTED_RUNS(scope) \
    "AND (?10 OR r.no " behind " ?11) ORDER BY r.no " direction " LIMIT ?12"

// The runs of one thread are found by an index, where a scan would walk through those of all threads.
#define WEFT_SQLITE_ONE_THREAD "r.thread = (SELECT no FROM thread WHERE tenant = ?1 AND name = ?2) AND "

namespace weft::sqlite_detail {

namespace {

bool is_of_one_thread(const run_query& wanted) noexcept { return wanted.tenant && wanted.thread; }

sql_text run_list(const run_query& wanted) noexcept
{
    if (is_of_one_thread(wanted))
        return wanted.is_newest_first ? sql_text{WEFT_SQLITE_RUN_LIST(WEFT_SQLITE_ONE_THREAD, "<", "DESC")}
                                      : sql_text{WEFT_SQLITE_RUN_LIST(WEFT_SQLITE_ONE_THREAD, ">", "ASC")};
    return wanted.is_newest_first ? sql_text{WEFT_SQLITE_RUN_LIST("", "<", "DESC")}
                                  : sql_text{WEFT_SQLITE_RUN_LIST("", ">", "ASC")};
}

/** The columns WEFT_SQLITE_RUN_COLUMNS, which come first where a run is read whole or listed. */
template <class Run>
void read_run_columns(query& asked, Run& run)
{
    run.id = run_id{asked.id(0)};
    run.thread = thread_key{asked.text(1), asked.text(2)};
    run.phase = phase_in(asked, 3);
    run.signal = asked.as<run_signal>(4);
    run.graph = asked.text(5);
    run.message = asked.text(6);
    run.attempt = asked.as<std::uint32_t>(7);
    run.created = as_wall_time(asked.integer(8));
    run.ended = as_wall_time(asked.integer(9));
    run.metadata = asked.text(10);
    run.webhook = asked.text(11);
    run.priority = asked.as<std::int32_t>(12);
    if (!asked.is_null(13)) run.not_before = as_wall_time(asked.integer(13));
    run.changed = as_wall_time(asked.integer(14));
    run.revision = asked.text(15);
}

constexpr int run_column_count = 16;

stored_run listed_run(query& asked)
{
    stored_run run;
    read_run_columns(asked, run);
    run.idempotency_key = asked.text(run_column_count);
    return run;
}

std::optional<run_record> record_of(query& asked)
{
    if (!asked.next()) return std::nullopt;
    run_record found;
    read_run_columns(asked, found);
    found.input = asked.text(run_column_count);
    found.worker = asked.integer(run_column_count + 1);
    found.epoch = asked.integer(run_column_count + 2);
    found.is_suspect = asked.integer(run_column_count + 3) != 0;
    found.limit_keys = store_detail::keys_in(asked.text(run_column_count + 4));
    found.lost_attempts = store_detail::unpacked(asked.text(run_column_count + 5));
    return found;
}

}  // namespace

std::optional<run_record> read_run(connection& db, run_id run)
{
    query asked{db,
                "SELECT " WEFT_SQLITE_WHOLE_RUN " FROM run r JOIN thread t ON t.no = r.thread WHERE r.id = ?",
                raw{run}};
    return record_of(asked);
}

std::optional<run_record> read_active_run(connection& db, const thread_key& thread)
{
    query asked{db,
                "SELECT " WEFT_SQLITE_WHOLE_RUN " FROM thread t JOIN run r ON r.no = t.active "
                "WHERE t.tenant = ? AND t.name = ?",
                thread.tenant, thread.thread};
    return record_of(asked);
}

run_page search_runs(connection& db, const run_query& wanted)
{
    const std::int64_t after = wanted.after.empty() ? 0 : list_cursor::parse(wanted.after).first;
    // One row more than the page has, to know whether there is another page.
    const std::size_t limit = std::min<std::size_t>(wanted.count_max, INT64_MAX - 1) + 1;
    query asked{db, run_list(wanted), wanted.tenant, wanted.thread, wanted.graph, bits_of(wanted.phases),
                wanted.contains, stored_or_null(wanted.created_from), stored_or_null(wanted.created_before),
                stored_or_null(wanted.changed_from), stored_or_null(wanted.changed_before), wanted.after.empty(), after,
                limit};
    run_page page;
    std::int64_t last = 0;
    while (asked.next()) {
        if (page.runs.size() == wanted.count_max) {
            if (last != 0) page.next = list_cursor{last, 0, {}, {}}.text();
            break;
        }
        page.runs.push_back(listed_run(asked));
        last = asked.integer(run_column_count + 1);
    }
    return page;
}

std::size_t count_runs(connection& db, const run_query& wanted)
{
    const sql_text statement = is_of_one_thread(wanted)
                                   ? sql_text{"SELECT count(*) " WEFT_SQLITE_WANTED_RUNS(WEFT_SQLITE_ONE_THREAD)}
                                   : sql_text{"SELECT count(*) " WEFT_SQLITE_WANTED_RUNS("")};
    query asked{db, statement, wanted.tenant, wanted.thread, wanted.graph, bits_of(wanted.phases), wanted.contains,
                stored_or_null(wanted.created_from), stored_or_null(wanted.created_before),
                stored_or_null(wanted.changed_from), stored_or_null(wanted.changed_before)};
    return asked.next() ? asked.as<std::size_t>(0) : 0;
}

}  // namespace weft::sqlite_detail

#undef WEFT_SQLITE_RUN_COLUMNS
#undef WEFT_SQLITE_WHOLE_RUN
#undef WEFT_SQLITE_WANTED_RUNS
#undef WEFT_SQLITE_RUN_LIST
#undef WEFT_SQLITE_ONE_THREAD
