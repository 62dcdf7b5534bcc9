#include "sqlite_runs.hpp"

#include "sqlite_queue.hpp"
#include "sqlite_run_row.hpp"
#include "sqlite_threads.hpp"
#include "sqlite_workers.hpp"
#include "store/record/queue_texts.hpp"

#include <weft/base/error.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft::sqlite_detail {

namespace {

/** Two suspects at once would leave open which of them ends the process. */
bool may_try(connection& db, const run_row& suspect, worker_id worker)
{
    const bool was_caught = suspect.attempt > 1;  // it was a suspect already when its worker was lost
    return !query{db,
                  "SELECT 1 FROM run r JOIN thread t ON t.no = r.thread WHERE r.phase = 2 AND r.suspected_at = t.head "
                  "AND (r.worker = ? OR ? OR r.attempt > 2)",
                  worker, was_caught}
                .next();
}

/** The ready suspect to try next: one that has cost one worker before one that has cost more. */
std::optional<run_row> first_suspect(connection& db, worker_id worker)
{
    std::optional<run_row> first;
    {
        query asked{db, WEFT_SQLITE_RUN_ROW "r.phase = 1 AND r.suspected_at = t.head ORDER BY r.attempt, r.no LIMIT 1"};
        first = row_of(asked);
    }
    if (first && !may_try(db, *first, worker)) first.reset();
    return first;
}

// The new epoch fences whatever the holder before still writes.
run_claim take_run(connection& db, const run_row& run, worker_id worker, const moment& at)
{
    run_claim claim;
    claim.fence.run = run.id;
    claim.fence.epoch = next_epoch(db);
    claim.attempt = static_cast<std::uint32_t>(run.attempt + 1);
    claim.is_suspect = run.is_suspect();
    {
        query taken{db,
                    "UPDATE run SET phase = 2, worker = ?, epoch = ?, attempt = ?, changed = ?, later = NULL "
                    "WHERE no = ? RETURNING graph, input, revision",
                    worker, claim.fence.epoch, claim.attempt, stored(at.today), run.no};
        if (taken.next()) {
            claim.graph = taken.text(0);
            claim.input = taken.text(1);
            claim.revision = taken.text(2);
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

/** Runs that waited for their moment, and it has come: before they began, or at rest. */
void make_due_runs_ready(connection& db, const moment& at)
{
    query{db,
          "UPDATE run SET phase = 1, later = NULL, changed = ?1 WHERE later <= ?1 AND phase IN (0, 3)",
          stored(at.today)}.run();
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

/** Enters a run that is the active one of its thread from now on, unless another one is. */
run_row insert_run(connection& db, const new_run& run, const thread_row& thread, std::int64_t wall)
{
    const std::optional<std::int64_t> moment = stored_or_null(run.not_before);
    const bool is_early = moment && *moment > wall;
    // Behind another run only its turn counts; when that comes, its moment is looked at again.
    const std::optional<std::int64_t> later = thread.active || !is_early ? std::nullopt : moment;
    const run_phase phase = thread.active || is_early ? run_phase::queued : run_phase::ready;
    const std::optional<std::string_view> once =
        run.idempotency_key.empty() ? std::nullopt : std::optional<std::string_view>{run.idempotency_key};
    const std::string limit_keys = store_detail::text_of_keys(run.limit_keys);
    query made{db,
               "INSERT INTO run (id, thread, tenant, phase, attempts_max, created, graph, idempotency_key, input, "
               "metadata, webhook, priority, not_before, later, revision, limit_keys, place, changed) "
               "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?6) RETURNING no",
               raw{run.id}, thread.no, run.thread.tenant, phase, run.attempts_max, wall, run.graph, once,
               raw{run.input}, run.metadata, run.webhook, run.priority, moment, later, run.revision, limit_keys,
               store_detail::place_in_queue(as_wall_time(wall), run.priority)};
    run_row row;
    if (made.next()) row.no = made.integer(0);
    made.run();
    row.thread = thread.no;
    row.phase = phase;
    row.id = run.id;
    row.attempts_max = run.attempts_max;
    row.tenant = run.thread.tenant;
    row.graph = run.graph;
    row.revision = run.revision;
    row.limit_keys = limit_keys;
    return row;
}

void ask_to_cancel(connection& db, run_row run, std::int64_t wall)
{
    run.signal = run_signal::cancel;
    if (run.phase != run_phase::running)
        return end_run(db, run, run_outcome{run_phase::cancelled, "cancelled while no worker had it"}, wall);
    query{db, "UPDATE run SET signal = ?1, changed = ?2 WHERE no = ?3 AND signal <> ?1", run.signal, wall,
          run.no}.run();
}

run_admission admission(run_admission::kind what, run_id id)
{
    run_admission result;
    result.what = what;
    result.id = id;
    return result;
}

}  // namespace

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
        thread = make_thread(db, run.thread, wall);  // perhaps no run is active any more
    }
    const run_row entered = insert_run(db, run, thread, wall);
    if (thread.active) {
        touch_thread(db, thread.no, wall);
        return admission(kind::queued, run.id);
    }
    query{db, "UPDATE thread SET active = ?, changed = ? WHERE no = ?", entered.no, wall, thread.no}.run();
    if (entered.phase == run_phase::queued) return admission(kind::queued, run.id);
    if (run.start_on == 0 || !may_start_at_once(db, entered, run.start_on, at)) return admission(kind::ready, run.id);
    run_admission started = admission(kind::started, run.id);
    started.claim = take_run(db, entered, run.start_on, at);
    return started;
}

std::vector<run_claim> claim_runs(connection& db, store_detail::queue_turn& turn, worker_id worker, std::size_t max,
                                  const moment& at)
{
    std::vector<run_claim> claims;
    if (!is_alive(db, worker, at)) return claims;
    make_due_runs_ready(db, at);
    std::optional<run_row> suspect = max > 0 ? first_suspect(db, worker) : std::nullopt;
    const queue_portion portion{worker, max, at};
    std::vector<run_row> ready = next_in_turn(db, turn, std::move(suspect), portion);
    std::sort(ready.begin(), ready.end(), [](const run_row& a, const run_row& b) {
        return std::pair{a.place, a.no} < std::pair{b.place, b.no};
    });
    for (const run_row& run : ready) claims.push_back(take_run(db, run, worker, at));
    return claims;
}

std::optional<run_claim> resume_run(connection& db, worker_id worker, run_id run, const moment& at)
{
    if (!is_alive(db, worker, at)) return std::nullopt;
    make_due_runs_ready(db, at);
    const auto found = run_by_id(db, run);
    if (!found || (found->phase != run_phase::waiting && found->phase != run_phase::ready)) return std::nullopt;
    if (found->is_suspect() && !may_try(db, *found, worker)) return std::nullopt;
    if (!can_run(db, worker, *found)) return std::nullopt;
    if (!limits_of_run(db, *found).empty()) {
        if (found->phase == run_phase::waiting)
            query{db, "UPDATE run SET phase = 1, later = NULL, changed = ? WHERE no = ?", stored(at.today),
                  found->no}.run();
        return std::nullopt;
    }
    return take_run(db, *found, worker, at);
}

write_state finish_run(connection& db, const write_fence& fence, const run_outcome& outcome, const moment& at)
{
    BOOST_ASSERT_MSG(outcome.phase == run_phase::waiting || outcome.phase == run_phase::finished ||
                         outcome.phase == run_phase::failed || outcome.phase == run_phase::cancelled,
                     "a run leaves its worker waiting, finished, failed or cancelled");
    const fence_check fenced = check_fence(db, fence, compares::epoch_and_head);
    auto run = run_by_id(db, fence.run);
    if (fenced.state != write_state::ok || !run) return fenced.state;
    if (outcome.phase == run_phase::failed && outcome.may_retry && try_run_again(db, *run, outcome.message, at))
        return write_state::ok;
    if (outcome.phase != run_phase::waiting) {
        end_run(db, *run, outcome, stored(at.today));
        return write_state::ok;
    }
    query{db, "UPDATE run SET message = ?, later = ? WHERE no = ?", outcome.message, stored_or_null(outcome.wakes_at),
          run->no}.run();
    const bool may_be_answered = !outcome.asked_below.empty() && run->signal == run_signal::none;
    let_go(db, *run, run_phase::waiting, stored(at.today));
    if (may_be_answered) make_ready_if_answered(db, fenced.thread.no, outcome.asked_below, at);
    return write_state::ok;
}

write_state bind_run(connection& db, const write_fence& fence, const std::string& revision)
{
    const fence_check fenced = check_fence(db, fence, compares::epoch);
    if (fenced.state == write_state::ok)
        query{db, "UPDATE run SET revision = ? WHERE id = ?", revision, raw{fence.run}}.run();
    return fenced.state;
}

bool change_input_of_run(connection& db, const thread_key& thread, run_id run, std::string_view input)
{
    query changed{db,
                  "UPDATE run SET input = ? WHERE id = ? AND phase IN (0, 1, 3) AND thread = "
                  "(SELECT no FROM thread WHERE name = ? AND tenant = ?) RETURNING no",
                  raw{input}, raw{run}, thread.thread, thread.tenant};
    const bool is_there = changed.next();
    if (is_there) changed.run();
    return is_there;
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
        query{db, "UPDATE run SET signal = ?, changed = ? WHERE no = ?", what, stored(at.today), run->no}.run();
    return run->id;
}

bool cancel_queued_run(connection& db, run_id id, const moment& at)
{
    const std::optional<run_row> run = run_by_id(db, id);
    if (!run || run->phase != run_phase::queued) return false;
    const std::int64_t wall = stored(at.today);
    // The active one may be queued too, until its moment comes: a signal is for that one.
    query ended{db,
                "UPDATE run SET phase = ?1, message = 'cancelled while it was in line', ended = ?2, changed = ?2, "
                "later = NULL WHERE no = ?3 AND NOT EXISTS (SELECT 1 FROM thread t WHERE t.active = ?3) RETURNING no",
                run_phase::cancelled, wall, run->no};
    if (!ended.next()) return false;
    ended.run();
    announce_end(db, *run, run_phase::cancelled, wall);
    touch_thread(db, run->thread, wall);
    return true;
}

bool remove_run(connection& db, run_id run)
{
    query removed{db, "DELETE FROM run WHERE id = ? AND phase >= 4 RETURNING no", raw{run}};
    const bool was_there = removed.next();
    if (was_there) removed.run();
    return was_there;
}

void make_ready_if_answered(connection& db, std::int64_t thread, std::string_view below, const moment& at)
{
    const std::string top{below};
    const std::string first = top + '/';
    const std::string end = top + '0';  // the character behind '/'
    query{db,
          "UPDATE run SET phase = 1, changed = ?5, later = NULL WHERE phase = 3 "
          "AND no = (SELECT active FROM thread WHERE no = ?1) AND NOT EXISTS "
          "(SELECT 1 FROM question WHERE thread = ?1 AND phase = 0 AND "
          "(address = ?2 OR (address >= ?3 AND address < ?4)))",
          thread, top, first, end, stored(at.today)}.run();
}

}  // namespace weft::sqlite_detail
