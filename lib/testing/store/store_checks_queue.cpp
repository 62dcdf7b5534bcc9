#include "store_trial.hpp"

#include <array>
#include <map>

namespace weft::testing::store_trial {

namespace {

/** Enters a run that wants a revision of a graph; an empty one is no wish. */
task<run_id> enqueue_graph(checkpoint_store& store, thread_key thread, graph_ability wants)
{
    const run_id id = co_await new_run_id();
    new_run run{std::move(thread), id};
    run.graph_named(wants.graph);
    run.revision = wants.revision;
    static_cast<void>(co_await store.enqueue(std::move(run)));
    co_return id;
}

/** A worker with a list of what it can run. */
task<worker_id> enter_with(checkpoint_store& store, std::vector<graph_ability> graphs)
{
    worker_entry entry{"able", long_lifetime};
    entry.graphs = std::move(graphs);
    co_return co_await store.enter(std::move(entry));
}

/** In the order of the claim. */
std::vector<run_id> ids_of(const std::vector<run_claim>& claims)
{
    std::vector<run_id> ids;
    for (const run_claim& each : claims) ids.push_back(each.fence.run);
    return ids;
}

// Two deploys side by side: each run goes where its revision is, and one without a wish goes anywhere.
task<void> a_worker_gets_only_what_it_can_run(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const graph_ability first_plan{"plan", "1"};
    const graph_ability second_plan{"plan", "2"};
    const graph_ability any_plan{"plan", ""};
    const graph_ability other_graph{"write", "1"};
    const run_id of_old = co_await enqueue_graph(store, thread_key{"a"}, first_plan);
    const run_id of_new = co_await enqueue_graph(store, thread_key{"b"}, second_plan);
    const run_id of_any = co_await enqueue_graph(store, thread_key{"c"}, any_plan);
    const run_id of_other = co_await enqueue_graph(store, thread_key{"d"}, other_graph);
    const std::vector<graph_ability> only_new{{"plan", "2"}, {"draw", ""}};
    const worker_id newer = co_await enter_with(store, only_new);
    const std::vector<run_claim> first = co_await trial.other().claim(newer, 10);
    expect_equal(ids_of(first), std::vector<run_id>{of_new, of_any}, "claims of the newer revision's worker");
    expect_equal(first[0].revision, std::string{"2"}, "the revision in a claim");
    const std::vector<graph_ability> all_plans{{"plan", ""}};
    const worker_id older = co_await enter_with(trial.other(), all_plans);
    const std::vector<run_claim> second = co_await store.claim(older, 10);
    expect_equal(ids_of(second), std::vector<run_id>{of_old}, "claims of the worker that runs every revision");
    const run_phase phase = co_await phase_of(store, of_other);
    expect_equal(phase, run_phase::ready, "a run that no worker knows waits");
    const worker_id any = co_await enter(store);
    const std::vector<run_claim> third = co_await store.claim(any, 10);
    expect_equal(ids_of(third), std::vector<run_id>{of_other}, "claims of a worker that takes everything");
}

// Neither way around the queue is a way around what a worker can run.
task<void> a_run_is_resumed_and_started_by_workers_that_can_run_it(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const std::vector<graph_ability> only_draw{{"draw", "1"}};
    const worker_id unable = co_await enter_with(store, only_draw);
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t"}, id};
    run.graph_named("plan").started_by(unable);
    const run_admission admission = co_await store.enqueue(std::move(run));
    expect_equal(admission.what, run_admission::kind::ready, "admission by a worker that cannot run it");
    const std::optional<run_claim> refused = co_await trial.other().resume(unable, id);
    expect(!refused, "it does not get the run by its id either");
    const worker_id able = co_await enter(store);
    const std::optional<run_claim> taken = co_await store.resume(able, id);
    expect(taken.has_value(), "a worker that can run it does");
}

// A process that loads its graph files again says so, and goes on under the same number.
task<void> a_worker_changes_what_it_can_run(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const std::vector<graph_ability> plan{{"plan", "1"}};
    const std::vector<graph_ability> write{{"write", "1"}};
    const run_id planned = co_await enqueue_graph(store, thread_key{"a"}, plan[0]);
    const run_id written = co_await enqueue_graph(store, thread_key{"b"}, write[0]);
    const worker_id worker = co_await enter_with(store, plan);
    const std::vector<run_claim> first = co_await store.claim(worker, 10);
    expect_equal(ids_of(first), std::vector<run_id>{planned}, "claims before the change");
    const bool is_known = co_await trial.other().change_graphs(worker, write);
    expect(is_known, "a living worker changes its list");
    const std::vector<run_claim> second = co_await store.claim(worker, 10);
    expect_equal(ids_of(second), std::vector<run_id>{written}, "claims after it");
    const write_state given_back = co_await store.yield(first[0].fence);
    expect_equal(given_back, write_state::ok, "a run of the list before stays with its worker");
    const std::vector<run_claim> third = co_await store.claim(worker, 10);
    expect(third.empty(), "it does not come back to a worker that cannot run it any more");
    const bool is_everything = co_await store.change_graphs(worker, std::vector<graph_ability>{});
    const std::vector<run_claim> fourth = co_await store.claim(worker, 10);
    expect(is_everything && ids_of(fourth) == std::vector<run_id>{planned}, "without a list it takes everything");
    std::vector<graph_ability> many(worker_entry::graphs_max + 1, plan[0]);
    task<bool> too_many = store.change_graphs(worker, std::move(many));
    co_await expect_error(std::move(too_many), errc::limit_reached, "too many graphs");
    co_await store.leave(worker);
    const bool is_gone = co_await store.change_graphs(worker, plan);
    expect(!is_gone, "one that has left hears that it is none");
}

// A run that stands where a newer revision has no place for it waits for a worker of its own.
task<void> a_run_is_bound_to_a_revision(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const graph_ability any_plan{"plan", ""};
    const run_id id = co_await enqueue_graph(store, thread_key{"t"}, any_plan);
    const std::vector<graph_ability> new_plan{{"plan", "2"}};
    const worker_id newer = co_await enter_with(store, new_plan);
    const std::vector<run_claim> first = co_await store.claim(newer, 1);
    expect_equal(first.size(), 1, "claims of a run that is not bound");
    const write_state bound = co_await trial.other().bind(first[0].fence, "1");
    expect_equal(bound, write_state::ok, "it is bound");
    const write_state given_back = co_await store.yield(first[0].fence);
    expect_equal(given_back, write_state::ok, "it is given back");
    const write_state late = co_await store.bind(first[0].fence, "2");
    expect_equal(late, write_state::fenced, "it is not the worker's any more");
    const std::vector<run_claim> none = co_await store.claim(newer, 1);
    expect(none.empty(), "the newer revision's worker does not get it again");
    const std::vector<graph_ability> old_plan{{"plan", "1"}};
    const worker_id older = co_await enter_with(trial.other(), old_plan);
    const std::vector<run_claim> second = co_await store.claim(older, 1);
    expect_equal(ids_of(second), std::vector<run_id>{id}, "claims of the older revision's worker");
    expect_equal(second[0].revision, std::string{"1"}, "the revision in a claim");
    std::string any_revision;
    const write_state freed = co_await store.bind(second[0].fence, std::move(any_revision));
    const write_state again = co_await store.yield(second[0].fence);
    expect(freed == write_state::ok && again == write_state::ok, "it is freed and given back");
    const std::vector<run_claim> third = co_await store.claim(newer, 1);
    expect_equal(ids_of(third), std::vector<run_id>{id}, "claims of a run that is free again");
    const std::string long_name(store_limits::name_bytes_max + 1, 'x');
    task<write_state> too_long = store.bind(third[0].fence, long_name);
    co_await expect_error(std::move(too_long), errc::limit_reached, "a revision that is too long");
}

// A process that performs no runs says more of one that waits, such as its limits.
task<void> a_run_that_no_worker_has_gets_another_input(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const thread_key thread{"t", "acme"};
    const run_id id = co_await new_run_id();
    new_run entry{thread, id};
    entry.graph_named("plan").with_input(R"({"n":1})");
    static_cast<void>(co_await store.enqueue(std::move(entry)));
    const bool is_changed = co_await trial.other().change_input(thread, id, R"({"n":2})");
    const std::optional<run_record> ready = co_await store.find_run(id);
    expect(is_changed && ready->input == R"({"n":2})", "the input of one that is ready");
    const worker_id worker = co_await enter(store);
    std::vector<run_claim> claims = co_await store.claim(worker, 1);
    expect_equal(claims[0].input, std::string{R"({"n":2})"}, "the input in a claim");
    const bool is_late = co_await trial.other().change_input(thread, id, R"({"n":3})");
    run_outcome rest{run_phase::waiting};
    static_cast<void>(co_await store.finish(claims[0].fence, std::move(rest)));
    const bool is_elsewhere = co_await store.change_input(thread_key{"t"}, id, R"({"n":4})");
    const std::optional<run_record> waiting = co_await trial.other().find_run(id);
    expect(!is_late && !is_elsewhere && waiting->input == R"({"n":2})", "neither a worker's run nor another thread's");
    const bool waits = co_await trial.other().change_input(thread, id, R"({"n":5})");
    const std::optional<run_claim> resumed = co_await store.resume(worker, id);
    expect(waits && resumed && resumed->input == R"({"n":5})", "the input of one that waits");
    run_outcome end{run_phase::finished};
    static_cast<void>(co_await store.finish(resumed->fence, std::move(end)));
    const bool is_over = co_await store.change_input(thread, id, R"({"n":6})");
    expect(!is_over, "one that is over keeps its input");
    const std::string text(store_limits::text_bytes_max + 1, 'x');
    co_await expect_error(store.change_input(thread, id, text), errc::limit_reached, "an input that is too long");
}

/** Runs of a tenant, each in a thread of its own, so that all of them are ready. */
task<void> enqueue_many(checkpoint_store& store, std::string tenant, int count)
{
    for (int i = 0; i < count; ++i) {
        thread_key thread{std::to_string(i), tenant};
        static_cast<void>(co_await enqueue_ready(store, std::move(thread)));
    }
}

// One tenant's thousand runs cost the others one turn each, not a thousand.
task<void> tenants_are_served_in_turn(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    co_await enqueue_many(store, "flood", 12);
    co_await enqueue_many(store, "a", 2);
    co_await enqueue_many(store, "z", 3);
    const worker_id worker = co_await enter(store);
    std::map<std::string, int> served;
    for (const std::size_t max : {1, 2, 3}) {
        const std::vector<run_claim> claims = co_await store.claim(worker, max);
        expect_equal(claims.size(), max, "claims");
        for (const run_claim& each : claims) ++served[each.fence.thread.tenant];
    }
    expect_equal(served["a"], 2, "runs of the first tenant among six");
    expect_equal(served["flood"], 2, "runs of the large one among six");
    expect_equal(served["z"], 2, "runs of the last tenant among six");
    const std::vector<run_claim> rest = co_await store.claim(worker, 100);
    expect_equal(rest.size(), 11, "the rest, in one claim");
}

// Another process goes round by itself; no run is given twice or left.
task<void> claims_of_two_processes_share_the_queue(store_under_test& trial)
{
    co_await enqueue_many(trial.store(), "a", 5);
    co_await enqueue_many(trial.store(), "b", 5);
    const worker_id one = co_await enter(trial.store());
    const worker_id two = co_await enter(trial.other());
    std::size_t taken = 0;
    for (int i = 0; i < 4; ++i) {
        const std::vector<run_claim> mine = co_await trial.store().claim(one, 2);
        const std::vector<run_claim> theirs = co_await trial.other().claim(two, 2);
        taken += mine.size() + theirs.size();
    }
    expect_equal(taken, 10, "runs taken by both");
}

// A key's value is any text, also one that JSON has to escape.
task<void> what_a_run_is_counted_by_is_known(store_under_test& trial)
{
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t", "acme"}, id};
    run.graph_named("plan");
    run.revision = "9f2c";
    run.limit_keys = {{"user", "ann \"7\""}, {"model", "m"}};
    const std::map<std::string, std::string> keys = run.limit_keys;
    static_cast<void>(co_await trial.store().enqueue(std::move(run)));
    const std::optional<run_record> record = co_await trial.other().find_run(id);
    expect(record && record->revision == "9f2c", "the revision of a run");
    expect(record->limit_keys == keys, "the keys of a run");
    expect(record->lost_attempts.empty(), "a new run has lost no attempt");
    const run_id next = co_await new_run_id();
    new_run many{thread_key{"u"}, next};
    for (int i = 0; i < 9; ++i) many.limit_keys[std::to_string(i)] = "x";
    task<run_admission> too_many = trial.store().enqueue(std::move(many));
    co_await expect_error(std::move(too_many), errc::limit_reached, "nine keys");
}

// The cause of each attempt is there for people who look at a dead run.
task<void> lost_attempts_are_remembered(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t"}, id};
    run.with_attempts_max(2);
    static_cast<void>(co_await store.enqueue(std::move(run)));
    for (int i = 0; i < 2; ++i) {
        const worker_id worker = co_await store.enter("doomed", trial.lifetime());
        const std::vector<run_claim> claims = co_await store.claim(worker, 1);
        expect_equal(claims.size(), 1, "claims");
        co_await outlive(trial);
        static_cast<void>(co_await store.reap(10));
    }
    const std::optional<run_record> record = co_await trial.other().find_run(id);
    expect_equal(record->phase, run_phase::dead, "phase");
    expect_equal(record->lost_attempts.size(), 2, "lost attempts");
    expect_equal(record->lost_attempts[1].cause, std::string{"the worker 'doomed' was lost"}, "the cause");
    expect(record->lost_attempts[0].at <= record->lost_attempts[1].at, "the oldest comes first");
}

// Without a rule a failure is an end.
task<void> a_failed_run_is_over_unless_a_rule_lets_it_try_again(store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    run_outcome failed{run_phase::failed, "the model is busy"};
    failed.retriable();
    const write_state done = co_await trial.store().finish(by.fence, std::move(failed));
    expect_equal(done, write_state::ok, "the end");
    const run_phase phase = co_await phase_of(trial.other(), by.fence.run);
    expect_equal(phase, run_phase::failed, "phase");
}

constexpr std::array<store_check, 10> queue_check_list{{
    WEFT_STORE_CHECK(a_worker_gets_only_what_it_can_run),
    WEFT_STORE_CHECK(a_run_is_resumed_and_started_by_workers_that_can_run_it),
    WEFT_STORE_CHECK(a_worker_changes_what_it_can_run),
    WEFT_STORE_CHECK(a_run_is_bound_to_a_revision),
    WEFT_STORE_CHECK(a_run_that_no_worker_has_gets_another_input),
    WEFT_STORE_CHECK(tenants_are_served_in_turn),
    WEFT_STORE_CHECK(claims_of_two_processes_share_the_queue),
    WEFT_STORE_CHECK(what_a_run_is_counted_by_is_known),
    WEFT_STORE_CHECK(lost_attempts_are_remembered),
    WEFT_STORE_CHECK(a_failed_run_is_over_unless_a_rule_lets_it_try_again),
}};

}  // namespace

std::span<const store_check> queue_checks() { return queue_check_list; }

}  // namespace weft::testing::store_trial
