#include "sqlite_run_row.hpp"

#include "sqlite_documents.hpp"
#include "sqlite_queue.hpp"
#include "sqlite_threads.hpp"
#include "sqlite_time.hpp"
#include "store/record/lost_attempts.hpp"
#include "store/record/outbox_document.hpp"

#include <weft/base/error.hpp>

#include <utility>
#include <vector>

namespace weft::sqlite_detail {

namespace {

// The file keeps phases as numbers, and its indexes name some of them.
static_assert(static_cast<int>(run_phase::queued) == 0 && static_cast<int>(run_phase::ready) == 1 &&
              static_cast<int>(run_phase::running) == 2 && static_cast<int>(run_phase::waiting) == 3 &&
              static_cast<int>(run_phase::finished) == 4 && static_cast<int>(run_phase::dead) == 7);
static_assert(static_cast<int>(run_signal::pause) == 1 && static_cast<int>(run_signal::cancel) == 2);

// Of each thread, so many runs that are over are remembered, with their idempotency keys.
constexpr std::int64_t ended_runs_max = 1'000;

}  // namespace

void announce_end(connection& db, const run_row& run, run_phase phase, std::int64_t wall)
{
    stored_run ended;
    {
        query asked{db,
                    "SELECT t.name, t.tenant, r.graph, r.webhook FROM run r JOIN thread t ON t.no = r.thread "
                    "WHERE r.no = ? AND r.webhook <> ''",
                    run.no};
        if (!asked.next()) return;
        ended.thread = thread_key{asked.text(0), asked.text(1)};
        ended.graph = asked.text(2);
        ended.webhook = asked.text(3);
    }
    ended.id = run.id;
    ended.phase = phase;
    const moment now{{}, as_wall_time(wall)};
    std::vector<document_change> changes{store_detail::message_of_end(ended, now.today)};
    // One that is there already stays: it is of this end.
    static_cast<void>(write_documents(db, changes, now));
}

run_phase phase_in(query& asked, int column)
{
    const std::int64_t number = asked.integer(column);
    if (number < 0 || number > static_cast<std::int64_t>(run_phase::dead))
        throw error{errc::store_corrupt, "SQLite, table 'run'",
                    "a run is in the phase " + std::to_string(number) +
                        ", which there is not; restore a copy, or save what is readable with the command .recover of "
                        "sqlite3"};
    return static_cast<run_phase>(number);
}

std::optional<run_row> row_of(query& asked)
{
    if (!asked.next()) return std::nullopt;
    run_row found;
    found.no = asked.integer(0);
    found.thread = asked.integer(1);
    found.phase = phase_in(asked, 2);
    found.signal = asked.as<run_signal>(3);
    found.attempt = asked.integer(4);
    found.attempts_max = asked.integer(5);
    found.id = run_id{asked.id(6)};
    if (!asked.is_null(7)) found.suspected_at = asked.integer(7);
    found.head = asked.integer(8);
    found.place = asked.integer(9);
    found.tenant = asked.text(10);
    found.graph = asked.text(11);
    found.revision = asked.text(12);
    found.limit_keys = asked.text(13);
    found.buckets = asked.text(14);
    found.lost_attempts = asked.text(15);
    return found;
}

std::optional<run_row> run_by_number(connection& db, std::int64_t no)
{
    query asked{db, WEFT_SQLITE_RUN_ROW "r.no = ?", no};
    return row_of(asked);
}

std::optional<run_row> run_by_id(connection& db, run_id id)
{
    query asked{db, WEFT_SQLITE_RUN_ROW "r.id = ?", raw{id}};
    return row_of(asked);
}

void end_run(connection& db, const run_row& run, const run_outcome& outcome, std::int64_t wall)
{
    leave_buckets(db, run);
    query{db,
          "UPDATE run SET phase = ?1, message = ?2, ended = ?3, changed = ?3, signal = ?4, attempt = ?5, worker = 0, "
          "later = NULL WHERE no = ?6",
          outcome.phase, outcome.message, wall, run.signal, run.attempt, run.no}.run();
    announce_end(db, run, outcome.phase, wall);
    std::optional<std::int64_t> next;
    {
        query asked{db, "SELECT no FROM run WHERE thread = ? AND phase = 0 ORDER BY no LIMIT 1", run.thread};
        if (asked.next()) next = asked.integer(0);
    }
    // A run whose moment has not come stays in its phase, but it is the active one now.
    if (next)
        query{db,
              "UPDATE run SET phase = iif(not_before > ?1, 0, 1), later = iif(not_before > ?1, not_before, NULL), "
              "changed = iif(not_before > ?1, changed, ?1) WHERE no = ?2",
              wall, *next}.run();
    query{db, "UPDATE thread SET active = ?, changed = ? WHERE no = ?", next, wall, run.thread}.run();
    query{db,
          "DELETE FROM run WHERE no IN (SELECT no FROM run WHERE thread = ? AND phase >= 4 "
          "ORDER BY ended DESC, no DESC LIMIT -1 OFFSET ?)",
          run.thread, ended_runs_max}.run();
}

void let_go_until(connection& db, run_row run, std::chrono::milliseconds span, std::int64_t wall)
{
    const bool is_at_once = span.count() <= 0 || run.signal == run_signal::cancel;
    if (is_at_once) return let_go(db, std::move(run), run_phase::ready, wall);
    // As one whose moment has not come: it is the active run of its thread, and no claim sees it.
    query{db, "UPDATE run SET later = ? WHERE no = ?", later(wall, span), run.no}.run();
    let_go(db, std::move(run), run_phase::queued, wall);
}

void note_lost_attempt(connection& db, run_row& run, std::string cause, std::int64_t wall)
{
    std::vector<lost_attempt> lost = store_detail::unpacked(run.lost_attempts);
    store_detail::add_lost_attempt(lost, as_wall_time(wall), std::move(cause));
    run.lost_attempts = store_detail::packed(lost);
    query{db, "UPDATE run SET lost_attempts = ? WHERE no = ?", raw{run.lost_attempts}, run.no}.run();
}

void let_go(connection& db, run_row run, run_phase phase, std::int64_t wall)
{
    leave_buckets(db, run);
    // What waits has paused: the signal has done its work, and what follows is a new beginning.
    if (phase == run_phase::waiting) {
        run.attempt = 0;
        run.suspected_at.reset();
    }
    if (phase == run_phase::waiting && run.signal == run_signal::pause) run.signal = run_signal::none;
    if (run.signal == run_signal::cancel)
        return end_run(db, run, run_outcome{run_phase::cancelled, "cancelled while no worker had it"}, wall);
    query{db,
          "UPDATE run SET phase = ?, signal = ?, attempt = ?, suspected_at = ?, changed = ?, worker = 0 WHERE no = ?",
          phase, run.signal, run.attempt, run.suspected_at, wall, run.no}.run();
    if (phase == run_phase::waiting) touch_thread(db, run.thread, wall);
}

}  // namespace weft::sqlite_detail
