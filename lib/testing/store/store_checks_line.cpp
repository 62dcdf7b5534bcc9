#include "store_trial.hpp"

#include <array>

namespace weft::testing::store_trial {

namespace {

task<run_id> enqueue_with_priority(checkpoint_store& store, thread_key thread, std::int32_t priority)
{
    const run_id id = co_await new_run_id();
    new_run run{std::move(thread), id};
    run.priority = priority;
    const run_admission admission = co_await store.enqueue(std::move(run));
    expect_equal(admission.what, run_admission::kind::ready, "admission of a run with a priority");
    co_return id;
}

/** A moment as all stores keep it: in milliseconds. */
task<wall_time> moment_in(std::chrono::milliseconds span)
{
    const serial_loop& loop = co_await this_task::loop();
    co_return std::chrono::floor<std::chrono::milliseconds>(loop.clock().system_now() + span);
}

/** Enters a run whose moment is far away. */
task<run_admission> enqueue_for_later(checkpoint_store& store, thread_key thread, worker_id worker)
{
    const run_id id = co_await new_run_id();
    const wall_time moment = co_await moment_in(long_lifetime);
    new_run run{std::move(thread), id};
    run.on_busy(busy_policy::queue).started_by(worker);
    run.not_before = moment;
    run_admission admission = co_await store.enqueue(std::move(run));
    co_return admission;
}

// In portions of several sizes: the order is that of the line, whatever one claim takes.
task<void> claims_come_by_priority_then_by_age(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const run_id usual = co_await enqueue_with_priority(store, thread_key{"a"}, 0);
    const run_id high = co_await enqueue_with_priority(store, thread_key{"b"}, 5);
    const run_id low = co_await enqueue_with_priority(store, thread_key{"c"}, -1);
    const run_id higher = co_await enqueue_with_priority(store, thread_key{"d"}, 2'000'000'000);
    const run_id high_too = co_await enqueue_with_priority(store, thread_key{"e"}, 5);
    const run_id usual_too = co_await enqueue_with_priority(store, thread_key{"f"}, 0);
    const worker_id worker = co_await enter(trial.other());
    std::vector<run_id> taken;
    for (const std::size_t max : {1, 2, 1, 10}) {
        const std::vector<run_claim> claims = co_await trial.other().claim(worker, max);
        for (const run_claim& each : claims) taken.push_back(each.fence.run);
    }
    const std::vector<run_id> wanted{higher, high, high_too, usual, usual_too, low};
    expect_equal(taken, wanted, "runs in the order of their claims");
    const std::optional<run_record> record = co_await trial.other().find_run(low);
    expect(record && record->priority == -1 && !record->not_before, "the priority of a run is known");
}

// A store that remembers where it was in its line, to look no further back, forgets the older run here.
task<void> an_older_run_is_not_passed_over_after_one_of_a_higher_priority(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const run_id older = co_await enqueue_ready(store, thread_key{"a"});
    const run_id high = co_await enqueue_with_priority(store, thread_key{"b"}, 1);
    const run_id younger = co_await enqueue_ready(store, thread_key{"c"});
    const worker_id worker = co_await enter(store);
    for (const run_id& wanted : {high, older, younger}) {
        const std::vector<run_claim> claims = co_await store.claim(worker, 1);
        expect_equal(claims.size(), 1, "claims");
        expect_equal(claims[0].fence.run, wanted, "the next run");
    }
}

// What a run leaves in its thread is what the next one begins with, so a priority must not change their order.
task<void> runs_of_a_thread_keep_their_order_whatever_their_priorities(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    std::vector<run_id> ids;
    for (const std::int32_t priority : {0, 9}) {
        const run_id id = co_await new_run_id();
        new_run run{thread_key{"t"}, id};
        run.on_busy(busy_policy::queue);
        run.priority = priority;
        static_cast<void>(co_await store.enqueue(std::move(run)));
        ids.push_back(id);
    }
    for (const run_id& id : ids) {
        const write_state done = co_await store.finish(by.fence, run_outcome{});
        expect_equal(done, write_state::ok, "end of a run");
        const std::vector<run_claim> claims = co_await store.claim(by.worker, 10);
        expect_equal(claims.size(), 1, "claims when the run before is over");
        expect_equal(claims[0].fence.run, id, "the next run of the thread");
        by.fence = claims[0].fence;
    }
}

// It holds its thread all the same: a second run would begin without what this one is to leave.
task<void> no_worker_gets_a_run_before_its_moment(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const worker_id worker = co_await enter(store);
    const run_admission later = co_await enqueue_for_later(store, thread_key{"t"}, worker);
    expect_equal(later.what, run_admission::kind::queued, "admission");
    expect(!later.claim, "a run before its moment has no claim");
    const std::vector<run_claim> claims = co_await trial.other().claim(worker, 10);
    expect_equal(claims.size(), 0, "claims before the moment");
    const std::optional<run_claim> resumed = co_await store.resume(worker, later.id);
    expect(!resumed, "a run before its moment is not resumed");
    const std::optional<run_record> active = co_await trial.other().active_run(thread_key{"t"});
    expect(active && active->id == later.id, "it is the active run of its thread");
    expect_equal(active->phase, run_phase::queued, "its phase");
    expect(active->not_before.has_value(), "its moment is known");
    const run_id second = co_await new_run_id();
    const run_admission refused = co_await store.enqueue(new_run{thread_key{"t"}, second});
    expect_equal(refused.what, run_admission::kind::rejected, "admission of a second run of the thread");
}

/** Enters a run whose moment comes while the check goes on. */
task<run_id> enqueue_for_soon(store_under_test& trial, wall_time moment)
{
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t"}, id};
    run.not_before = moment;
    static_cast<void>(co_await trial.store().enqueue(std::move(run)));
    co_return id;
}

// By the clock of the store: no process that entered the run has to be there.
task<void> a_run_is_claimed_when_its_moment_has_come(store_under_test& trial)
{
    const worker_id worker = co_await enter(trial.store());
    const wall_time moment = co_await moment_in(trial.lifetime());
    const run_id id = co_await enqueue_for_soon(trial, moment);
    co_await outlive(trial);
    const std::vector<run_claim> claims = co_await trial.other().claim(worker, 10);
    expect_equal(claims.size(), 1, "claims when the moment has come");
    expect_equal(claims[0].fence.run, id, "the run that waited");
    const std::optional<run_record> record = co_await trial.store().find_run(id);
    expect(record && record->not_before == moment, "its moment is known afterwards");
}

// A node that waits for a span of time holds no worker meanwhile.
task<void> a_run_is_resumed_when_its_moment_has_come(store_under_test& trial)
{
    const worker_id worker = co_await enter(trial.store());
    const wall_time moment = co_await moment_in(trial.lifetime());
    const run_id id = co_await enqueue_for_soon(trial, moment);
    co_await outlive(trial);
    const std::optional<run_claim> resumed = co_await trial.other().resume(worker, id);
    expect(resumed.has_value(), "a run whose moment has come can be taken by its id");
    const std::vector<run_claim> claims = co_await trial.store().claim(worker, 10);
    expect_equal(claims.size(), 0, "claims of a run that is taken");
}

// Clients compute moments, and their requests take time.
task<void> a_moment_that_has_passed_delays_nothing(store_under_test& trial)
{
    const worker_id worker = co_await enter(trial.store());
    const run_id id = co_await new_run_id();
    const wall_time moment = co_await moment_in(-long_lifetime);
    new_run run{thread_key{"t"}, id};
    run.started_by(worker);
    run.not_before = moment;
    const run_admission admission = co_await trial.store().enqueue(std::move(run));
    expect_equal(admission.what, run_admission::kind::started, "admission");
}

// Whichever comes last, and the run behind it does not overtake it.
task<void> a_queued_run_waits_for_its_thread_and_for_its_moment(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const holder by = co_await hold(store, thread_key{"t"});
    const run_admission later = co_await enqueue_for_later(store, thread_key{"t"}, by.worker);
    const run_id behind = co_await new_run_id();
    new_run next{thread_key{"t"}, behind};
    next.on_busy(busy_policy::queue);
    static_cast<void>(co_await store.enqueue(std::move(next)));
    const write_state done = co_await store.finish(by.fence, run_outcome{});
    expect_equal(done, write_state::ok, "end of the run before");
    const std::vector<run_claim> early = co_await trial.other().claim(by.worker, 10);
    expect_equal(early.size(), 0, "claims while the next run waits for its moment");
    const std::optional<run_record> active = co_await trial.other().active_run(thread_key{"t"});
    expect(active && active->id == later.id, "the run that waits is the active one");
}

// No worker has it, so that no heartbeat could tell: the store ends it at once.
task<void> a_run_that_waits_for_its_moment_can_be_cancelled(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const worker_id worker = co_await enter(store);
    const run_admission later = co_await enqueue_for_later(store, thread_key{"t"}, worker);
    const run_id behind = co_await new_run_id();
    new_run next{thread_key{"t"}, behind};
    next.on_busy(busy_policy::queue);
    static_cast<void>(co_await store.enqueue(std::move(next)));
    const std::optional<run_id> signalled = co_await trial.other().signal(thread_key{"t"}, run_signal::cancel);
    expect(signalled && *signalled == later.id, "the run that waits is the one that is asked");
    const run_phase phase = co_await phase_of(store, later.id);
    expect_equal(phase, run_phase::cancelled, "its phase");
    const std::vector<run_claim> claims = co_await store.claim(worker, 10);
    expect_equal(claims.size(), 1, "claims afterwards");
    expect_equal(claims[0].fence.run, behind, "the run behind it");
}

/** Lets a run wait until a moment. */
task<run_id> rest_until(store_under_test& trial, const char* thread, wall_time moment)
{
    holder by = co_await hold(trial.store(), thread_key{thread});
    const run_id id = by.fence.run;
    run_outcome outcome{run_phase::waiting};
    outcome.until(moment);
    const write_state done = co_await trial.store().finish(by.fence, std::move(outcome));
    expect_equal(done, write_state::ok, "rest of a run");
    co_return id;
}

// A rest uses up no attempt, also when the store ends it.
task<void> a_run_that_waits_until_a_moment_is_claimed_then(store_under_test& trial)
{
    const wall_time soon = co_await moment_in(trial.lifetime());
    const wall_time late = co_await moment_in(long_lifetime);
    const run_id first = co_await rest_until(trial, "a", soon);
    const run_id second = co_await rest_until(trial, "b", late);
    const worker_id early = co_await enter(trial.other());
    const std::vector<run_claim> none = co_await trial.other().claim(early, 10);
    expect_equal(none.size(), 0, "claims before the moment");
    const run_phase waits = co_await phase_of(trial.other(), first);
    expect_equal(waits, run_phase::waiting, "its phase before");
    co_await outlive(trial);
    const worker_id worker = co_await enter(trial.other());
    const std::vector<run_claim> claims = co_await trial.other().claim(worker, 10);
    expect_equal(claims.size(), 1, "claims when the moment has come");
    expect_equal(claims[0].fence.run, first, "the run whose moment has come");
    expect_equal(claims[0].attempt, 1, "its attempt");
    const run_phase other = co_await phase_of(trial.other(), second);
    expect_equal(other, run_phase::waiting, "the phase of the other run");
}

// An answer came first, and the next rest has no moment: the first one must be forgotten with its rest.
task<void> a_run_that_went_on_before_its_moment_is_not_woken(store_under_test& trial)
{
    const wall_time soon = co_await moment_in(trial.lifetime());
    const run_id id = co_await rest_until(trial, "t", soon);
    const worker_id worker = co_await enter(trial.store());
    std::optional<run_claim> claim = co_await trial.store().resume(worker, id);
    expect(claim.has_value(), "a run that waits can be resumed before its moment");
    run_outcome rest{run_phase::waiting};
    const write_state done = co_await trial.store().finish(claim->fence, std::move(rest));
    expect_equal(done, write_state::ok, "its next rest");
    co_await outlive(trial);
    const worker_id next = co_await enter(trial.other());
    const std::vector<run_claim> none = co_await trial.other().claim(next, 10);
    expect_equal(none.size(), 0, "claims after the moment that is not waited for any more");
    const std::optional<run_id> signalled = co_await trial.other().signal(thread_key{"t"}, run_signal::cancel);
    expect(signalled.has_value(), "it can be cancelled");
    const run_phase phase = co_await phase_of(trial.store(), id);
    expect_equal(phase, run_phase::cancelled, "its phase");
}

constexpr std::array<store_check, 11> line_check_list{{
    WEFT_STORE_CHECK(claims_come_by_priority_then_by_age),
    WEFT_STORE_CHECK(a_run_that_waits_until_a_moment_is_claimed_then),
    WEFT_STORE_CHECK(a_run_that_went_on_before_its_moment_is_not_woken),
    WEFT_STORE_CHECK(an_older_run_is_not_passed_over_after_one_of_a_higher_priority),
    WEFT_STORE_CHECK(runs_of_a_thread_keep_their_order_whatever_their_priorities),
    WEFT_STORE_CHECK(no_worker_gets_a_run_before_its_moment),
    WEFT_STORE_CHECK(a_run_is_claimed_when_its_moment_has_come),
    WEFT_STORE_CHECK(a_run_is_resumed_when_its_moment_has_come),
    WEFT_STORE_CHECK(a_moment_that_has_passed_delays_nothing),
    WEFT_STORE_CHECK(a_queued_run_waits_for_its_thread_and_for_its_moment),
    WEFT_STORE_CHECK(a_run_that_waits_for_its_moment_can_be_cancelled),
}};

}  // namespace

std::span<const store_check> line_checks() { return line_check_list; }

}  // namespace weft::testing::store_trial
