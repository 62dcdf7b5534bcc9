#include "store_trial.hpp"

#include <weft/base/json.hpp>

#include <array>

namespace weft::testing::store_trial {

namespace {

using std::chrono::milliseconds;
using thread_names = std::vector<std::string>;

/** Enters a run of a thread, which no worker has, with metadata. */
task<run_id> enqueue_noted(service_store_under_test& trial, thread_key thread, std::string graph, std::string metadata)
{
    const run_id id = co_await new_run_id();
    new_run run{std::move(thread), id};
    run.graph = std::move(graph);
    run.metadata = std::move(metadata);
    run.busy = busy_policy::queue;
    const run_admission admission = co_await trial.store().enqueue(std::move(run));
    expect(admission.what == run_admission::kind::ready || admission.what == run_admission::kind::queued, "admission");
    co_return id;
}

std::vector<run_id> ids_of_runs(const run_page& page)
{
    std::vector<run_id> ids;
    for (const stored_run& each : page.runs) ids.push_back(each.id);
    return ids;
}

task<std::vector<run_id>> runs_found(service_store_under_test& trial, run_query query)
{
    const std::size_t count = co_await trial.other().runs().count(query);
    const run_page page = co_await trial.other().runs().search(std::move(query));
    expect_equal(count, page.runs.size(), "count and page agree");
    co_return ids_of_runs(page);
}

// The record of a worker and the list of a server tell the same run: they may be read from different tables.
task<void> a_run_is_listed_with_what_was_noted(service_store_under_test& trial)
{
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t", "acme"}, id};
    run.graph = "research";
    run.metadata = R"({"team": "blue", "n": [1, 2]})";
    run.webhook = "https://example.com/done";
    run.idempotency_key = "once";
    const run_admission admission = co_await trial.store().enqueue(std::move(run));
    expect_equal(admission.what, run_admission::kind::ready, "admission");
    const run_query all;
    const run_page page = co_await trial.other().runs().search(all);
    expect_equal(page.runs.size(), 1, "runs");
    const stored_run& found = page.runs[0];
    expect(found.id == id && found.thread == thread_key{"t", "acme"} && found.graph == "research", "whose and what");
    expect_equal(found.phase, run_phase::ready, "phase");
    expect(parse_json(found.metadata) == parse_json(R"({"n": [1, 2], "team": "blue"})"), "metadata");
    expect_equal(found.webhook, "https://example.com/done", "webhook");
    expect_equal(found.idempotency_key, "once", "key");
    expect(found.created != wall_time{} && found.ended == wall_time{}, "times of a run that is not over");
    const std::optional<run_record> record = co_await trial.store().find_run(id);
    expect(record && parse_json(record->metadata) == parse_json(found.metadata), "metadata of the record");
    expect_equal(record->webhook, found.webhook, "webhook of the record");
}

// Each condition alone and together with others; half-open spans of time, so that spans that follow share no run.
task<void> runs_are_found_by_what_they_are(service_store_under_test& trial)
{
    const run_id first = co_await enqueue_noted(trial, thread_key{"t", "acme"}, "a", R"({"team": "blue", "n": 1})");
    const run_id queued = co_await enqueue_noted(trial, thread_key{"t", "acme"}, "b", R"({"team": "red"})");
    const run_id other = co_await enqueue_noted(trial, thread_key{"t", "other"}, "a", "{}");
    using ids = std::vector<run_id>;
    run_query query;
    const ids all = co_await runs_found(trial, query);
    expect_equal(all, ids{other, queued, first}, "all, the newest first");
    query.is_newest_first = false;
    const ids oldest = co_await runs_found(trial, query);
    expect_equal(oldest, ids{first, queued, other}, "all, the oldest first");
    query.tenant = "acme";
    const ids acme = co_await runs_found(trial, query);
    expect_equal(acme, ids{first, queued}, "of a tenant");
    query.thread = "t";
    const ids thread = co_await runs_found(trial, query);
    expect_equal(thread, ids{first, queued}, "of a thread");
    query.phases = {run_phase::queued, run_phase::waiting};
    const ids waits = co_await runs_found(trial, query);
    expect_equal(waits, ids{queued}, "in a phase");
    run_query by_graph;
    by_graph.graph = "a";
    const ids graph = co_await runs_found(trial, by_graph);
    expect_equal(graph, ids{other, first}, "of a graph");
    run_query noted;
    noted.contains = R"({"team": "blue"})";
    const ids blue = co_await runs_found(trial, noted);
    expect_equal(blue, ids{first}, "by metadata");
    const run_page page = co_await trial.other().runs().search(by_graph);
    run_query later;
    later.created_from = page.runs[1].created;
    const ids from = co_await runs_found(trial, later);
    expect_equal(from, ids{other, queued, first}, "made at a moment or later");
    run_query earlier;
    earlier.created_before = page.runs[1].created;
    const ids before = co_await runs_found(trial, earlier);
    expect_equal(before, ids{}, "made before all");
}

// Of one thread as well: stores may read these by another index.
task<void> runs_come_in_pages(service_store_under_test& trial)
{
    std::vector<run_id> made;
    for (int i = 0; i < 5; ++i) {
        const run_id id = co_await enqueue_noted(trial, thread_key{"t"}, "a", "{}");
        made.push_back(id);
    }
    run_query query;
    query.is_newest_first = false;
    query.count_max = 2;
    query.tenant = "";
    for (const bool is_of_one_thread : {false, true}) {
        if (is_of_one_thread) query.thread = "t";
        query.after.clear();
        std::vector<run_id> seen;
        int pages = 0;
        do {
            const run_page page = co_await trial.other().runs().search(query);
            for (const run_id id : ids_of_runs(page)) seen.push_back(id);
            query.after = page.next;
            ++pages;
        } while (!query.after.empty());
        expect_equal(seen, made, "each run once");
        expect_equal(pages, 3, "pages");
    }
}

// A run that a worker has is asked by a signal instead: what it is doing cannot be taken from under it.
task<void> a_run_in_line_is_cancelled_and_one_that_is_over_removed(service_store_under_test& trial)
{
    holder by = co_await hold(trial.store(), thread_key{"t"});
    const run_id next = co_await enqueue_noted(trial, thread_key{"t"}, "a", "{}");
    const run_id last = co_await enqueue_noted(trial, thread_key{"t"}, "a", "{}");
    run_directory& runs = trial.other().runs();
    const bool is_active_cancelled = co_await runs.cancel_queued(by.fence.run);
    expect(!is_active_cancelled, "the active run is for a signal");
    const bool is_removed_in_line = co_await runs.remove(next);
    expect(!is_removed_in_line, "a run in line is not over");
    const bool is_cancelled = co_await runs.cancel_queued(next);
    expect(is_cancelled, "a run in line is cancelled");
    const bool is_cancelled_twice = co_await runs.cancel_queued(next);
    expect(!is_cancelled_twice, "it is over then");
    const std::optional<run_record> ended = co_await trial.store().find_run(next);
    expect(ended && ended->phase == run_phase::cancelled && ended->ended != wall_time{}, "its end is noted");
    std::vector<event_draft> events{{"values", "{}"}};
    const event_append appended = co_await trial.service().run_events().append(by.fence, std::move(events), {});
    expect_equal(appended.last, 1, "an event");
    const run_id first = by.fence.run;
    const write_state finished = co_await trial.store().finish(by.fence, run_outcome{run_phase::finished});
    expect_equal(finished, write_state::ok, "the active run ends");
    const std::optional<run_record> active = co_await trial.store().active_run(thread_key{"t"});
    expect(active && active->id == last, "the next one in line is that behind the cancelled one");
    const bool is_active_removed = co_await runs.remove(last);
    expect(!is_active_removed, "an active run is not over");
    for (const run_id over : {first, next}) {
        const bool is_removed = co_await runs.remove(over);
        expect(is_removed, "a run that is over is removed");
        const std::optional<run_record> gone = co_await trial.store().find_run(over);
        expect(!gone, "it is gone");
    }
    const event_page page = co_await trial.service().run_events().read(first, 0, 10);
    expect(page.state == event_log_state::unknown && page.events.empty(), "and so are its events");
}

// Metadata is merged by its names and values are replaced, as the protocol of LangGraph has it.
task<void> a_thread_is_made_once_and_described(service_store_under_test& trial)
{
    thread_directory& threads = trial.service().threads();
    const std::optional<stored_thread> none = co_await threads.find(thread_key{"t"});
    expect(!none, "an unknown thread");
    const bool made = co_await threads.create(thread_key{"t"}, R"({"user": "ann", "n": 1})");
    expect(made, "a thread that was not there");
    const bool twice = co_await trial.other().threads().create(thread_key{"t"}, "{}");
    expect(!twice, "it is made once");
    thread_change change;
    change.metadata = R"({"n": 2, "new": true})";
    change.values = R"({"topic": "rain"})";
    const bool changed = co_await threads.update(thread_key{"t"}, change);
    expect(changed, "a change of a thread that is there");
    const std::optional<stored_thread> found = co_await trial.other().threads().find(thread_key{"t"});
    expect(found.has_value(), "a thread that was made");
    expect(parse_json(found->metadata) == parse_json(R"({"user": "ann", "n": 2, "new": true})"), "merged metadata");
    expect(parse_json(found->values) == parse_json(R"({"topic": "rain"})"), "values");
    expect(found->phase == thread_phase::idle && found->head == 0 && !found->active, "a thread without history");
    expect(found->created != wall_time{}, "when it was made");
    const bool unknown = co_await threads.update(thread_key{"u"}, change);
    expect(!unknown, "a change of an unknown thread");
    const bool dropped = co_await trial.store().drop(thread_key{"t"});
    expect(dropped, "it can be dropped");
    const std::optional<stored_thread> gone = co_await trial.other().threads().find(thread_key{"t"});
    expect(!gone, "a dropped thread");
}

task<thread_phase> phase_found(service_store_under_test& trial, std::string name)
{
    const std::optional<stored_thread> found = co_await trial.other().threads().find(thread_key{std::move(name)});
    expect(found.has_value(), "the thread is there");
    co_return found->phase;
}

// No write says so: the phase follows from the runs, so that a crash cannot leave a wrong one.
task<void> a_thread_is_what_its_runs_are(service_store_under_test& trial)
{
    holder by = co_await hold(trial.store(), thread_key{"t"});
    const thread_phase running = co_await phase_found(trial, "t");
    expect_equal(running, thread_phase::busy, "while a run is running");
    const write_state waits = co_await trial.store().finish(by.fence, run_outcome{run_phase::waiting});
    expect_equal(waits, write_state::ok, "the run waits");
    const thread_phase waiting = co_await phase_found(trial, "t");
    expect_equal(waiting, thread_phase::waiting, "while it waits");
    const std::optional<run_claim> again = co_await trial.store().resume(by.worker, by.fence.run);
    expect(again.has_value(), "it can be resumed");
    const write_state fails = co_await trial.store().finish(again->fence, run_outcome{run_phase::failed, "why"});
    expect_equal(fails, write_state::ok, "it fails");
    const thread_phase failed = co_await phase_found(trial, "t");
    expect_equal(failed, thread_phase::failed, "after it failed");
    const run_claim next = co_await start(trial.store(), thread_key{"t"}, by.worker);
    const write_state ends = co_await trial.store().finish(next.fence, run_outcome{run_phase::finished});
    expect_equal(ends, write_state::ok, "the next one ends well");
    const thread_phase idle = co_await phase_found(trial, "t");
    expect_equal(idle, thread_phase::idle, "after a run that ended well");
}

task<thread_names> threads_found(service_store_under_test& trial, thread_query query)
{
    const std::size_t count = co_await trial.other().threads().count(query);
    thread_names names;
    do {
        const thread_page page = co_await trial.other().threads().search(query);
        for (const stored_thread& each : page.threads) names.push_back(each.thread.thread);
        query.after = page.next;
    } while (!query.after.empty());
    expect_equal(count, names.size(), "count and pages agree");
    co_return names;
}

// With pages of two in each order, so that every order has a page that begins behind another one.
task<void> threads_are_found_in_pages_and_orders(service_store_under_test& trial)
{
    thread_directory& threads = trial.service().threads();
    for (const char* name : {"b", "c", "a"}) {
        const bool made = co_await threads.create(thread_key{name, "acme"}, R"({"user": "ann"})");
        expect(made, "a thread is made");
        co_await trial.pass(milliseconds{5});
    }
    const bool elsewhere = co_await threads.create(thread_key{"z", "other"}, "{}");
    expect(elsewhere, "of another tenant");
    thread_change change;
    change.values = R"({"topic": "rain"})";
    const bool changed = co_await threads.update(thread_key{"c", "acme"}, change);
    expect(changed, "values of one");
    co_await trial.pass(milliseconds{5});
    const run_id busy = co_await enqueue_noted(trial, thread_key{"b", "acme"}, "a", "{}");
    static_cast<void>(busy);
    thread_query query;
    query.count_max = 2;
    query.tenant = "acme";
    const thread_names newest = co_await threads_found(trial, query);
    expect_equal(newest, thread_names{"a", "c", "b"}, "the newest first");
    query.order = list_order::oldest_first;
    const thread_names oldest = co_await threads_found(trial, query);
    expect_equal(oldest, thread_names{"b", "c", "a"}, "the oldest first");
    query.order = list_order::by_name;
    const thread_names named = co_await threads_found(trial, query);
    expect_equal(named, thread_names{"a", "b", "c"}, "by name");
    query.order = list_order::last_changed_first;
    const thread_names last = co_await threads_found(trial, query);
    expect_equal(last, thread_names{"b", "a", "c"}, "the last changed first");
    query.phases = {thread_phase::busy};
    const thread_names active = co_await threads_found(trial, query);
    expect_equal(active, thread_names{"b"}, "those with an active run");
    query.phases.clear();
    query.values_contain = R"({"topic": "rain"})";
    const thread_names rainy = co_await threads_found(trial, query);
    expect_equal(rainy, thread_names{"c"}, "by values");
    thread_query noted;
    noted.metadata_contains = R"({"user": "ann"})";
    const thread_names of_ann = co_await threads_found(trial, noted);
    expect_equal(of_ann.size(), 3, "by metadata");
}

/** What changed before and since a moment. */
task<void> runs_and_threads_are_found_by_their_last_change(service_store_under_test& trial)
{
    std::vector<run_id> ids;
    for (const char* name : {"a", "b", "c"}) {
        const run_id id = co_await enqueue_noted(trial, thread_key{name, "acme"}, "g", "{}");
        ids.push_back(id);
    }
    co_await trial.pass(milliseconds{5});
    const worker_id worker = co_await enter(trial.store());
    const std::optional<run_claim> taken = co_await trial.store().resume(worker, ids[1]);
    expect(taken.has_value(), "the second run is taken");
    const std::optional<run_record> record = co_await trial.store().find_run(ids[1]);
    expect(record && record->changed > record->created, "it changed after it was made");
    const wall_time moment = record->changed;

    run_query runs;
    runs.changed_from = moment;
    const std::vector<run_id> since = co_await runs_found(trial, runs);
    expect_equal(since, std::vector<run_id>{ids[1]}, "runs that changed since");
    run_query others;
    others.changed_before = moment;
    const std::vector<run_id> before = co_await runs_found(trial, others);
    expect_equal(before, std::vector<run_id>{ids[2], ids[0]}, "runs that changed before");

    thread_query threads;
    threads.changed_from = moment;
    const thread_names changed = co_await threads_found(trial, threads);
    expect_equal(changed, thread_names{"b"}, "threads that changed since");
    threads.changed_from.reset();
    threads.changed_before = moment;
    threads.count_max = 1;
    const thread_names unchanged = co_await threads_found(trial, threads);
    expect_equal(unchanged, thread_names{"c", "a"}, "threads that changed before");

    co_await trial.pass(milliseconds{5});
    const write_state done = co_await trial.store().finish(taken->fence, run_outcome{});
    expect_equal(done, write_state::ok, "end of the run");
    const std::optional<run_record> over = co_await trial.store().find_run(ids[1]);
    expect(over && over->changed > moment && over->changed == over->ended, "its end is its last change");
}

constexpr std::array<service_store_check, 8> list_check_list{{
    WEFT_STORE_CHECK(a_run_is_listed_with_what_was_noted),
    WEFT_STORE_CHECK(a_run_in_line_is_cancelled_and_one_that_is_over_removed),
    WEFT_STORE_CHECK(runs_are_found_by_what_they_are),
    WEFT_STORE_CHECK(runs_come_in_pages),
    WEFT_STORE_CHECK(a_thread_is_made_once_and_described),
    WEFT_STORE_CHECK(a_thread_is_what_its_runs_are),
    WEFT_STORE_CHECK(threads_are_found_in_pages_and_orders),
    WEFT_STORE_CHECK(runs_and_threads_are_found_by_their_last_change),
}};

}  // namespace

std::span<const service_store_check> list_checks() { return list_check_list; }

}  // namespace weft::testing::store_trial
