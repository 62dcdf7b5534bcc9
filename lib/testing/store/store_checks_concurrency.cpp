#include "store_trial.hpp"

#include <weft/async/sleep.hpp>

#include <array>
#include <map>

namespace weft::testing::store_trial {

namespace {

constexpr int threads_at_once = 16;
constexpr int commits_of_each = 8;

thread_key numbered_thread(int number) { return thread_key{"thread " + std::to_string(number), "tenant"}; }

/** A short wait of random length, so that the order of what happens at once varies with the seed. */
task<void> dither()
{
    serial_loop& loop = co_await this_task::loop();
    co_await sleep_for(std::chrono::milliseconds{loop.random().below(3)});
}

task<void> run_alone(checkpoint_store& store, int number)
{
    holder by = co_await hold(store, numbered_thread(number));
    for (int i = 0; i < commits_of_each; ++i) {
        co_await dither();
        const std::string name = std::to_string(number) + "/" + std::to_string(i);
        const effect_record effect{name, effect_phase::done, "", "{}"};
        const write_state recorded = co_await store.record(by.fence, effect);
        expect_equal(recorded, write_state::ok, "an effect beside those of other threads");
        checkpoint_draft draft = co_await draft_of(name);
        const blob each = blob_of(store, name);
        draft.blobs = {each};
        draft.links = {each.hash};
        draft.settled = {name};
        co_await commit(store, by, std::move(draft));
    }
    const write_state done = co_await store.finish(by.fence, run_outcome{});
    expect_equal(done, write_state::ok, "end of a run beside others");
}

// Each thread must be as if it were alone, whatever the store does to write them together.
task<void> many_threads_are_written_at_once(store_under_test& trial)
{
    const task_context& context = co_await this_task::context();
    scope children{context};
    for (int i = 0; i < threads_at_once; ++i) children.spawn(run_alone(i % 2 ? trial.other() : trial.store(), i));
    co_await children.join();
    for (int i = 0; i < threads_at_once; ++i) {
        const std::vector<checkpoint_info> chain = co_await chain_of(trial.store(), numbered_thread(i));
        expect_equal(chain.size(), commits_of_each, "checkpoints of a thread that was written beside others");
        expect_whole(chain);
        const std::optional<checkpoint> newest = co_await trial.store().load(numbered_thread(i), std::nullopt);
        expect_equal(newest->body, std::to_string(i) + "/" + std::to_string(commits_of_each - 1), "newest body");
        std::vector<content_hash> hashes = newest->links;
        const std::vector<blob> blobs = co_await trial.store().read_blobs(numbered_thread(i), std::move(hashes));
        expect_equal(blobs.size(), 1, "blobs of the newest checkpoint");
        const std::vector<effect_record> effects = co_await trial.store().effects(numbered_thread(i));
        expect_equal(effects.size(), 0, "effects when all are settled");
    }
}

/** A commit of a thread of its own, among others that the store refuses.
 *  @param number  By threes: one that counts, one of an earlier epoch, one behind another head. */
task<void> commit_among_refused(checkpoint_store& store, int number)
{
    holder by = co_await hold(store, numbered_thread(number));
    for (int i = 0; i < commits_of_each; ++i) {
        checkpoint_draft draft = co_await draft_of(std::to_string(i));
        for (int each = 0; each < number % 4; ++each) {
            const blob made = blob_of(store, std::to_string(number) + "/" + std::to_string(i * 4 + each));
            draft.blobs.push_back(made);
            draft.links.push_back(made.hash);
        }
        write_fence fence = by.fence;
        if (number % 3 == 1) --fence.epoch;
        if (number % 3 == 2) fence.head += 7;
        const checkpoint_draft same = draft;
        const commit_result refused_or_not = co_await store.commit(std::move(fence), std::move(draft));
        constexpr std::array states{write_state::ok, write_state::fenced, write_state::stale_head};
        expect_equal(refused_or_not.state, states[static_cast<std::size_t>(number % 3)], "a commit among others");
        if (number % 3 == 0)
            by.fence.head = refused_or_not.head;
        else
            co_await commit(store, by, same);
        expect_equal(by.fence.head, i + 1, "head of a thread");
    }
}

// A store may write those of one moment together: each is judged, numbered and filled by itself.
task<void> commits_of_one_moment_are_judged_one_by_one(store_under_test& trial)
{
    const task_context& context = co_await this_task::context();
    scope children{context};
    for (int i = 0; i < threads_at_once; ++i) children.spawn(commit_among_refused(trial.store(), i));
    co_await children.join();
    for (int i = 0; i < threads_at_once; ++i) {
        const std::vector<checkpoint_info> chain = co_await chain_of(trial.store(), numbered_thread(i));
        expect_equal(chain.size(), commits_of_each, "checkpoints of a thread beside refused ones");
        expect_whole(chain);
        const std::optional<checkpoint> newest = co_await trial.other().load(numbered_thread(i), std::nullopt);
        expect_equal(newest->body, std::to_string(commits_of_each - 1), "newest body");
        std::vector<content_hash> hashes = newest->links;
        const std::vector<blob> blobs = co_await trial.other().read_blobs(numbered_thread(i), std::move(hashes));
        expect_equal(blobs.size(), i % 4, "blobs of the newest checkpoint");
        for (const blob& each : blobs)
            expect(each.bytes.starts_with(std::to_string(i) + "/"), "a blob is in the thread that it came with");
    }
}

task<void> claim_all(checkpoint_store& store, std::map<run_id, int>& taken)
{
    const worker_id worker = co_await enter(store);
    for (;;) {
        co_await dither();
        const std::vector<run_claim> claims = co_await store.claim(worker, 2);
        if (claims.empty()) co_return;
        for (const run_claim& each : claims) ++taken[each.fence.run];
    }
}

// Two workers that ask at the same moment see the same line.
task<void> each_of_many_runs_is_claimed_once(store_under_test& trial)
{
    constexpr int runs = 40;
    for (int i = 0; i < runs; ++i) static_cast<void>(co_await enqueue_ready(trial.store(), numbered_thread(i)));
    std::map<run_id, int> taken;
    const task_context& context = co_await this_task::context();
    {
        scope children{context};
        for (int i = 0; i < 6; ++i) children.spawn(claim_all(i % 2 ? trial.other() : trial.store(), taken));
        co_await children.join();
    }
    expect_equal(taken.size(), runs, "runs that were claimed");
    for (const auto& [run, count] : taken) expect_equal(count, 1, "how often a run was claimed");
}

task<void> resume_and_count(checkpoint_store& store, run_id run, int& wins)
{
    const worker_id worker = co_await enter(store);
    co_await dither();
    const std::optional<run_claim> claim = co_await store.resume(worker, run);
    if (claim) ++wins;
}

// A person who answers twice makes two processes resume one run.
task<void> of_those_who_race_for_a_run_one_wins(store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    static_cast<void>(co_await trial.store().finish(by.fence, run_outcome{run_phase::waiting}));
    int wins = 0;
    const task_context& context = co_await this_task::context();
    scope children{context};
    for (int i = 0; i < 6; ++i)
        children.spawn(resume_and_count(i % 2 ? trial.other() : trial.store(), by.fence.run, wins));
    co_await children.join();
    expect_equal(wins, 1, "workers that got the run");
}

task<void> commit_and_count(checkpoint_store& store, write_fence fence, std::array<int, 4>& outcomes)
{
    checkpoint_draft draft = co_await draft_of("at once");
    co_await dither();
    const commit_result result = co_await store.commit(std::move(fence), std::move(draft));
    ++outcomes[static_cast<std::size_t>(result.state)];
}

// Two branches of one history would be two states of one conversation.
task<void> of_commits_behind_one_head_one_counts(store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    std::array<int, 4> outcomes{};
    const task_context& context = co_await this_task::context();
    scope children{context};
    for (int i = 0; i < 6; ++i)
        children.spawn(commit_and_count(i % 2 ? trial.other() : trial.store(), by.fence, outcomes));
    co_await children.join();
    expect_equal(outcomes[static_cast<std::size_t>(write_state::ok)], 1, "commits that count");
    expect_equal(outcomes[static_cast<std::size_t>(write_state::stale_head)], 5, "commits that came too late");
    const std::int64_t head = co_await head_of(trial.store(), thread_key{"t"});
    expect_equal(head, 1, "head");
}

task<void> enqueue_and_count(checkpoint_store& store, std::string key, std::map<run_admission::kind, int>& outcomes)
{
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t"}, id};
    run.with_idempotency_key(std::move(key));
    co_await dither();
    const run_admission admission = co_await store.enqueue(std::move(run));
    ++outcomes[admission.what];
}

// A client that hears nothing sends its request again, to another process.
task<void> of_runs_that_begin_at_once_one_is_admitted(store_under_test& trial)
{
    using kind = run_admission::kind;
    const task_context& context = co_await this_task::context();
    for (const char* key : {"", "one key"}) {
        std::map<kind, int> outcomes;
        {
            scope children{context};
            for (int i = 0; i < 6; ++i)
                children.spawn(enqueue_and_count(i % 2 ? trial.other() : trial.store(), key, outcomes));
            co_await children.join();
        }
        expect_equal(outcomes[kind::ready], 1, "runs that were admitted");
        expect_equal(outcomes[*key ? kind::duplicate : kind::rejected], 5, "runs that were not");
        static_cast<void>(co_await trial.store().signal(thread_key{"t"}, run_signal::cancel));
    }
}

task<void> answer_and_count(checkpoint_store& store, std::string text, std::string& accepted, int& wins)
{
    co_await dither();
    const answer_state state = co_await store.answer(thread_key{"t"}, "a#1", text);
    if (state != answer_state::accepted) co_return;
    ++wins;
    accepted = text;
}

// The one whose answer did not count has to hear that.
task<void> of_answers_at_once_one_is_accepted(store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    const question_record question{"a#1", "{}"};
    static_cast<void>(co_await trial.store().ask(by.fence, question));
    std::string accepted;
    int wins = 0;
    const task_context& context = co_await this_task::context();
    scope children{context};
    for (int i = 0; i < 6; ++i)
        children.spawn(
            answer_and_count(i % 2 ? trial.other() : trial.store(), std::to_string(i), accepted, wins));
    co_await children.join();
    expect_equal(wins, 1, "answers that were accepted");
    const std::vector<question_record> questions = co_await trial.store().questions(thread_key{"t"});
    expect_equal(questions.size(), 1, "questions");
    expect_equal(questions[0].answer, accepted, "the answer that stands");
}

constexpr std::array<store_check, 7> concurrency_check_list{{
    WEFT_STORE_CHECK(many_threads_are_written_at_once),
    WEFT_STORE_CHECK(commits_of_one_moment_are_judged_one_by_one),
    WEFT_STORE_CHECK(each_of_many_runs_is_claimed_once),
    WEFT_STORE_CHECK(of_those_who_race_for_a_run_one_wins),
    WEFT_STORE_CHECK(of_commits_behind_one_head_one_counts),
    WEFT_STORE_CHECK(of_runs_that_begin_at_once_one_is_admitted),
    WEFT_STORE_CHECK(of_answers_at_once_one_is_accepted),
}};

}  // namespace

std::span<const store_check> concurrency_checks() { return concurrency_check_list; }

}  // namespace weft::testing::store_trial
