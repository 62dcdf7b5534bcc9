#include "sqlite_runs.hpp"

#include "sqlite_threads.hpp"

#include <weft/base/error.hpp>

#include <boost/assert.hpp>

#include <algorithm>

namespace weft::sqlite_detail {

namespace {

// The file keeps phases as numbers, and its indexes name some of them.
static_assert(static_cast<int>(run_phase::queued) == 0 && static_cast<int>(run_phase::ready) == 1 &&
              static_cast<int>(run_phase::running) == 2 && static_cast<int>(run_phase::waiting) == 3 &&
              static_cast<int>(run_phase::finished) == 4 && static_cast<int>(run_phase::dead) == 7);
static_assert(static_cast<int>(run_signal::pause) == 1 && static_cast<int>(run_signal::cancel) == 2);

// Of each thread, so many runs that are over are remembered, with their idempotency keys.
constexpr std::int64_t ended_runs_max = 1'000;

/** What decides about a run that changes hands. */
struct run_row {
    std::int64_t no = 0;
    std::int64_t thread = 0;
    run_phase phase = run_phase::ready;
    run_signal signal = run_signal::none;
    std::int64_t attempt = 0;
    std::int64_t attempts_max = 0;
    run_id id;
};

/** A run in a phase that is none would be waited for without end. */
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
    return found;
}

std::optional<run_row> run_by_number(connection& db, std::int64_t no)
{
    query asked{db, "SELECT no, thread, phase, signal, attempt, attempts_max, id FROM run WHERE no = ?", no};
    return row_of(asked);
}

std::optional<run_row> run_by_id(connection& db, run_id id)
{
    query asked{db, "SELECT no, thread, phase, signal, attempt, attempts_max, id FROM run WHERE id = ?", raw{id}};
    return row_of(asked);
}

/** The run is over: the next one of its thread may begin. */
void end_run(connection& db, const run_row& run, const run_outcome& outcome, std::int64_t wall)
{
    query{db, "UPDATE run SET phase = ?, message = ?, ended = ?, signal = ?, attempt = ?, worker = 0 WHERE no = ?",
          outcome.phase, outcome.message, wall, run.signal, run.attempt, run.no}.run();
    std::optional<std::int64_t> next;
    {
        query asked{db, "SELECT no FROM run WHERE thread = ? AND phase = 0 ORDER BY no LIMIT 1", run.thread};
        if (asked.next()) next = asked.integer(0);
    }
    if (next) query{db, "UPDATE run SET phase = 1 WHERE no = ?", *next}.run();
    query{db, "UPDATE thread SET active = ?, changed = ? WHERE no = ?", next, wall, run.thread}.run();
    query{db,
          "DELETE FROM run WHERE no IN (SELECT no FROM run WHERE thread = ? AND phase >= 4 "
          "ORDER BY ended DESC, no DESC LIMIT -1 OFFSET ?)",
          run.thread, ended_runs_max}.run();
}

/** Nobody holds the run any more and it is not over, unless it was asked to cancel. */
void let_go(connection& db, run_row run, run_phase phase, std::int64_t wall)
{
    // What waits has paused: the signal has done its work, and what follows is a new beginning.
    if (phase == run_phase::waiting) run.attempt = 0;
    if (phase == run_phase::waiting && run.signal == run_signal::pause) run.signal = run_signal::none;
    if (run.signal == run_signal::cancel)
        return end_run(db, run, run_outcome{run_phase::cancelled, "cancelled while no worker had it"}, wall);
    query{db, "UPDATE run SET phase = ?, signal = ?, attempt = ?, worker = 0 WHERE no = ?", phase, run.signal,
          run.attempt, run.no}.run();
    if (phase == run_phase::waiting) touch_thread(db, run.thread, wall);
}

/** Its worker is lost. */
void take_away(connection& db, const run_row& run, std::int64_t wall)
{
    if (run.attempt < run.attempts_max) return let_go(db, run, run_phase::ready, wall);
    end_run(db, run,
            run_outcome{run_phase::dead, "taken up " + std::to_string(run.attempt) + " times without an end"}, wall);
}

/** Runs of a worker, to be collected before they are changed. */
std::vector<run_row> runs_held_by(connection& db, worker_id worker, std::size_t max)
{
    query asked{db,
                "SELECT no, thread, phase, signal, attempt, attempts_max, id FROM run WHERE phase = 2 AND worker = ? "
                "LIMIT ?",
                worker, std::min<std::size_t>(max, INT64_MAX)};
    std::vector<run_row> found;
    while (auto row = row_of(asked)) found.push_back(*row);
    return found;
}

bool is_alive(connection& db, worker_id worker, const moment& at)
{
    return query{db, "SELECT 1 FROM worker WHERE no = ? AND until > ?", worker, stored(at.now)}.next();
}

run_claim take_run(connection& db, const run_row& run, worker_id worker, const moment& at)
{
    run_claim claim;
    claim.fence.run = run.id;
    claim.fence.epoch = next_epoch(db);
    claim.attempt = static_cast<std::uint32_t>(run.attempt + 1);
    {
        query taken{db,
                    "UPDATE run SET phase = 2, worker = ?, epoch = ?, attempt = ? WHERE no = ? RETURNING graph, input",
                    worker, claim.fence.epoch, claim.attempt, run.no};
        if (taken.next()) {
            claim.graph = taken.text(0);
            claim.input = taken.text(1);
        }
        taken.run();
    }
    query thread{db, "UPDATE thread SET changed = ? WHERE no = ? RETURNING head, name, tenant", stored(at.today),
                 run.thread};
    if (!thread.next()) throw error{errc::store_corrupt, db.file(), "run " + run.id.text() + " has no thread"};
    claim.fence.head = thread.integer(0);
    claim.fence.thread = thread_key{thread.text(1), thread.text(2)};
    thread.run();
    return claim;
}

std::optional<run_id> same_run(connection& db, const new_run& run)
{
    if (run_by_id(db, run.id)) return run.id;
    if (run.idempotency_key.empty()) return std::nullopt;
    query asked{db, "SELECT id FROM run WHERE tenant = ? AND idempotency_key = ?", run.thread.tenant,
                run.idempotency_key};
    if (!asked.next()) return std::nullopt;
    return run_id{asked.id(0)};
}

run_row insert_run(connection& db, const new_run& run, std::int64_t thread, run_phase phase, std::int64_t wall)
{
    const std::optional<std::string_view> once =
        run.idempotency_key.empty() ? std::nullopt : std::optional<std::string_view>{run.idempotency_key};
    query made{db,
               "INSERT INTO run (id, thread, tenant, phase, attempts_max, created, graph, idempotency_key, input) "
               "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING no",
               raw{run.id}, thread, run.thread.tenant, phase, run.attempts_max, wall, run.graph, once, raw{run.input}};
    run_row row;
    if (made.next()) row.no = made.integer(0);
    made.run();
    row.thread = thread;
    row.id = run.id;
    row.attempts_max = run.attempts_max;
    return row;
}

void ask_to_cancel(connection& db, run_row run, std::int64_t wall)
{
    run.signal = run_signal::cancel;
    if (run.phase != run_phase::running)
        return end_run(db, run, run_outcome{run_phase::cancelled, "cancelled while no worker had it"}, wall);
    query{db, "UPDATE run SET signal = ? WHERE no = ?", run.signal, run.no}.run();
}

run_admission admission(run_admission::kind what, run_id id)
{
    run_admission result;
    result.what = what;
    result.id = id;
    return result;
}

std::optional<run_record> record_of(query& asked)
{
    if (!asked.next()) return std::nullopt;
    run_record found;
    found.id = run_id{asked.id(0)};
    found.thread = thread_key{asked.text(1), asked.text(2)};
    found.phase = phase_in(asked, 3);
    found.signal = asked.as<run_signal>(4);
    found.graph = asked.text(5);
    found.input = asked.text(6);
    found.message = asked.text(7);
    found.attempt = asked.as<std::uint32_t>(8);
    found.worker = asked.integer(9);
    found.epoch = asked.integer(10);
    found.created = as_wall_time(asked.integer(11));
    found.ended = as_wall_time(asked.integer(12));
    return found;
}

}  // namespace

worker_id enter_worker(connection& db, const std::string& name, std::int64_t until)
{
    query made{db, "INSERT INTO worker (name, until) VALUES (?, ?) RETURNING no", name, until};
    const worker_id worker = made.next() ? made.integer(0) : 0;
    made.run();
    return worker;
}

heartbeat_report prolong_worker(connection& db, worker_id worker, std::int64_t until)
{
    heartbeat_report report;
    report.is_alive =
        query{db, "UPDATE worker SET until = ? WHERE no = ? AND until IS NOT NULL", until, worker}.run() > 0;
    if (!report.is_alive) return report;
    query asked{db, "SELECT id, signal FROM run WHERE phase = 2 AND worker = ? AND signal > 0", worker};
    while (asked.next()) report.signals.push_back({run_id{asked.id(0)}, asked.as<run_signal>(1)});
    return report;
}

void remove_worker(connection& db, worker_id worker, const moment& at)
{
    for (run_row& run : runs_held_by(db, worker, INT64_MAX)) {
        run.attempt = std::max<std::int64_t>(run.attempt - 1, 0);
        let_go(db, run, run_phase::ready, stored(at.today));
    }
    query{db, "DELETE FROM worker WHERE no = ?", worker}.run();
}

std::size_t reap_workers(connection& db, std::size_t runs_max, const moment& at)
{
    // From here on they get no sign of life accepted, even if not all of their runs are taken away at once.
    query{db, "UPDATE worker SET until = NULL WHERE until <= ?", stored(at.now)}.run();
    std::vector<worker_id> lost;
    {
        query asked{db, "SELECT no FROM worker WHERE until IS NULL ORDER BY no"};
        while (asked.next()) lost.push_back(asked.integer(0));
    }
    std::size_t taken = 0;
    for (const worker_id worker : lost) {
        const std::vector<run_row> runs = runs_held_by(db, worker, runs_max - taken);
        for (const run_row& run : runs) take_away(db, run, stored(at.today));
        taken += runs.size();
        if (taken == runs_max) break;
        query{db, "DELETE FROM worker WHERE no = ?", worker}.run();
    }
    return taken;
}

void give_up_all_workers(connection& db, clock::system_time_point now)
{
    std::vector<run_row> held;
    {
        query asked{db, "SELECT no, thread, phase, signal, attempt, attempts_max, id FROM run WHERE phase = 2"};
        while (auto row = row_of(asked)) held.push_back(*row);
    }
    for (const run_row& run : held) take_away(db, run, stored(now));
    db.run("DELETE FROM worker");
}

run_admission enter_run(connection& db, const new_run& run, const moment& at)
{
    using kind = run_admission::kind;
    const std::int64_t wall = stored(at.today);
    if (const auto same = same_run(db, run)) return admission(kind::duplicate, *same);
    thread_row thread = make_thread(db, run.thread, wall);
    const std::optional<run_row> active = thread.active ? run_by_number(db, *thread.active) : std::nullopt;
    if (active && run.busy == busy_policy::reject) return admission(kind::rejected, active->id);
    if (active && run.busy == busy_policy::replace) {
        ask_to_cancel(db, *active, wall);
        thread = make_thread(db, run.thread, wall);  // nobody may be active any more
    }
    const run_row entered =
        insert_run(db, run, thread.no, thread.active ? run_phase::queued : run_phase::ready, wall);
    if (thread.active) {
        touch_thread(db, thread.no, wall);
        return admission(kind::queued, run.id);
    }
    query{db, "UPDATE thread SET active = ?, changed = ? WHERE no = ?", entered.no, wall, thread.no}.run();
    if (run.start_on == 0 || !is_alive(db, run.start_on, at)) return admission(kind::ready, run.id);
    run_admission started = admission(kind::started, run.id);
    started.claim = take_run(db, entered, run.start_on, at);
    return started;
}

std::vector<run_claim> claim_runs(connection& db, worker_id worker, std::size_t max, const moment& at)
{
    std::vector<run_claim> claims;
    if (!is_alive(db, worker, at)) return claims;
    std::vector<run_row> ready;
    {
        query asked{db,
                    "SELECT no, thread, phase, signal, attempt, attempts_max, id FROM run WHERE phase = 1 "
                    "ORDER BY no LIMIT ?",
                    std::min<std::size_t>(max, INT64_MAX)};
        while (auto row = row_of(asked)) ready.push_back(*row);
    }
    for (const run_row& run : ready) claims.push_back(take_run(db, run, worker, at));
    return claims;
}

std::optional<run_claim> resume_run(connection& db, worker_id worker, run_id run, const moment& at)
{
    const auto found = run_by_id(db, run);
    if (!found || (found->phase != run_phase::waiting && found->phase != run_phase::ready)) return std::nullopt;
    if (!is_alive(db, worker, at)) return std::nullopt;
    return take_run(db, *found, worker, at);
}

write_state finish_run(connection& db, const write_fence& fence, const run_outcome& outcome, const moment& at)
{
    BOOST_ASSERT_MSG(outcome.phase == run_phase::waiting || outcome.phase == run_phase::finished ||
                         outcome.phase == run_phase::failed || outcome.phase == run_phase::cancelled,
                     "a run leaves its worker waiting, finished, failed or cancelled");
    const fence_check fenced = check_fence(db, fence, compares::epoch_and_head);
    const auto run = run_by_id(db, fence.run);
    if (fenced.state != write_state::ok || !run) return fenced.state;
    if (outcome.phase != run_phase::waiting) {
        end_run(db, *run, outcome, stored(at.today));
        return write_state::ok;
    }
    query{db, "UPDATE run SET message = ? WHERE no = ?", outcome.message, run->no}.run();
    let_go(db, *run, run_phase::waiting, stored(at.today));
    return write_state::ok;
}

write_state yield_run(connection& db, const write_fence& fence, const moment& at)
{
    const fence_check fenced = check_fence(db, fence, compares::epoch);
    auto run = run_by_id(db, fence.run);
    if (fenced.state != write_state::ok || !run) return fenced.state;
    run->attempt = std::max<std::int64_t>(run->attempt - 1, 0);
    let_go(db, *run, run_phase::ready, stored(at.today));
    return write_state::ok;
}

std::optional<run_id> signal_run(connection& db, const thread_key& thread, run_signal what, const moment& at)
{
    const auto found = find_thread(db, thread);
    if (!found || !found->active) return std::nullopt;
    const auto run = run_by_number(db, *found->active);
    if (!run)
        throw error{errc::store_corrupt, db.file(), "the active run of thread '" + thread.thread + "' is missing"};
    if (what == run_signal::cancel)
        ask_to_cancel(db, *run, stored(at.today));
    else if (run->phase != run_phase::waiting && what > run->signal)
        query{db, "UPDATE run SET signal = ? WHERE no = ?", what, run->no}.run();
    return run->id;
}

std::optional<run_record> read_run(connection& db, run_id run)
{
    query asked{db,
                "SELECT r.id, t.name, t.tenant, r.phase, r.signal, r.graph, r.input, r.message, r.attempt, r.worker, "
                "r.epoch, r.created, r.ended FROM run r JOIN thread t ON t.no = r.thread WHERE r.id = ?",
                raw{run}};
    return record_of(asked);
}

std::optional<run_record> read_active_run(connection& db, const thread_key& thread)
{
    query asked{db,
                "SELECT r.id, t.name, t.tenant, r.phase, r.signal, r.graph, r.input, r.message, r.attempt, r.worker, "
                "r.epoch, r.created, r.ended FROM thread t JOIN run r ON r.no = t.active "
                "WHERE t.tenant = ? AND t.name = ?",
                thread.tenant, thread.thread};
    return record_of(asked);
}

}  // namespace weft::sqlite_detail
