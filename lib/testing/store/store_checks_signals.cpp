#include "store_trial.hpp"

#include <array>

namespace weft::testing::store_trial {

namespace {

/** What is wanted of a worker's only run. */
task<run_signal> signal_for(checkpoint_store& store, holder by)
{
    const heartbeat_report report = co_await store.heartbeat(by.worker, long_lifetime);
    expect(report.is_alive, "the worker is alive");
    if (report.signals.empty()) co_return run_signal::none;
    expect_equal(report.signals.size(), 1, "signals for one run");
    expect_equal(report.signals[0].run, by.fence.run, "run of the signal");
    co_return report.signals[0].signal;
}

// The heartbeat is the one call that a worker makes in any case; until the run ends the signal is repeated, as the
// reply that had it may have been lost.
task<void> a_signal_reaches_the_worker_with_its_next_heartbeat(store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    const run_signal before = co_await signal_for(trial.store(), by);
    expect_equal(before, run_signal::none, "signal before anybody asked");
    const std::optional<run_id> asked = co_await trial.other().signal(thread_key{"t"}, run_signal::pause);
    expect(asked == by.fence.run, "a signal goes to the active run");
    const run_signal after = co_await signal_for(trial.store(), by);
    expect_equal(after, run_signal::pause, "signal in the heartbeat");
    const run_signal again = co_await signal_for(trial.store(), by);
    expect_equal(again, run_signal::pause, "signal in the next heartbeat, as long as the run has not ended");
    const std::optional<run_record> record = co_await trial.other().find_run(by.fence.run);
    expect_equal(record->signal, run_signal::pause, "signal in the record");
}

// A pause that comes behind a cancel must not bring a run back that its owner has given up.
task<void> a_stronger_signal_stays(store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    for (const run_signal what : {run_signal::pause, run_signal::cancel, run_signal::pause})
        static_cast<void>(co_await trial.other().signal(thread_key{"t"}, what));
    const run_signal after = co_await signal_for(trial.store(), by);
    expect_equal(after, run_signal::cancel, "signal after a pause, a cancel and a pause");
}

// A signal that waited for the next run would stop one that was never meant.
task<void> a_signal_to_an_idle_thread_reaches_nobody(store_under_test& trial)
{
    const std::optional<run_id> unknown = co_await trial.store().signal(thread_key{"t"}, run_signal::cancel);
    expect(!unknown, "an unknown thread has no run to signal");
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    static_cast<void>(co_await trial.store().finish(by.fence, run_outcome{}));
    const std::optional<run_id> idle = co_await trial.store().signal(thread_key{"t"}, run_signal::cancel);
    expect(!idle, "an idle thread has no run to signal");
    const run_phase phase = co_await phase_of(trial.store(), by.fence.run);
    expect_equal(phase, run_phase::finished, "phase of a run that was over before the signal");
}

// No heartbeat carries the signal when no worker has the run: the store is the only one that can end it.
task<void> a_run_that_nobody_holds_is_cancelled_at_once(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const run_id ready = co_await enqueue_ready(store, thread_key{"ready"});
    const holder by = co_await hold(store, thread_key{"waiting"});
    static_cast<void>(co_await store.finish(by.fence, run_outcome{run_phase::waiting}));
    const std::optional<run_id> first = co_await trial.other().signal(thread_key{"ready"}, run_signal::cancel);
    const std::optional<run_id> second = co_await trial.other().signal(thread_key{"waiting"}, run_signal::cancel);
    expect(first == ready && second == by.fence.run, "a cancel goes to the active run");
    for (const run_id id : {ready, by.fence.run}) {
        const std::optional<run_record> record = co_await store.find_run(id);
        expect_equal(record->phase, run_phase::cancelled, "phase of a run that nobody held");
        expect(record->ended != wall_time{}, "a cancelled run has an end");
        const std::optional<run_claim> resumed = co_await store.resume(by.worker, id);
        expect(!resumed, "a cancelled run is not resumed");
    }
    const std::vector<run_claim> claims = co_await store.claim(by.worker, 10);
    expect_equal(claims.size(), 0, "claims of cancelled runs");
}

// Only the worker knows where in the graph the run can pause.
task<void> a_pause_waits_for_who_takes_the_run(store_under_test& trial)
{
    const run_id id = co_await enqueue_ready(trial.store(), thread_key{"t"});
    const std::optional<run_id> asked = co_await trial.other().signal(thread_key{"t"}, run_signal::pause);
    expect(asked == id, "a pause goes to a run that is ready");
    holder by;
    by.worker = co_await enter(trial.store());
    const std::vector<run_claim> claims = co_await trial.store().claim(by.worker, 1);
    expect_equal(claims.size(), 1, "claims of a run that is to pause");
    by.fence = claims[0].fence;
    const run_signal wanted = co_await signal_for(trial.store(), by);
    expect_equal(wanted, run_signal::pause, "signal for who took the run");
}

// Else the run would pause again, without end, each time that it is resumed.
task<void> a_pause_is_done_with_when_the_run_waits(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    static_cast<void>(co_await trial.other().signal(thread_key{"t"}, run_signal::pause));
    static_cast<void>(co_await store.finish(by.fence, run_outcome{run_phase::waiting}));
    static_cast<void>(co_await trial.other().signal(thread_key{"t"}, run_signal::pause));
    const std::optional<run_claim> claim = co_await store.resume(by.worker, by.fence.run);
    expect(claim.has_value(), "a paused run can be resumed");
    by.fence = claim->fence;
    const run_signal wanted = co_await signal_for(store, by);
    expect_equal(wanted, run_signal::none, "signal of a run that was resumed after its pause");
}

// The worker came to rest before it could hear: the run must neither wait for an answer nor block the line.
task<void> a_run_that_waits_when_it_should_cancel_is_cancelled(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const holder by = co_await hold(store, thread_key{"t"});
    const run_id behind = co_await new_run_id();
    new_run next{thread_key{"t"}, behind};
    next.on_busy(busy_policy::replace);
    const run_admission admission = co_await trial.other().enqueue(std::move(next));
    expect_equal(admission.what, run_admission::kind::queued, "admission of a run that replaces a held one");
    const run_signal wanted = co_await signal_for(store, by);
    expect_equal(wanted, run_signal::cancel, "signal for the run that is replaced");
    const write_state state = co_await store.finish(by.fence, run_outcome{run_phase::waiting});
    expect_equal(state, write_state::ok, "a run that waits before it learns that it should cancel");
    const run_phase phase = co_await phase_of(store, by.fence.run);
    expect_equal(phase, run_phase::cancelled, "its phase: nobody holds it any more");
    const run_phase after = co_await phase_of(store, behind);
    expect_equal(after, run_phase::ready, "phase of the run behind it");
}

// Both write the state of the thread, and the second begins with what the first has left.
task<void> a_replaced_run_ends_before_the_next_begins(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    const run_id id = co_await new_run_id();
    new_run next{thread_key{"t"}, id};
    next.on_busy(busy_policy::replace).started_by(by.worker);
    const run_admission admission = co_await trial.other().enqueue(std::move(next));
    expect_equal(admission.what, run_admission::kind::queued, "admission of a run that replaces a held one");
    co_await commit_body(store, by, "what was published");
    const std::vector<run_claim> early = co_await store.claim(by.worker, 10);
    expect_equal(early.size(), 0, "claims before the replaced run is over");
    static_cast<void>(co_await store.finish(by.fence, run_outcome{run_phase::cancelled}));
    const std::vector<run_claim> claims = co_await store.claim(by.worker, 10);
    expect_equal(claims.size(), 1, "claims when the replaced run is over");
    expect_equal(claims[0].fence.run, id, "the run that replaces");
    expect_equal(claims[0].fence.head, 1, "it begins behind the history of the replaced one");
}

// There is no worker to wait for.
task<void> a_run_that_nobody_holds_is_replaced_at_once(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const holder by = co_await hold(store, thread_key{"t"});
    static_cast<void>(co_await store.finish(by.fence, run_outcome{run_phase::waiting}));
    const run_id id = co_await new_run_id();
    new_run next{thread_key{"t"}, id};
    next.on_busy(busy_policy::replace).started_by(by.worker);
    const run_admission admission = co_await trial.other().enqueue(std::move(next));
    expect_equal(admission.what, run_admission::kind::started, "admission in place of a run that waits");
    expect(admission.claim && admission.claim->fence.run == id, "it is taken at once");
    const run_phase phase = co_await phase_of(store, by.fence.run);
    expect_equal(phase, run_phase::cancelled, "phase of the run that waited");
}

constexpr std::array<store_check, 9> signal_check_list{{
    WEFT_STORE_CHECK(a_signal_reaches_the_worker_with_its_next_heartbeat),
    WEFT_STORE_CHECK(a_stronger_signal_stays),
    WEFT_STORE_CHECK(a_signal_to_an_idle_thread_reaches_nobody),
    WEFT_STORE_CHECK(a_run_that_nobody_holds_is_cancelled_at_once),
    WEFT_STORE_CHECK(a_pause_waits_for_who_takes_the_run),
    WEFT_STORE_CHECK(a_pause_is_done_with_when_the_run_waits),
    WEFT_STORE_CHECK(a_run_that_waits_when_it_should_cancel_is_cancelled),
    WEFT_STORE_CHECK(a_replaced_run_ends_before_the_next_begins),
    WEFT_STORE_CHECK(a_run_that_nobody_holds_is_replaced_at_once),
}};

}  // namespace

std::span<const store_check> signal_checks() { return signal_check_list; }

}  // namespace weft::testing::store_trial
