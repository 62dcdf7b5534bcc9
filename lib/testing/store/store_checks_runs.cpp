#include "store_trial.hpp"

#include <array>

namespace weft::testing::store_trial {

namespace {

// In one write: most runs wait for nothing, and a claim would be a second trip to the store.
task<void> a_run_on_an_idle_thread_starts_on_the_worker_that_asks(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const worker_id worker = co_await enter(store);
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t", "tenant"}, id};
    run.graph_named("research").with_input("{\"topic\":\"rain\"}").started_by(worker);
    const run_admission admission = co_await store.enqueue(std::move(run));
    expect_equal(admission.what, run_admission::kind::started, "admission");
    expect_equal(admission.id, id, "id of the admission");
    expect(admission.claim.has_value(), "a run that started has a claim");
    expect(admission.claim->fence.thread == thread_key("t", "tenant"), "the claim is of the run's thread");
    expect_equal(admission.claim->fence.run, id, "run of the claim");
    expect(admission.claim->fence.epoch > 0, "epochs are positive");
    expect_equal(admission.claim->fence.head, 0, "head of a new thread");
    expect_equal(admission.claim->attempt, 1, "attempt");
    expect_equal(admission.claim->graph, "research", "graph of the claim");
    expect_equal(admission.claim->input, "{\"topic\":\"rain\"}", "input of the claim");

    const std::optional<run_record> record = co_await trial.other().find_run(id);
    expect(record.has_value(), "another process finds the run");
    expect_equal(record->id, id, "id of the record");
    expect(record->thread == thread_key("t", "tenant"), "thread of the record");
    expect_equal(record->phase, run_phase::running, "phase");
    expect_equal(record->signal, run_signal::none, "signal");
    expect_equal(record->graph, "research", "graph of the record");
    expect_equal(record->input, "{\"topic\":\"rain\"}", "input of the record");
    expect_equal(record->attempt, 1, "attempt of the record");
    expect_equal(record->worker, worker, "worker of the record");
    expect_equal(record->epoch, admission.claim->fence.epoch, "epoch of the record");
    expect(record->created != wall_time{}, "the moment of its making is known");
    expect(record->ended == wall_time{}, "a run that is not over has no end");
    const std::optional<run_record> active = co_await trial.other().active_run(thread_key{"t", "tenant"});
    expect(active && active->id == id, "it is the thread's active run");
    const std::optional<run_record> foreign = co_await store.active_run(thread_key{"t", "another"});
    expect(!foreign, "a thread of this name of another tenant has no active run");
}

// Clients ask for runs and threads that were removed: that is no failure of the store.
task<void> what_is_unknown_is_nothing(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const run_id id = co_await new_run_id();
    const std::optional<run_record> record = co_await store.find_run(id);
    expect(!record, "an unknown run is not found");
    const std::optional<run_record> active = co_await store.active_run(thread_key{"t"});
    expect(!active, "an unknown thread has no active run");
    const worker_id worker = co_await enter(store);
    const std::optional<run_claim> claim = co_await store.resume(worker, id);
    expect(!claim, "an unknown run is not resumed");
    const std::vector<run_claim> claims = co_await store.claim(worker, 10);
    expect_equal(claims.size(), 0, "claims of an empty store");
}

// A worker that gets more than it has room for would keep runs from idle ones.
task<void> claims_come_oldest_first_and_no_more_than_asked_for(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    std::vector<run_id> ids;
    for (const char* name : {"c", "a", "d", "b"}) ids.push_back(co_await enqueue_ready(store, thread_key{name}));
    const worker_id worker = co_await enter(trial.other());
    const std::vector<run_claim> none = co_await store.claim(worker, 0);
    expect_equal(none.size(), 0, "claims of none");
    const std::vector<run_claim> two = co_await trial.other().claim(worker, 2);
    expect_equal(two.size(), 2, "claims of two");
    expect_equal(two[0].fence.run, ids[0], "the oldest run");
    expect_equal(two[1].fence.run, ids[1], "the second oldest run");
    const std::vector<run_claim> rest = co_await store.claim(worker, 10);
    expect_equal(rest.size(), 2, "claims of the rest");
    expect_equal(rest[0].fence.run, ids[2], "the third run");
    expect_equal(rest[1].fence.run, ids[3], "the fourth run");
}

// By either connection, and by its id too: this is what keeps an effect from happening twice.
task<void> a_run_has_one_worker(store_under_test& trial)
{
    const worker_id first = co_await enter(trial.store());
    const worker_id second = co_await enter(trial.other());
    const run_id id = co_await enqueue_ready(trial.store(), thread_key{"t"});
    const std::optional<run_claim> taken = co_await trial.store().resume(first, id);
    expect(taken.has_value(), "a run that is ready can be taken by its id");
    const std::vector<run_claim> claims = co_await trial.other().claim(second, 10);
    expect_equal(claims.size(), 0, "claims of a run that another worker has");
    const std::optional<run_claim> resumed = co_await trial.other().resume(second, id);
    expect(!resumed, "a run that another worker has is not resumed");
}

// Two runs of one thread would write over each other's state.
task<void> a_busy_thread_rejects_a_second_run(store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    const worker_id worker = co_await enter(trial.other());
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t"}, id};
    run.started_by(worker).with_idempotency_key("k");
    const run_admission admission = co_await trial.other().enqueue(std::move(run));
    expect_equal(admission.what, run_admission::kind::rejected, "admission of a second run");
    expect_equal(admission.id, by.fence.run, "a rejection names the active run");
    expect(!admission.claim, "a rejected run has no claim");
    const std::optional<run_record> record = co_await trial.store().find_run(id);
    expect(!record, "nothing of a rejected run is kept");

    const write_state done = co_await trial.store().finish(by.fence, run_outcome{});
    expect_equal(done, write_state::ok, "end of the first run");
    new_run again{thread_key{"t"}, id};
    again.started_by(worker).with_idempotency_key("k");
    const run_admission admitted = co_await trial.other().enqueue(std::move(again));
    expect_equal(admitted.what, run_admission::kind::started, "admission when the thread is idle again");
}

// In the order in which they were entered, each when the one before is over.
task<void> queued_runs_begin_one_after_the_other(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    std::vector<run_id> ids;
    for (int i = 0; i < 3; ++i) {
        const run_id id = co_await new_run_id();
        new_run run{thread_key{"t"}, id};
        run.on_busy(busy_policy::queue).started_by(by.worker);
        const run_admission admission = co_await trial.other().enqueue(std::move(run));
        expect_equal(admission.what, run_admission::kind::queued, "admission on a busy thread");
        expect_equal(admission.id, id, "id of the admission");
        ids.push_back(id);
    }
    for (const run_id& id : ids) {
        const std::vector<run_claim> early = co_await store.claim(by.worker, 10);
        expect_equal(early.size(), 0, "claims while the thread is busy");
        const std::optional<run_claim> resumed = co_await store.resume(by.worker, id);
        expect(!resumed, "a queued run cannot be taken");
        const write_state done = co_await store.finish(by.fence, run_outcome{});
        expect_equal(done, write_state::ok, "end of a run");
        const std::vector<run_claim> claims = co_await store.claim(by.worker, 10);
        expect_equal(claims.size(), 1, "claims when the run before is over");
        expect_equal(claims[0].fence.run, id, "the runs of a thread begin in their order");
        by.fence = claims[0].fence;
    }
}

// A client that heard no answer asks again. Keys of tenants are apart, so that none can find out another's.
task<void> an_idempotency_key_admits_one_run_of_its_tenant(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const run_id first = co_await new_run_id();
    new_run run{thread_key{"t", "a"}, first};
    run.with_idempotency_key("key");
    static_cast<void>(co_await store.enqueue(std::move(run)));
    const run_id second = co_await new_run_id();
    new_run again{thread_key{"another thread", "a"}, second};
    again.with_idempotency_key("key").on_busy(busy_policy::queue);
    const run_admission duplicate = co_await trial.other().enqueue(std::move(again));
    expect_equal(duplicate.what, run_admission::kind::duplicate, "admission of a key that is in use");
    expect_equal(duplicate.id, first, "the run that has the key");
    const std::optional<run_record> record = co_await store.find_run(second);
    expect(!record, "nothing of a duplicate is kept");

    new_run foreign{thread_key{"t", "b"}, second};
    foreign.with_idempotency_key("key");
    const run_admission admitted = co_await store.enqueue(std::move(foreign));
    expect_equal(admitted.what, run_admission::kind::ready, "the key of another tenant");

    const worker_id worker = co_await enter(store);
    const std::optional<run_claim> claim = co_await store.resume(worker, first);
    static_cast<void>(co_await store.finish(claim->fence, run_outcome{}));
    const run_id third = co_await new_run_id();
    new_run late{thread_key{"t", "a"}, third};
    late.with_idempotency_key("key");
    const run_admission still = co_await store.enqueue(std::move(late));
    expect_equal(still.what, run_admission::kind::duplicate, "admission of a key whose run is over");
    expect_equal(still.id, first, "the run that had the key");
}

// The same after a reply was lost: the second entry says what became of the first.
task<void> a_run_that_is_entered_twice_is_one_run(store_under_test& trial)
{
    const run_id id = co_await enqueue_ready(trial.store(), thread_key{"t"});
    new_run again{thread_key{"t"}, id};
    again.on_busy(busy_policy::queue);
    const run_admission admission = co_await trial.other().enqueue(std::move(again));
    expect_equal(admission.what, run_admission::kind::duplicate, "admission of an id that is in use");
    expect_equal(admission.id, id, "id of the run");
    const worker_id worker = co_await enter(trial.store());
    const std::vector<run_claim> claims = co_await trial.store().claim(worker, 10);
    expect_equal(claims.size(), 1, "claims");
}

// It may wait for days; a worker that kept it would have to live as long.
task<void> a_run_that_waits_holds_its_thread_and_no_worker(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    co_await commit_body(store, by, "one");
    const write_state waits = co_await store.finish(by.fence, run_outcome{run_phase::waiting, "for an answer"});
    expect_equal(waits, write_state::ok, "a run that begins to wait");
    const std::optional<run_record> record = co_await trial.other().find_run(by.fence.run);
    expect_equal(record->phase, run_phase::waiting, "phase");
    expect_equal(record->message, "for an answer", "message");
    expect_equal(record->worker, 0, "worker of a run that waits");
    expect(record->ended == wall_time{}, "a run that waits is not over");
    const std::vector<run_claim> claims = co_await store.claim(by.worker, 10);
    expect_equal(claims.size(), 0, "claims while a run waits");

    const run_id second = co_await new_run_id();
    const run_admission rejected = co_await store.enqueue(new_run{thread_key{"t"}, second});
    expect_equal(rejected.what, run_admission::kind::rejected, "admission while a run waits");
    const worker_id next = co_await enter(trial.other());
    const std::optional<run_claim> claim = co_await trial.other().resume(next, by.fence.run);
    expect(claim.has_value(), "a run that waits can be resumed");
    expect(claim->fence.epoch > by.fence.epoch, "a resumed run has a new epoch");
    expect_equal(claim->fence.head, 1, "head of a resumed run");
    expect_equal(claim->graph, "graph", "graph of a resumed run");
    const run_phase phase = co_await phase_of(store, by.fence.run);
    expect_equal(phase, run_phase::running, "phase of a resumed run");
}

// What a client reads later of status, error and time is what the worker said once.
task<void> a_run_ends_as_it_says(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    for (const run_phase phase : {run_phase::finished, run_phase::failed, run_phase::cancelled}) {
        const holder by = co_await hold(store, thread_key{"t"});
        const run_outcome outcome{phase, "because of " + std::string{name_of(phase)}};
        const write_state state = co_await store.finish(by.fence, outcome);
        expect_equal(state, write_state::ok, "end of a run");
        const std::optional<run_record> record = co_await trial.other().find_run(by.fence.run);
        expect_equal(record->phase, phase, "phase at the end");
        expect_equal(record->message, outcome.message, "message at the end");
        expect_equal(record->worker, 0, "worker of a run that is over");
        expect(record->ended >= record->created, "a run that is over has an end behind its beginning");
        const std::optional<run_record> active = co_await store.active_run(thread_key{"t"});
        expect(!active, "its thread is idle");
        const std::optional<run_claim> resumed = co_await store.resume(by.worker, by.fence.run);
        expect(!resumed, "a run that is over is not resumed");
        const write_state twice = co_await store.finish(by.fence, outcome);
        expect_equal(twice, write_state::fenced, "a run ends once");
    }
}

// A worker that shuts down yields its runs: that is no failure of theirs.
task<void> a_run_that_is_given_back_is_taken_at_once_without_counting(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    co_await commit_body(store, by, "one");
    const write_state state = co_await store.yield(by.fence);
    expect_equal(state, write_state::ok, "a run that is given back");
    const run_phase phase = co_await phase_of(store, by.fence.run);
    expect_equal(phase, run_phase::ready, "phase of a run that was given back");
    const write_state twice = co_await store.yield(by.fence);
    expect_equal(twice, write_state::fenced, "a run is given back once");
    const std::vector<run_claim> claims = co_await trial.other().claim(by.worker, 10);
    expect_equal(claims.size(), 1, "claims of a run that was given back");
    expect_equal(claims[0].attempt, 1, "an attempt that was given back does not count");
    expect_equal(claims[0].fence.head, 1, "head of the claim");
    expect(claims[0].fence.epoch > by.fence.epoch, "the epoch rises");
}

constexpr std::array<store_check, 11> run_check_list{{
    WEFT_STORE_CHECK(a_run_on_an_idle_thread_starts_on_the_worker_that_asks),
    WEFT_STORE_CHECK(what_is_unknown_is_nothing),
    WEFT_STORE_CHECK(claims_come_oldest_first_and_no_more_than_asked_for),
    WEFT_STORE_CHECK(a_run_has_one_worker),
    WEFT_STORE_CHECK(a_busy_thread_rejects_a_second_run),
    WEFT_STORE_CHECK(queued_runs_begin_one_after_the_other),
    WEFT_STORE_CHECK(an_idempotency_key_admits_one_run_of_its_tenant),
    WEFT_STORE_CHECK(a_run_that_is_entered_twice_is_one_run),
    WEFT_STORE_CHECK(a_run_that_waits_holds_its_thread_and_no_worker),
    WEFT_STORE_CHECK(a_run_ends_as_it_says),
    WEFT_STORE_CHECK(a_run_that_is_given_back_is_taken_at_once_without_counting),
}};

}  // namespace

std::span<const store_check> run_checks() { return run_check_list; }

}  // namespace weft::testing::store_trial
