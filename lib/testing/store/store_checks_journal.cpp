#include "store_trial.hpp"

#include <algorithm>
#include <array>

namespace weft::testing::store_trial {

namespace {

task<void> expect_recorded(checkpoint_store& store, write_fence fence, effect_record effect, write_state wanted,
                           where at = where::current())
{
    const std::string what = std::string{name_of(effect.phase)} + " of " + effect.address;
    const write_state state = co_await store.record(std::move(fence), std::move(effect));
    expect_equal(state, wanted, what, at);
}

void expect_effect(const effect_record& came, const effect_record& wanted, std::int64_t epoch,
                   const where& at = where::current())
{
    expect_equal(came.address, wanted.address, "address of an effect", at);
    expect_equal(came.phase, wanted.phase, "phase of an effect", at);
    expect_equal(came.key, wanted.key, "key of an effect", at);
    expect_equal(came.body, wanted.body, "body of an effect", at);
    expect_equal(came.epoch, epoch, "epoch of an effect", at);
}

// An effect whose outcome is there is not done again, so that outcome must not change.
task<void> an_outcome_replaces_its_intent_once(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const holder by = co_await hold(store, thread_key{"t"});
    const effect_record intent{"a#1/charge#0", effect_phase::intended, "key 1", "{\"amount\": 5}"};
    const effect_record outcome{"a#1/charge#0", effect_phase::done, "key 1", "{\"receipt\": 7}"};
    const effect_record refusal{"a#1/charge#0", effect_phase::failed, "key 1", "{\"error\": \"late\"}"};
    co_await expect_recorded(store, by.fence, intent, write_state::ok);
    const std::vector<effect_record> before = co_await trial.other().effects(thread_key{"t"});
    expect_equal(before.size(), 1, "effects after an intent");
    expect_effect(before[0], intent, by.fence.epoch);
    co_await expect_recorded(store, by.fence, intent, write_state::duplicate);
    co_await expect_recorded(store, by.fence, outcome, write_state::ok);
    co_await expect_recorded(store, by.fence, outcome, write_state::duplicate);
    co_await expect_recorded(store, by.fence, refusal, write_state::duplicate);
    co_await expect_recorded(store, by.fence, intent, write_state::duplicate);
    const std::vector<effect_record> after = co_await trial.other().effects(thread_key{"t"});
    expect_equal(after.size(), 1, "effects after an outcome");
    expect_effect(after[0], outcome, by.fence.epoch);
}

// A node is visited again and again: the address says which visit an effect belongs to.
task<void> effects_come_by_address(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const std::vector<effect_record> none = co_await store.effects(thread_key{"t"});
    expect_equal(none.size(), 0, "effects of an unknown thread");
    const holder by = co_await hold(store, thread_key{"t"});
    const holder other = co_await hold(store, thread_key{"u"});
    const effect_record foreign{"b#1", effect_phase::done, "", "{}"};
    co_await expect_recorded(store, other.fence, foreign, write_state::ok);
    for (const char* address : {"b#1", "a#2", "C", "a#10", "a#1/x", "a#1"}) {
        const effect_record effect{address, effect_phase::failed, "", "{}"};
        co_await expect_recorded(store, by.fence, effect, write_state::ok);
    }
    std::vector<std::string> came;
    for (const effect_record& each : co_await store.effects(thread_key{"t"})) came.push_back(each.address);
    const std::vector<std::string> wanted = {"C", "a#1", "a#1/x", "a#10", "a#2", "b#1"};
    expect_equal(came, wanted, "effects in the order of their addresses, byte by byte");
}

// A worker that died in the middle of an effect leaves the intent: the next one knows that it may have happened.
task<void> the_journal_survives_its_writer(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const holder lost = co_await hold_shortly(trial, thread_key{"t"});
    const effect_record in_doubt{"a#1/charge#0", effect_phase::intended, "key", "{}"};
    co_await expect_recorded(store, lost.fence, in_doubt, write_state::ok);
    const question_record question{"a#1/q#0", "{\"text\":\"Really?\"}"};
    const write_state asked = co_await store.ask(lost.fence, question);
    expect_equal(asked, write_state::ok, "a question");
    co_await outlive(trial);
    static_cast<void>(co_await store.reap(10));
    const answer_state answered = co_await trial.other().answer(thread_key{"t"}, "a#1/q#0", "true");
    expect_equal(answered, answer_state::accepted, "an answer while nobody holds the run");

    const worker_id worker = co_await enter(trial.other());
    const std::vector<run_claim> claims = co_await trial.other().claim(worker, 1);
    expect_equal(claims.size(), 1, "claims of a reaped run");
    const std::vector<effect_record> effects = co_await trial.other().effects(thread_key{"t"});
    expect_equal(effects.size(), 1, "effects after a takeover");
    expect_effect(effects[0], in_doubt, lost.fence.epoch);
    const effect_record outcome{"a#1/charge#0", effect_phase::done, "key", "{\"receipt\": 7}"};
    co_await expect_recorded(trial.other(), claims[0].fence, outcome, write_state::ok);
    const std::vector<effect_record> after = co_await store.effects(thread_key{"t"});
    expect_effect(after[0], outcome, claims[0].fence.epoch);
    const std::vector<question_record> questions = co_await store.questions(thread_key{"t"});
    expect_equal(questions.size(), 1, "questions after a takeover");
    expect_equal(questions[0].answer, "true", "answer after a takeover");
}

// Two people who answer at once must not both believe that their answer counted.
task<void> a_question_is_answered_once(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const holder by = co_await hold(store, thread_key{"t"});
    const question_record question{"a#1/q#0", "{\"text\":\"Which?\"}"};
    const write_state asked = co_await store.ask(by.fence, question);
    expect_equal(asked, write_state::ok, "a question");
    const write_state twice = co_await store.ask(by.fence, question);
    expect_equal(twice, write_state::duplicate, "a second question at one address");
    std::vector<question_record> open = co_await trial.other().questions(thread_key{"t"});
    expect_equal(open.size(), 1, "questions");
    expect_equal(open[0].address, "a#1/q#0", "address of the question");
    expect_equal(open[0].question, "{\"text\":\"Which?\"}", "the question");
    expect(open[0].phase == question_phase::open, "it is open");
    expect_equal(open[0].answer, "", "answer of an open question");
    expect(open[0].asked != wall_time{}, "the moment of asking is known");

    const answer_state elsewhere = co_await store.answer(thread_key{"u"}, "a#1/q#0", "\"x\"");
    expect_equal(elsewhere, answer_state::unknown, "an answer to another thread");
    const answer_state misled = co_await store.answer(thread_key{"t"}, "a#1/q#1", "\"x\"");
    expect_equal(misled, answer_state::unknown, "an answer to another address");
    const answer_state first = co_await trial.other().answer(thread_key{"t"}, "a#1/q#0", "\"first\"");
    expect_equal(first, answer_state::accepted, "the first answer");
    const answer_state second = co_await store.answer(thread_key{"t"}, "a#1/q#0", "\"second\"");
    expect_equal(second, answer_state::already_answered, "the second answer");
    open = co_await store.questions(thread_key{"t"});
    expect_equal(open.size(), 1, "an answered question stays until it is settled");
    expect(open[0].phase == question_phase::answered, "it is answered");
    expect_equal(open[0].answer, "\"first\"", "the first answer stands");
    expect(open[0].answered >= open[0].asked, "the answer came after the question");
    const write_state again = co_await store.ask(by.fence, question);
    expect_equal(again, write_state::duplicate, "a question at the address of an answered one");
}

// A person answers what has waited longest.
task<void> questions_come_oldest_first(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const std::vector<question_record> none = co_await store.questions(thread_key{"t"});
    expect_equal(none.size(), 0, "questions of an unknown thread");
    const holder by = co_await hold(store, thread_key{"t"});
    const std::vector<std::string> wanted = {"c#1", "a#1", "d#1", "b#1"};
    for (const std::string& address : wanted) {
        const question_record question{address, "{}"};
        const write_state asked = co_await store.ask(by.fence, question);
        expect_equal(asked, write_state::ok, "a question");
    }
    const answer_state state = co_await store.answer(thread_key{"t"}, "d#1", "1");
    expect_equal(state, answer_state::accepted, "questions are answered in any order");
    std::vector<std::string> came;
    for (const question_record& each : co_await trial.other().questions(thread_key{"t"})) came.push_back(each.address);
    expect_equal(came, wanted, "questions in the order in which they were asked");
}

// By the other connection, as a server that did not start the run.
task<void> a_run_that_waits_is_answered_and_goes_on(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    const question_record question{"a#1/q#0", "{}"};
    static_cast<void>(co_await store.ask(by.fence, question));
    co_await commit_body(store, by, "paused");
    static_cast<void>(co_await store.finish(by.fence, run_outcome{run_phase::waiting}));
    const answer_state answered = co_await trial.other().answer(thread_key{"t"}, "a#1/q#0", "\"yes\"");
    expect_equal(answered, answer_state::accepted, "an answer while the run waits");
    const std::optional<run_claim> claim = co_await trial.other().resume(by.worker, by.fence.run);
    expect(claim.has_value(), "the run goes on");
    by.fence = claim->fence;
    checkpoint_draft draft = co_await draft_of("answered");
    draft.settled = {"a#1"};
    co_await commit(store, by, std::move(draft));
    const std::vector<question_record> left = co_await store.questions(thread_key{"t"});
    expect_equal(left.size(), 0, "questions after the checkpoint that settles them");
    const answer_state late = co_await store.answer(thread_key{"t"}, "a#1/q#0", "\"no\"");
    expect_equal(late, answer_state::unknown, "an answer to a settled question");
    const write_state again = co_await store.ask(by.fence, question);
    expect_equal(again, write_state::ok, "a new question at a settled address");
}

task<void> expect_asked(checkpoint_store& store, write_fence fence, std::string address, where at = where::current())
{
    const question_record question{std::move(address), "{}"};
    const write_state asked = co_await store.ask(std::move(fence), question);
    expect_equal(asked, write_state::ok, "a question", at);
}

task<void> expect_answered(checkpoint_store& store, std::string address, answer_state wanted, run_id run,
                           run_phase phase, std::string what, where at = where::current())
{
    const thread_key thread{"t"};
    const answer_state state = co_await store.answer(thread, std::move(address), "1");
    expect_equal(state, wanted, what, at);
    const run_phase came = co_await phase_of(store, run);
    expect_equal(came, phase, "phase after " + what, at);
}

// In the same write: a crash between answer and run would leave a run that nothing wakes.
task<void> the_last_answer_makes_a_run_that_waits_ready(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const holder by = co_await hold(store, thread_key{"t"});
    const run_id run = by.fence.run;
    // What an earlier run of the thread has asked, without an answer.
    co_await expect_asked(store, by.fence, "r0/a#1/q#0");
    for (const char* address : {"r1/a#1/q#0", "r1/b#1/q#0"}) co_await expect_asked(store, by.fence, address);
    const write_state waits = co_await store.finish(by.fence, run_outcome{run_phase::waiting});
    expect_equal(waits, write_state::ok, "a run that waits");
    using enum answer_state;
    co_await expect_answered(store, "r1/c#1/q#0", unknown, run, run_phase::waiting, "an answer to no question");
    co_await expect_answered(trial.other(), "r1/b#1/q#0", accepted, run, run_phase::waiting, "the first answer");
    co_await expect_answered(store, "r1/b#1/q#0", already_answered, run, run_phase::waiting, "the same once more");
    co_await expect_answered(trial.other(), "r1/a#1/q#0", accepted, run, run_phase::ready, "the last answer");
    const std::vector<run_claim> claims = co_await store.claim(by.worker, 10);
    expect_equal(claims.size(), 1, "claims of an answered run");
    expect_equal(claims[0].fence.run, run, "the run that was answered");
    co_await expect_answered(store, "r1/a#1/q#0", already_answered, run, run_phase::running, "an answer while it runs");
    // A run that a version before this one has left behind, waiting for nothing.
    const write_state again = co_await store.finish(claims[0].fence, run_outcome{run_phase::waiting});
    expect_equal(again, write_state::ok, "a run that waits again");
    co_await expect_answered(store, "r1/a#1/q#0", already_answered, run, run_phase::ready, "the same answer later");
}

// The answer may come before the worker has put the run to rest.
task<void> what_is_answered_already_is_not_waited_for(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const holder by = co_await hold(store, thread_key{"t"});
    write_fence fence = by.fence;
    for (const char* address : {"r1/a#1/q#0", "r10/b#1/q#0"}) co_await expect_asked(store, fence, address);
    run_outcome for_answers{run_phase::waiting};
    for_answers.for_answers_below("r1");
    const write_state open = co_await store.finish(fence, for_answers);
    expect_equal(open, write_state::ok, "a run that waits for an open question");
    const run_phase waits = co_await phase_of(store, fence.run);
    expect_equal(waits, run_phase::waiting, "phase of a run with an open question");
    std::optional<run_claim> claim = co_await store.resume(by.worker, fence.run);
    expect(claim.has_value(), "a run that waits can be resumed");
    fence = claim->fence;
    const answer_state answered = co_await trial.other().answer(thread_key{"t"}, "r1/a#1/q#0", "1");
    expect_equal(answered, answer_state::accepted, "an answer while the run is under way");
    const write_state closed = co_await store.finish(fence, for_answers);
    expect_equal(closed, write_state::ok, "a run that waits for nothing");
    const run_phase goes_on = co_await phase_of(store, fence.run);
    expect_equal(goes_on, run_phase::ready, "phase of a run whose questions are answered");
    claim = co_await store.resume(by.worker, fence.run);
    expect(claim.has_value(), "it can be taken");
    static_cast<void>(co_await store.signal(thread_key{"t"}, run_signal::pause));
    const write_state paused = co_await store.finish(claim->fence, for_answers);
    expect_equal(paused, write_state::ok, "a run that is asked to pause");
    const run_phase rests = co_await phase_of(store, fence.run);
    expect_equal(rests, run_phase::waiting, "phase of a run that is asked to pause");
}

constexpr std::array<store_check, 8> journal_check_list{{
    WEFT_STORE_CHECK(an_outcome_replaces_its_intent_once),
    WEFT_STORE_CHECK(effects_come_by_address),
    WEFT_STORE_CHECK(the_journal_survives_its_writer),
    WEFT_STORE_CHECK(a_question_is_answered_once),
    WEFT_STORE_CHECK(questions_come_oldest_first),
    WEFT_STORE_CHECK(a_run_that_waits_is_answered_and_goes_on),
    WEFT_STORE_CHECK(the_last_answer_makes_a_run_that_waits_ready),
    WEFT_STORE_CHECK(what_is_answered_already_is_not_waited_for),
}};

}  // namespace

std::span<const store_check> journal_checks() { return journal_check_list; }

}  // namespace weft::testing::store_trial
