#include "store_trial.hpp"

#include <array>

namespace weft::testing::store_trial {

namespace {

/** Tries every kind of write with a fence that must not write any more. */
task<void> expect_fenced(checkpoint_store& store, write_fence fence, where at = where::current())
{
    checkpoint_draft draft = co_await draft_of("of a zombie");
    draft.settled = {"ours"};
    const blob late = blob_of(store, "a blob of a zombie");
    draft.blobs.push_back(late);
    draft.links.push_back(late.hash);
    const commit_result committed = co_await store.commit(fence, std::move(draft));
    expect_equal(committed.state, write_state::fenced, "commit of who lost the thread", at);
    const effect_record effect{"theirs", effect_phase::intended, "key", "{}"};
    const write_state recorded = co_await store.record(fence, effect);
    expect_equal(recorded, write_state::fenced, "effect of who lost the thread", at);
    const question_record question{"theirs", "{}"};
    const write_state asked = co_await store.ask(fence, question);
    expect_equal(asked, write_state::fenced, "question of who lost the thread", at);
    const write_state finished = co_await store.finish(fence, run_outcome{});
    expect_equal(finished, write_state::fenced, "finish of who lost the thread", at);
    const write_state given_back = co_await store.yield(fence);
    expect_equal(given_back, write_state::fenced, "yield of who lost the thread", at);
    std::vector<content_hash> hashes{late.hash};
    co_await expect_error(store.read_blobs(fence.thread, std::move(hashes)), errc::store_corrupt,
                          "a blob of a refused commit is not there", at);
}

// The worker was only slow: its run goes on elsewhere, and two writers would mix two futures of one thread.
task<void> who_was_given_up_writes_nothing(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder zombie = co_await hold_shortly(trial, thread_key{"t"});
    co_await commit_body(store, zombie, "one");
    const effect_record effect{"ours", effect_phase::intended, "key", "{}"};
    static_cast<void>(co_await store.record(zombie.fence, effect));
    co_await outlive(trial);
    static_cast<void>(co_await trial.other().reap(10));
    co_await expect_fenced(store, zombie.fence);  // also while no other worker has the run

    holder next;
    next.worker = co_await enter(trial.other());
    const std::vector<run_claim> claims = co_await trial.other().claim(next.worker, 1);
    expect_equal(claims.size(), 1, "claims of a reaped run");
    next.fence = claims[0].fence;
    co_await expect_fenced(store, zombie.fence);
    co_await commit_body(trial.other(), next, "two");
    zombie.fence.head = 2;
    co_await expect_fenced(store, zombie.fence);
    const std::vector<effect_record> effects = co_await store.effects(thread_key{"t"});
    expect_equal(effects.size(), 1, "effects, none of them a zombie's or settled by it");
    const write_state done = co_await trial.other().finish(next.fence, run_outcome{});
    expect_equal(done, write_state::ok, "end of the run by who has it");
    co_await expect_fenced(store, zombie.fence);
    const std::vector<checkpoint_info> chain = co_await chain_of(store, thread_key{"t"});
    expect_equal(chain.size(), 2, "checkpoints");
    expect_whole(chain);
}

// A write that was on its way when the worker let go comes behind the next owner's.
task<void> who_gave_a_run_back_writes_nothing(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const holder finished = co_await hold(store, thread_key{"finished"});
    static_cast<void>(co_await store.finish(finished.fence, run_outcome{}));
    co_await expect_fenced(store, finished.fence);
    const holder waiting = co_await hold(store, thread_key{"waiting"});
    static_cast<void>(co_await store.finish(waiting.fence, run_outcome{run_phase::waiting}));
    co_await expect_fenced(store, waiting.fence);
    const holder yielded = co_await hold(store, thread_key{"yielded"});
    static_cast<void>(co_await store.yield(yielded.fence));
    co_await expect_fenced(store, yielded.fence);
    const std::vector<run_claim> claims = co_await store.claim(yielded.worker, 1);
    expect_equal(claims.size(), 1, "claims of a run that was given back by the same worker");
    co_await expect_fenced(store, yielded.fence);
    const holder left = co_await hold(store, thread_key{"left"});
    co_await store.leave(left.worker);
    co_await expect_fenced(store, left.fence);
}

// Its name can be taken again; a writer from before must not write into the new thread.
task<void> a_dropped_thread_stays_fenced(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder late = co_await hold(store, thread_key{"t"});
    co_await commit_body(store, late, "one");
    const bool dropped = co_await trial.other().drop(thread_key{"t"});
    expect(dropped, "there was a thread to drop");
    co_await expect_fenced(store, late.fence);
    const std::int64_t none = co_await head_of(store, thread_key{"t"});
    expect_equal(none, 0, "head of a dropped thread");
    const heartbeat_report report = co_await store.heartbeat(late.worker, long_lifetime);
    expect(report.is_alive, "the worker of a dropped thread lives on");

    holder next = co_await hold(trial.other(), thread_key{"t"});
    expect_equal(next.fence.head, 0, "head of a thread that was made again");
    co_await expect_fenced(store, late.fence);
    late.fence.head = 0;
    co_await expect_fenced(store, late.fence);
    co_await commit_body(trial.other(), next, "first of another life");
    late.fence.head = 1;
    co_await expect_fenced(store, late.fence);
    const std::vector<checkpoint_info> chain = co_await chain_of(store, thread_key{"t"});
    expect_equal(chain.size(), 1, "checkpoints of the other life");
    expect_whole(chain);
}

// A store that compared epochs alone would let any owner write anywhere.
task<void> a_fence_is_good_for_its_own_thread_and_run(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const holder first = co_await hold(store, thread_key{"t", "a"});
    const holder second = co_await hold(store, thread_key{"t", "b"});
    write_fence crossed = first.fence;
    crossed.thread = second.fence.thread;
    co_await expect_fenced(store, crossed);
    crossed = first.fence;
    crossed.run = second.fence.run;
    co_await expect_fenced(store, crossed);
    crossed = first.fence;
    crossed.epoch += 1;
    co_await expect_fenced(store, crossed);
    crossed = first.fence;
    crossed.thread = thread_key{"nowhere", "a"};
    co_await expect_fenced(store, crossed);
    co_await expect_fenced(store, write_fence{});
}

// The writer computed its checkpoint from a state that is not the newest any more.
task<void> a_commit_behind_another_head_is_refused(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    co_await commit_body(store, by, "one");
    co_await commit_body(store, by, "two");
    const effect_record effect{"ours", effect_phase::intended, "key", "{}"};
    static_cast<void>(co_await store.record(by.fence, effect));
    for (const std::int64_t head : {0, 1, 3, 100}) {
        write_fence stale = by.fence;
        stale.head = head;
        checkpoint_draft draft = co_await draft_of("behind another head");
        draft.settled = {"ours"};
        const blob unwanted = blob_of(store, "unwanted");
        draft.blobs.push_back(unwanted);
        const commit_result result = co_await trial.other().commit(stale, std::move(draft));
        expect_equal(result.state, write_state::stale_head, "commit behind head " + std::to_string(head));
        expect_equal(result.head, 2, "the head that a refusal names");
        std::vector<content_hash> hashes{unwanted.hash};
        co_await expect_error(store.read_blobs(by.fence.thread, std::move(hashes)), errc::store_corrupt,
                              "a blob of a refused commit is not there");
        const write_state finished = co_await store.finish(stale, run_outcome{});
        expect_equal(finished, write_state::stale_head, "finish behind head " + std::to_string(head));
    }
    const std::vector<effect_record> effects = co_await store.effects(thread_key{"t"});
    expect_equal(effects.size(), 1, "effects that a refused commit wanted to settle");
    const std::int64_t head = co_await head_of(store, thread_key{"t"});
    expect_equal(head, 2, "head after refused commits");
    const run_phase phase = co_await phase_of(store, by.fence.run);
    expect_equal(phase, run_phase::running, "phase after a refused finish");
    co_await commit_body(store, by, "three");
}

// An effect is recorded while the step is under way, before the head moves.
task<void> the_journal_is_written_whatever_the_head(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    const write_fence early = by.fence;
    co_await commit_body(store, by, "one");
    const effect_record effect{"a", effect_phase::intended, "key", "{}"};
    const write_state recorded = co_await store.record(early, effect);
    expect_equal(recorded, write_state::ok, "effect of a branch that began before another one's commit");
    const question_record question{"b", "{}"};
    const write_state asked = co_await store.ask(early, question);
    expect_equal(asked, write_state::ok, "question of a branch that began before another one's commit");
    const write_state given_back = co_await store.yield(early);
    expect_equal(given_back, write_state::ok, "a run is given back whatever the head");
}

// A commit whose reply was lost is sent again, and must neither fail nor count twice.
task<void> a_checkpoint_is_written_once(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    checkpoint_draft draft = co_await draft_of("one");
    const write_fence before = by.fence;
    co_await commit(store, by, draft);
    // A reply was lost and the caller tries again: it learns that the history has grown, or that it is there.
    const commit_result again = co_await store.commit(before, draft);
    expect(again.state == write_state::stale_head || again.state == write_state::duplicate,
           "a commit that is tried again is refused");
    expect_equal(again.head, 1, "the head that a refusal names");
    const commit_result behind = co_await store.commit(by.fence, draft);
    expect_equal(behind.state, write_state::duplicate, "a second checkpoint of the same id");
    expect_equal(behind.head, 1, "the head that a refusal names");
    const std::vector<checkpoint_info> chain = co_await chain_of(store, thread_key{"t"});
    expect_equal(chain.size(), 1, "checkpoints");
}

// Of two checkpoints the history shows which owner came later.
task<void> epochs_rise_along_the_chain(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    for (int i = 0; i < 3; ++i) {
        co_await commit_body(store, by, "a");
        co_await commit_body(store, by, "b");
        static_cast<void>(co_await store.yield(by.fence));
        const std::vector<run_claim> claims = co_await store.claim(by.worker, 1);
        expect_equal(claims.size(), 1, "claims of a run that was given back");
        expect(claims[0].fence.epoch > by.fence.epoch, "each claim has a greater epoch");
        by.fence = claims[0].fence;
    }
    const std::vector<checkpoint_info> chain = co_await chain_of(trial.other(), thread_key{"t"});
    expect_equal(chain.size(), 6, "checkpoints");
    expect_whole(chain);
    expect(chain.front().epoch < chain.back().epoch, "checkpoints name the epoch that wrote them");
    expect_equal(chain.front().run, by.fence.run, "checkpoints name the run that made them");
}

constexpr std::array<store_check, 8> ownership_check_list{{
    WEFT_STORE_CHECK(who_was_given_up_writes_nothing),
    WEFT_STORE_CHECK(who_gave_a_run_back_writes_nothing),
    WEFT_STORE_CHECK(a_dropped_thread_stays_fenced),
    WEFT_STORE_CHECK(a_fence_is_good_for_its_own_thread_and_run),
    WEFT_STORE_CHECK(a_commit_behind_another_head_is_refused),
    WEFT_STORE_CHECK(the_journal_is_written_whatever_the_head),
    WEFT_STORE_CHECK(a_checkpoint_is_written_once),
    WEFT_STORE_CHECK(epochs_rise_along_the_chain),
}};

}  // namespace

std::span<const store_check> ownership_checks() { return ownership_check_list; }

}  // namespace weft::testing::store_trial
