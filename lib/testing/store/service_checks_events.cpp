#include "store_trial.hpp"

#include <algorithm>
#include <array>
#include <atomic>

namespace weft::testing::store_trial {

namespace {

using event_ids = std::vector<std::uint64_t>;

/** Events whose data are the words of a text. */
std::vector<event_draft> drafts_of(std::string_view text)
{
    std::vector<event_draft> made;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        made.push_back({"values", std::string{text.substr(0, end)}});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return made;
}

event_ids event_ids_of(const event_page& page)
{
    event_ids ids;
    for (const stored_event& each : page.events) ids.push_back(each.id);
    return ids;
}

task<void> append_all(service_store_under_test& trial, const holder& by, std::vector<event_draft> events,
                      std::uint64_t last, event_log_limits limits = event_log_limits{})
{
    const event_append done = co_await trial.service().run_events().append(by.fence, std::move(events), limits);
    expect_equal(done.state, write_state::ok, "events of the holder");
    expect_equal(done.last, last, "the last id");
}

// A client that lost its connection says the last id that it has seen, whichever that was.
task<void> events_are_read_in_their_order_from_anywhere(service_store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    run_event_log& log = trial.other().run_events();
    const event_page none = co_await log.read(by.fence.run, 0, 10);
    expect(none.state == event_log_state::ok && none.events.empty() && none.last == 0, "a run without events");
    co_await append_all(trial, by, drafts_of("a b c"), 3);
    co_await append_all(trial, by, drafts_of("d"), 4);
    const event_page all = co_await log.read(by.fence.run, 0, 10);
    expect_equal(event_ids_of(all), event_ids{1, 2, 3, 4}, "ids of all");
    expect_equal(all.events[3].data, "d", "data");
    expect_equal(all.events[3].kind, "values", "kind");
    expect(all.events[0].at != wall_time{} && all.events[0].at <= all.events[3].at, "times do not fall");
    expect_equal(all.first, 1, "the oldest");
    expect_equal(all.last, 4, "the newest");
    const event_page two = co_await log.read(by.fence.run, 1, 2);
    expect_equal(event_ids_of(two), event_ids{2, 3}, "a page of two");
    const event_page end = co_await log.read(by.fence.run, 4, 10);
    expect(end.state == event_log_state::ok && end.events.empty(), "a reader that has seen all");
}

// A client may ask with an id of another server: that is an empty answer, and no failure.
task<void> an_unknown_run_has_no_log(service_store_under_test& trial)
{
    const run_id unknown = co_await new_run_id();
    const event_page page = co_await trial.service().run_events().read(unknown, 0, 10);
    expect(page.state == event_log_state::unknown, "the log of an unknown run");
}

// A worker that was given up would repeat ids which clients have seen with other contents.
task<void> only_the_holder_appends_and_ids_go_on_after_it(service_store_under_test& trial)
{
    holder first = co_await hold(trial.store(), thread_key{"t"});
    co_await append_all(trial, first, drafts_of("a b"), 2);
    const write_state left = co_await trial.store().yield(first.fence);
    expect_equal(left, write_state::ok, "yield");
    const event_log_limits limits;
    const event_append late = co_await trial.service().run_events().append(first.fence, drafts_of("late"), limits);
    expect_equal(late.state, write_state::fenced, "events of a former holder");
    holder second;
    second.worker = co_await enter(trial.store());
    const std::vector<run_claim> claims = co_await trial.store().claim(second.worker, 1);
    expect_equal(claims.size(), 1, "claims");
    second.fence = claims[0].fence;
    co_await append_all(trial, second, drafts_of("c"), 3);
    const event_page page = co_await trial.other().run_events().read(second.fence.run, 0, 10);
    expect_equal(page.events.size(), 3, "events of both holders");
    expect_equal(page.events[2].data, "c", "the event of the second holder");
}

// A client must know that it missed something; a gap that looks like the beginning would be taken for it.
task<void> a_log_has_bounds_and_says_what_is_gone(service_store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    run_event_log& log = trial.other().run_events();
    const event_log_limits few{.events_max = 8, .bytes_max = 1'000};
    co_await append_all(trial, by, drafts_of("1 2 3 4 5 6 7 8"), 8, few);
    const event_page full = co_await log.read(by.fence.run, 0, 20);
    expect_equal(full.events.size(), 8, "a log that is just full");
    co_await append_all(trial, by, drafts_of("9"), 9, few);
    const event_page gone = co_await log.read(by.fence.run, 0, 20);
    expect(gone.state == event_log_state::pruned && gone.events.empty(), "a reader that missed events");
    expect_equal(gone.first, 3, "the oldest event after seven eighths were left");
    const event_page rest = co_await log.read(by.fence.run, 2, 20);
    expect_equal(event_ids_of(rest), event_ids{3, 4, 5, 6, 7, 8, 9}, "what is left");
}

// A few events with a large state are more than a thousand tokens.
task<void> a_log_is_bounded_in_bytes(service_store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    const event_log_limits small{.events_max = 100, .bytes_max = 80};
    const std::string four(4, 'x');  // with its kind ten bytes
    for (std::uint64_t i = 1; i <= 8; ++i) co_await append_all(trial, by, drafts_of(four), i, small);
    co_await append_all(trial, by, drafts_of(four), 9, small);
    const event_page after = co_await trial.other().run_events().read(by.fence.run, 2, 20);
    expect_equal(event_ids_of(after), event_ids{3, 4, 5, 6, 7, 8, 9}, "seventy bytes are left");
    const std::string huge(500, 'y');
    co_await append_all(trial, by, drafts_of(huge), 10, small);
    const event_page one = co_await trial.other().run_events().read(by.fence.run, 9, 20);
    expect_equal(event_ids_of(one), event_ids{10}, "the newest event stays however large it is");
    expect_equal(one.first, 10, "nothing else does");
}

// What a node emits is text of a model, which may be cut in the middle of a character.
task<void> data_of_events_is_any_bytes(service_store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    const std::string bytes{"\0\xff\n\"", 4};
    std::vector<event_draft> events(2);
    events[0] = {"müll", bytes};
    co_await append_all(trial, by, std::move(events), 2);
    const event_page page = co_await trial.other().run_events().read(by.fence.run, 0, 10);
    expect_equal(page.events[0].data, bytes, "bytes");
    expect_equal(page.events[0].kind, "müll", "kind");
    expect_equal(page.events[1].data, "", "an empty event");
}

// It has what the thread said: who forgets one forgets both.
task<void> a_log_goes_with_its_thread(service_store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    const holder stays = co_await hold(trial.store(), thread_key{"u"});
    co_await append_all(trial, by, drafts_of("a"), 1);
    co_await append_all(trial, stays, drafts_of("b"), 1);
    const bool dropped = co_await trial.store().drop(thread_key{"t"});
    expect(dropped, "the thread was there");
    const event_page gone = co_await trial.other().run_events().read(by.fence.run, 0, 10);
    expect(gone.state == event_log_state::unknown && gone.events.empty(), "its log is gone");
    const event_log_limits limits;
    const event_append late = co_await trial.service().run_events().append(by.fence, drafts_of("c"), limits);
    expect_equal(late.state, write_state::fenced, "events of a dropped thread");
    const event_page other = co_await trial.other().run_events().read(stays.fence.run, 0, 10);
    expect_equal(other.events.size(), 1, "events of other threads stay");
}

task<void> end_run(service_store_under_test& trial, const holder& of)
{
    run_outcome outcome;
    const write_state state = co_await trial.store().finish(of.fence, std::move(outcome));
    expect_equal(state, write_state::ok, "the end of a run");
}

task<void> expect_pruned(run_event_log& log, run_id run, std::uint64_t last)
{
    const event_page start = co_await log.read(run, 0, 10);
    expect(start.state == event_log_state::pruned && start.events.empty(), "a reader of a pruned log is warned");
    // It carries the number that the log goes on from, and a client that comes late reads how the run ended.
    expect(start.first == last && start.last == last, "the newest event stays");
    const event_page rest = co_await log.read(run, last - 1, 10);
    expect_equal(event_ids_of(rest), event_ids{last}, "it can be read");
}

// Texts of users are most of a database, and nothing reads them a week later.
task<void> logs_of_runs_that_are_over_are_pruned_a_batch_at_a_time(service_store_under_test& trial)
{
    const holder open = co_await hold(trial.store(), thread_key{"open"});
    const holder first = co_await hold(trial.store(), thread_key{"t"});
    const holder second = co_await hold(trial.store(), thread_key{"u"});
    const holder brief = co_await hold(trial.store(), thread_key{"v"});
    co_await append_all(trial, open, drafts_of("a b"), 2);
    co_await append_all(trial, first, drafts_of("a b c"), 3);
    co_await append_all(trial, second, drafts_of("a b"), 2);
    co_await append_all(trial, brief, drafts_of("a"), 1);
    co_await end_run(trial, first);
    co_await end_run(trial, second);
    co_await end_run(trial, brief);
    run_event_log& log = trial.other().run_events();
    const event_prune young = co_await log.prune(std::chrono::hours{1}, 100);
    expect(young.runs == 0 && young.events == 0 && !young.has_more, "runs that were over for less than an hour");
    const event_prune batch = co_await log.prune(std::chrono::milliseconds{0}, 1);
    expect(batch.runs == 1 && batch.events == 2 && batch.has_more, "the run that ended first");
    co_await expect_pruned(log, first.fence.run, 3);
    event_prune rest = co_await log.prune(std::chrono::milliseconds{0}, 100);
    expect(rest.runs == 1 && rest.events == 1, "the other one");
    if (rest.has_more) rest = co_await log.prune(std::chrono::milliseconds{0}, 100);
    expect(!rest.has_more, "no log is left");
    co_await expect_pruned(log, second.fence.run, 2);
    const event_page one = co_await log.read(brief.fence.run, 0, 10);
    expect_equal(event_ids_of(one), event_ids{1}, "a log of one event");
    const event_page all = co_await log.read(open.fence.run, 0, 10);
    expect_equal(event_ids_of(all), event_ids{1, 2}, "the log of a run that is not over");
}

// What has killed its workers is looked into later; and it may be revived.
task<void> a_log_of_a_dead_run_is_not_pruned(service_store_under_test& trial)
{
    const run_id id = co_await new_run_id();
    new_run run{thread_key{"t"}, id};
    holder by;
    by.worker = co_await trial.store().enter("lost", trial.lifetime());
    run.with_attempts_max(1).started_by(by.worker);
    const run_admission admission = co_await trial.store().enqueue(std::move(run));
    by.fence = admission.claim.value().fence;
    co_await append_all(trial, by, drafts_of("a b"), 2);
    co_await trial.pass(trial.lifetime() + std::chrono::milliseconds{50});
    const std::size_t reaped = co_await trial.store().reap(10);
    expect_equal(reaped, 1, "runs of lost workers");
    const std::optional<run_record> dead = co_await trial.store().find_run(id);
    expect_equal(dead->phase, run_phase::dead, "phase");
    const event_prune none = co_await trial.service().run_events().prune(std::chrono::milliseconds{0}, 100);
    expect(none.runs == 0 && none.events == 0, "nothing is pruned");
    const event_page all = co_await trial.other().run_events().read(by.fence.run, 0, 10);
    expect_equal(event_ids_of(all), event_ids{1, 2}, "its events");
}

// One of them would use up the log of its run, and push all others out.
task<void> events_that_are_too_large_are_refused(service_store_under_test& trial)
{
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    run_event_log& log = trial.service().run_events();
    const event_log_limits limits;
    std::vector<event_draft> events(1);
    events[0].kind = std::string(store_limits::name_bytes_max + 1, 'k');
    co_await expect_error(log.append(by.fence, events, limits), errc::limit_reached, "a kind that is too long");
    events[0] = {"k", std::string(store_limits::text_bytes_max + 1, 'd')};
    co_await expect_error(log.append(by.fence, events, limits), errc::limit_reached, "an event that is too long");
    const event_page page = co_await log.read(by.fence.run, 0, 10);
    expect_equal(page.events.size(), 0, "events that were refused");
}

// A client that follows a run need not ask for each piece of text; all others are not woken by it.
task<void> events_are_announced_to_those_who_want_them(service_store_under_test& trial)
{
    store_news* const news = trial.store().news();
    if (!news) co_return;
    const holder by = co_await hold(trial.store(), thread_key{"t"});
    std::atomic<int> wanted{0};
    std::atomic<int> unwanted{0};
    const store_news::subscription all = news->subscribe(
        [&](const store_notice& notice) {
            const bool is_it = notice == store_notice{store_notice::kind::events, news->name_of(thread_key{"t"})};
            if (is_it) ++wanted;
        },
        store_news::interest::changes_and_events);
    const store_news::subscription changes = news->subscribe([&](const store_notice& notice) {
        if (notice.what == store_notice::kind::events) ++unwanted;
    });
    co_await append_all(trial, by, drafts_of("a b"), 2);
    expect_equal(wanted.load(), 1, "notices of one batch");
    checkpoint_draft draft = co_await draft_of("one");
    draft.events = drafts_of("c");
    holder writes = by;
    co_await commit(trial.store(), writes, std::move(draft));
    expect_equal(wanted.load(), 2, "notices of a checkpoint with events");
    co_await commit_body(trial.store(), writes, "two");
    write_fence late = by.fence;
    late.epoch += 1;
    const event_append refused = co_await trial.service().run_events().append(std::move(late), drafts_of("c"), {});
    expect_equal(refused.state, write_state::fenced, "another holder");
    expect_equal(wanted.load(), 2, "notices after a batch that was refused");
    expect_equal(unwanted.load(), 0, "notices for who wants changes only");
}

// A run that goes on behind a checkpoint does not tell again what led to it.
task<void> events_of_a_checkpoint_are_there_with_it_and_only_with_it(service_store_under_test& trial)
{
    holder by = co_await hold(trial.store(), thread_key{"t"});
    run_event_log& log = trial.other().run_events();
    expect(trial.store().event_log() == &trial.service().run_events(), "the log that commits append to");
    co_await append_all(trial, by, drafts_of("a"), 1);
    checkpoint_draft draft = co_await draft_of("one");
    draft.events = drafts_of("b c");
    const write_fence before = by.fence;
    co_await commit(trial.store(), by, draft);
    const event_page with = co_await log.read(by.fence.run, 0, 10);
    expect_equal(event_ids_of(with), event_ids{1, 2, 3}, "events before and of a checkpoint");
    expect_equal(with.events[2].data, "c", "the last of them");
    const commit_result stale = co_await trial.store().commit(before, draft);
    expect(stale.state != write_state::ok, "a commit behind an old head");
    // A writer whose answer was lost tries again; its events must not come twice.
    const commit_result again = co_await trial.store().commit(by.fence, draft);
    expect_equal(again.state, write_state::duplicate, "the same checkpoint again");
    write_fence late = by.fence;
    late.epoch += 1;
    checkpoint_draft next = co_await draft_of("two");
    next.events = drafts_of("d");
    next.settled = {"plan#1"};
    const commit_result fenced = co_await trial.store().commit(std::move(late), next);
    expect_equal(fenced.state, write_state::fenced, "a commit of another holder");
    const event_page same = co_await log.read(by.fence.run, 0, 10);
    expect_equal(event_ids_of(same), event_ids{1, 2, 3}, "events of commits that were refused");
    next.event_limits = {.events_max = 3, .bytes_max = 1'000};
    co_await commit(trial.store(), by, next);
    const event_page last = co_await log.read(by.fence.run, 2, 10);
    expect_equal(event_ids_of(last), event_ids{3, 4}, "a log that a commit has pruned");
    checkpoint_draft large = co_await draft_of("three");
    large.events.push_back({"k", std::string(store_limits::text_bytes_max + 1, 'd')});
    co_await expect_error(trial.store().commit(by.fence, std::move(large)), errc::limit_reached, "an event too long");
    const std::int64_t head = co_await head_of(trial.store(), thread_key{"t"});
    expect_equal(head, 2, "checkpoints");
}

constexpr std::array<service_store_check, 12> event_log_check_list{{
    WEFT_STORE_CHECK(events_are_read_in_their_order_from_anywhere),
    WEFT_STORE_CHECK(an_unknown_run_has_no_log),
    WEFT_STORE_CHECK(only_the_holder_appends_and_ids_go_on_after_it),
    WEFT_STORE_CHECK(a_log_has_bounds_and_says_what_is_gone),
    WEFT_STORE_CHECK(a_log_is_bounded_in_bytes),
    WEFT_STORE_CHECK(data_of_events_is_any_bytes),
    WEFT_STORE_CHECK(a_log_goes_with_its_thread),
    WEFT_STORE_CHECK(logs_of_runs_that_are_over_are_pruned_a_batch_at_a_time),
    WEFT_STORE_CHECK(a_log_of_a_dead_run_is_not_pruned),
    WEFT_STORE_CHECK(events_that_are_too_large_are_refused),
    WEFT_STORE_CHECK(events_are_announced_to_those_who_want_them),
    WEFT_STORE_CHECK(events_of_a_checkpoint_are_there_with_it_and_only_with_it),
}};

}  // namespace

std::span<const service_store_check> event_log_checks() { return event_log_check_list; }

}  // namespace weft::testing::store_trial
