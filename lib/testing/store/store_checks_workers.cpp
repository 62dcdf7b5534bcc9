#include "store_trial.hpp"

#include <array>

namespace weft::testing::store_trial {

namespace {

// What is here keeps two workers off one run, and no run without a worker: durable runs are as safe as this.
constexpr worker_id unknown_worker = 987'654'321;

// A process that comes back under its name must not inherit the runs of the one before, which may still be at work.
task<void> every_start_of_a_process_is_a_new_worker(store_under_test& trial)
{
    const worker_id first = co_await trial.store().enter("same name", long_lifetime);
    const worker_id second = co_await trial.other().enter("same name", long_lifetime);
    expect(first > 0 && second > 0, "numbers of workers are positive");
    expect(first != second, "two workers have two numbers");
    const heartbeat_report one = co_await trial.store().heartbeat(first, long_lifetime);
    const heartbeat_report two = co_await trial.store().heartbeat(second, long_lifetime);
    expect(one.is_alive && two.is_alive, "both are alive");
    expect(one.signals.empty(), "nothing is wanted of a worker without runs");
}

// A worker that was given up and does not know it yet asks with a number that the store has forgotten.
task<void> an_unknown_worker_is_not_alive_and_gets_nothing(store_under_test& trial)
{
    const run_id ready = co_await enqueue_ready(trial.store(), thread_key{"t"});
    const heartbeat_report report = co_await trial.store().heartbeat(unknown_worker, long_lifetime);
    expect(!report.is_alive, "an unknown worker is not alive");
    const std::vector<run_claim> claims = co_await trial.store().claim(unknown_worker, 10);
    expect_equal(claims.size(), 0, "claims of an unknown worker");
    const std::optional<run_claim> resumed = co_await trial.store().resume(unknown_worker, ready);
    expect(!resumed, "an unknown worker resumes nothing");
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"u"}, id};
    run.started_by(unknown_worker);
    const run_admission admission = co_await trial.store().enqueue(std::move(run));
    expect_equal(admission.what, run_admission::kind::ready, "a run that is started by an unknown worker");
    co_await trial.store().leave(unknown_worker);
}

// Deployments restart workers one after the other: their runs do not wait until a lifetime has passed.
task<void> who_leaves_gives_its_runs_back_at_once(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder first = co_await hold(store, thread_key{"t"});
    const run_claim second = co_await start(store, thread_key{"u"}, first.worker);
    co_await commit_body(store, first, "one");
    co_await store.leave(first.worker);
    const run_phase left = co_await phase_of(trial.other(), second.fence.run);
    expect_equal(left, run_phase::ready, "phase of a run whose worker left");
    const heartbeat_report report = co_await store.heartbeat(first.worker, long_lifetime);
    expect(!report.is_alive, "who left is not alive");
    checkpoint_draft late = co_await draft_of("late");
    const commit_result refused = co_await store.commit(first.fence, std::move(late));
    expect_equal(refused.state, write_state::fenced, "a write after leaving");
    const worker_id next = co_await enter(trial.other());
    const std::vector<run_claim> claims = co_await trial.other().claim(next, 10);
    expect_equal(claims.size(), 2, "runs for the next worker");
    expect_equal(claims[0].fence.run, first.fence.run, "the older one first");
    expect_equal(claims[0].fence.head, 1, "head in a claim");
}

// The epoch rises, which refuses whatever the worker that was given up still writes.
task<void> who_gives_no_sign_of_life_is_given_up(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder lost = co_await hold_shortly(trial, thread_key{"t"});
    const worker_id living = co_await enter(store);
    co_await commit_body(store, lost, "one");
    const std::size_t too_early = co_await store.reap(10);
    expect_equal(too_early, 0, "runs reaped while all workers live");
    co_await outlive(trial);
    const std::size_t count = co_await trial.other().reap(10);
    expect_equal(count, 1, "runs reaped");
    const std::optional<run_record> record = co_await store.find_run(lost.fence.run);
    expect_equal(record->phase, run_phase::ready, "phase of a reaped run");
    expect_equal(record->worker, 0, "worker of a reaped run");
    const heartbeat_report report = co_await store.heartbeat(lost.worker, long_lifetime);
    expect(!report.is_alive, "who was given up learns it from its heartbeat");
    const std::vector<run_claim> claims = co_await store.claim(living, 10);
    expect_equal(claims.size(), 1, "runs for the living");
    expect_equal(claims[0].attempt, 2, "attempt after a worker was lost");
    expect(claims[0].fence.epoch > lost.fence.epoch, "the epoch rises with each claim");
    expect_equal(claims[0].fence.head, 1, "head in the new claim");
    const std::vector<run_claim> more = co_await store.claim(lost.worker, 10);
    expect_equal(more.size(), 0, "claims of who was given up");
}

// For longer than a lifetime: a store that counts from the beginning would give the worker up.
task<void> signs_of_life_keep_a_worker_alive(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const holder by = co_await hold_shortly(trial, thread_key{"t"});
    for (int i = 0; i < 7; ++i) {
        co_await trial.pass(trial.lifetime() / 4);
        const heartbeat_report report = co_await store.heartbeat(by.worker, trial.lifetime());
        expect(report.is_alive, "who gives signs of life is alive");
        const std::size_t count = co_await store.reap(10);
        expect_equal(count, 0, "runs reaped of the living");
    }
    const run_phase phase = co_await phase_of(store, by.fence.run);
    expect_equal(phase, run_phase::running, "phase of a run whose worker lives");
}

// A run that kills its process would kill all workers in turn; those behind it go on.
task<void> a_run_whose_attempts_are_used_up_is_dead(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t"}, id};
    run.with_attempts_max(2);
    static_cast<void>(co_await store.enqueue(std::move(run)));
    const run_id behind = co_await new_run_id();
    new_run queued{thread_key{"t"}, behind};
    queued.on_busy(busy_policy::queue);
    static_cast<void>(co_await store.enqueue(std::move(queued)));
    for (std::uint32_t attempt = 1; attempt <= 2; ++attempt) {
        const worker_id worker = co_await store.enter("short-lived", trial.lifetime());
        const std::vector<run_claim> claims = co_await store.claim(worker, 1);
        expect_equal(claims.size(), 1, "claims of a run that has attempts left");
        expect_equal(claims[0].fence.run, id, "the run at the front of the thread");
        expect_equal(claims[0].attempt, attempt, "attempt");
        co_await outlive(trial);
        const std::size_t count = co_await store.reap(10);
        expect_equal(count, 1, "runs reaped");
    }
    const std::optional<run_record> record = co_await store.find_run(id);
    expect_equal(record->phase, run_phase::dead, "phase when the attempts are used up");
    expect(record->ended != wall_time{}, "a dead run has an end");
    const run_phase next = co_await phase_of(store, behind);
    expect_equal(next, run_phase::ready, "phase of the run behind a dead one");
}

// A run that waits for people may rest any number of times: only workers that were lost count.
task<void> a_run_that_comes_to_rest_uses_up_no_attempts(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const worker_id worker = co_await enter(store);
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t"}, id};
    run.with_attempts_max(2).started_by(worker);
    const run_admission admission = co_await store.enqueue(std::move(run));
    write_fence fence = admission.claim->fence;
    for (int i = 0; i < 4; ++i) {
        const write_state waits = co_await store.finish(fence, run_outcome{run_phase::waiting});
        expect_equal(waits, write_state::ok, "a run that waits");
        const worker_id next = co_await store.enter("short-lived", trial.lifetime());
        const std::optional<run_claim> claim = co_await store.resume(next, id);
        expect(claim.has_value(), "a run that waits can be resumed");
        fence = claim->fence;
    }
    co_await outlive(trial);
    const std::size_t count = co_await store.reap(10);
    expect_equal(count, 1, "runs reaped");
    const run_phase phase = co_await phase_of(store, id);
    expect_equal(phase, run_phase::ready, "phase of a run that waited often and lost one worker");
}

// A worker with thousands of runs was lost: one statement for all would lock the table too long.
task<void> reaping_in_portions_reaps_everything(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const worker_id worker = co_await store.enter("short-lived", trial.lifetime());
    for (const char* name : {"a", "b", "c"}) static_cast<void>(co_await start(store, thread_key{name}, worker));
    co_await outlive(trial);
    std::size_t count = 0;
    for (int i = 0; i < 10 && count < 3; ++i) count += co_await store.reap(1);
    expect_equal(count, 3, "runs reaped in portions");
    const std::size_t more = co_await store.reap(10);
    expect_equal(more, 0, "runs left to reap");
    for (int i = 0; i < 3; ++i) {
        const worker_id next = co_await enter(store);
        const std::vector<run_claim> claims = co_await store.claim(next, 10);
        expect_equal(claims.size(), 1, "runs for the next worker");
    }
}

/** Enters runs and loses the worker that has taken them all. @return Who they are, in order. */
task<std::vector<run_id>> lose_runs(store_under_test& trial, std::vector<std::string> names, std::uint32_t attempts_max)
{
    const worker_id worker = co_await trial.store().enter("short-lived", trial.lifetime());
    std::vector<run_id> runs;
    for (const std::string& name : names) {
        const run_id id = co_await new_run_id();
        new_run run{thread_key{name}, id};
        run.with_attempts_max(attempts_max).started_by(worker);
        static_cast<void>(co_await trial.store().enqueue(std::move(run)));
        runs.push_back(id);
    }
    co_await outlive(trial);
    const std::size_t count = co_await trial.store().reap(10);
    expect_equal(count, names.size(), "runs reaped");
    co_return runs;
}

// Were it to get more, one bad run would use up the attempts of its innocent neighbours.
task<void> a_worker_gets_one_suspect_until_that_has_made_a_checkpoint(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    std::vector<std::string> names{"a", "b"};
    const std::vector<run_id> lost = co_await lose_runs(trial, std::move(names), 5);
    const run_id fresh = co_await enqueue_ready(store, thread_key{"c"});
    const std::optional<run_record> record = co_await trial.other().find_run(lost[1]);
    expect(record->is_suspect, "who was under way when its worker was lost is a suspect");
    const worker_id worker = co_await enter(store);
    const std::vector<run_claim> claims = co_await store.claim(worker, 10);
    expect_equal(claims.size(), 2, "one suspect, and what is none");
    expect_equal(claims[0].fence.run, lost[0], "the oldest suspect");
    expect(claims[0].is_suspect, "a claim says that it is one");
    expect_equal(claims[1].fence.run, fresh, "a run that was never lost");
    expect(!claims[1].is_suspect, "that is no suspect");
    const std::vector<run_claim> none = co_await store.claim(worker, 10);
    expect_equal(none.size(), 0, "claims while the worker has a suspect");
    const std::optional<run_claim> refused = co_await store.resume(worker, lost[1]);
    expect(!refused, "a resume gives no second suspect either");
    holder by;
    by.fence = claims[0].fence;
    co_await commit_body(store, by, "alive");
    const std::optional<run_record> proven = co_await trial.other().active_run(thread_key{"a"});
    expect(!proven->is_suspect, "a checkpoint ends the suspicion");
    const std::vector<run_claim> more = co_await store.claim(worker, 10);
    expect_equal(more.size(), 1, "the next suspect");
    expect_equal(more[0].fence.run, lost[1], "the next suspect");
    const worker_id second = co_await enter(trial.other());
    const write_state waits = co_await store.finish(more[0].fence, run_outcome{run_phase::waiting});
    expect_equal(waits, write_state::ok, "a suspect that comes to a rest");
    const std::optional<run_claim> rested = co_await store.resume(second, lost[1]);
    expect(rested && !rested->is_suspect && rested->attempt == 1, "a rest ends the suspicion");
}

// Of the runs that a lost worker had, only one can have killed it, and it is not known which.
task<void> only_suspects_use_up_attempts(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    std::vector<std::string> names{"poison", "innocent"};
    const std::vector<run_id> lost = co_await lose_runs(trial, std::move(names), 2);
    const worker_id second = co_await store.enter("short-lived", trial.lifetime());
    const std::vector<run_claim> claims = co_await store.claim(second, 10);
    expect_equal(claims.size(), 1, "suspects at once");
    expect_equal(claims[0].attempt, 2, "attempt after one loss");
    const run_claim beside = co_await start(store, thread_key{"beside"}, second);
    co_await outlive(trial);
    const std::size_t count = co_await store.reap(10);
    expect_equal(count, 2, "runs reaped");
    const run_phase dead = co_await phase_of(store, lost[0]);
    expect_equal(dead, run_phase::dead, "phase of the suspect");
    const run_phase innocent = co_await phase_of(store, beside.fence.run);
    expect_equal(innocent, run_phase::ready, "phase of what ran beside it");
    const run_phase waiting = co_await phase_of(store, lost[1]);
    expect_equal(waiting, run_phase::ready, "phase of the suspect that was not taken");
}

// It is likely to be the one that kills.
task<void> a_suspect_that_was_lost_again_is_tried_last_and_alone(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    std::vector<std::string> names{"a", "b"};
    const std::vector<run_id> lost = co_await lose_runs(trial, std::move(names), 5);
    const worker_id second = co_await store.enter("short-lived", trial.lifetime());
    static_cast<void>(co_await store.claim(second, 10));
    co_await outlive(trial);
    static_cast<void>(co_await store.reap(10));
    const worker_id one = co_await enter(store);
    const worker_id other = co_await enter(trial.other());
    const std::vector<run_claim> first = co_await store.claim(one, 10);
    expect_equal(first.size(), 1, "suspects for the first worker");
    expect_equal(first[0].fence.run, lost[1], "the suspect that was lost once");
    const std::vector<run_claim> none = co_await trial.other().claim(other, 10);
    expect_equal(none.size(), 0, "suspects beside one, of those that were lost twice");
    holder by;
    by.fence = first[0].fence;
    co_await commit_body(store, by, "alive");
    const std::vector<run_claim> last = co_await trial.other().claim(other, 10);
    expect_equal(last.size(), 1, "suspects for the other worker");
    expect_equal(last[0].fence.run, lost[0], "the suspect that was lost twice");
    expect_equal(last[0].attempt, 3, "attempt after two losses");
    by.fence = last[0].fence;
    co_await commit_body(store, by, "alive");
    co_await trial.other().leave(other);
    const std::optional<run_claim> proven = co_await store.resume(one, lost[0]);
    expect(proven && !proven->is_suspect, "what has made a checkpoint is none");
}

constexpr std::array<store_check, 11> worker_check_list{{
    WEFT_STORE_CHECK(every_start_of_a_process_is_a_new_worker),
    WEFT_STORE_CHECK(an_unknown_worker_is_not_alive_and_gets_nothing),
    WEFT_STORE_CHECK(who_leaves_gives_its_runs_back_at_once),
    WEFT_STORE_CHECK(who_gives_no_sign_of_life_is_given_up),
    WEFT_STORE_CHECK(signs_of_life_keep_a_worker_alive),
    WEFT_STORE_CHECK(a_run_whose_attempts_are_used_up_is_dead),
    WEFT_STORE_CHECK(a_run_that_comes_to_rest_uses_up_no_attempts),
    WEFT_STORE_CHECK(reaping_in_portions_reaps_everything),
    WEFT_STORE_CHECK(a_worker_gets_one_suspect_until_that_has_made_a_checkpoint),
    WEFT_STORE_CHECK(only_suspects_use_up_attempts),
    WEFT_STORE_CHECK(a_suspect_that_was_lost_again_is_tried_last_and_alone),
}};

}  // namespace

std::span<const store_check> worker_checks() { return worker_check_list; }

}  // namespace weft::testing::store_trial
