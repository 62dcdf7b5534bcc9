#include "store_trial.hpp"

#include <array>

namespace weft::testing::store_trial {

namespace {

using numbers = std::vector<std::int64_t>;

task<numbers> numbers_left(checkpoint_store& store)
{
    numbers left;
    for (const checkpoint_info& each : co_await chain_of(store, thread_key{"t"})) left.push_back(each.sequence);
    co_return left;
}

/** Commits a checkpoint with a blob of its own behind another one, and the blob `shared`. */
task<void> commit_with_blobs(checkpoint_store& store, holder& by, blob shared)
{
    const std::string name = std::to_string(by.fence.head + 1);
    const blob leaf = blob_of(store, "leaf of " + name);
    const blob branch = blob_of(store, "branch of " + name, {leaf.hash, shared.hash});
    checkpoint_draft draft = co_await draft_of("body of " + name);
    draft.blobs = {leaf, branch, shared};
    draft.links = {branch.hash};
    co_await commit(store, by, std::move(draft));
}

// A checkpoint is small because it refers to blobs of those before it: pruning these must not take the blobs along.
task<void> the_last_checkpoints_stay_with_all_they_reach(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    const blob shared = blob_of(store, "shared by all");
    for (int i = 0; i < 6; ++i) co_await commit_with_blobs(store, by, shared);
    const thread_usage before = co_await store.usage(thread_key{"t"});
    expect_equal(before.blobs, 13, "blobs before");
    const retention last_two{.keep_last = 2};
    const prune_report report = co_await trial.other().prune(thread_key{"t"}, last_two);
    expect_equal(report.checkpoints, 4, "checkpoints that went");
    expect_equal(report.blobs, 8, "blobs that went");
    const numbers left = co_await numbers_left(store);
    expect_equal(left, numbers{5, 6}, "checkpoints that stayed");
    const thread_usage after = co_await store.usage(thread_key{"t"});
    expect_equal(after.checkpoints, 2, "checkpoints after");
    expect_equal(after.blobs, 5, "blobs after: two leaves, two branches, and what they share");
    expect_equal(before.bytes - after.bytes, report.bytes, "bytes that went");

    const blob leaf = blob_of(store, "leaf of 5");
    const blob branch = blob_of(store, "branch of 5", {leaf.hash, shared.hash});
    std::vector<content_hash> needed{branch.hash, leaf.hash, shared.hash};
    const std::vector<blob> came = co_await store.read_blobs(thread_key{"t"}, std::move(needed));
    expect_equal(came.size(), 3, "blobs of a checkpoint that stayed");
    const blob gone = blob_of(store, "leaf of 4");
    std::vector<content_hash> pruned{gone.hash};
    co_await expect_error(store.read_blobs(thread_key{"t"}, std::move(pruned)), errc::store_corrupt,
                          "a blob that went");
    const std::optional<checkpoint> missing = co_await store.load(thread_key{"t"}, 4);
    expect(!missing, "a checkpoint that went cannot be loaded");
    co_await commit_with_blobs(store, by, shared);
    const std::int64_t head = co_await head_of(store, thread_key{"t"});
    expect_equal(head, 7, "numbers go on after checkpoints went");
}

// The newest checkpoint, labels and open questions: a thread can go on after whatever retention it was given.
task<void> what_is_needed_is_never_pruned(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    const blob shared = blob_of(store, "shared by all");
    for (int i = 0; i < 3; ++i) co_await commit_with_blobs(store, by, shared);
    const question_record question{"a#1/q#0", "{}"};
    static_cast<void>(co_await store.ask(by.fence, question));
    for (int i = 0; i < 3; ++i) co_await commit_with_blobs(store, by, shared);
    static_cast<void>(co_await store.label(thread_key{"t"}, 1, "mine"));
    const checkpoint_id id = co_await new_checkpoint_id();
    static_cast<void>(co_await store.fork(thread_key{"t"}, 2, thread_key{"fork"}, id));

    const retention nothing_more{.keep_last = 0};
    const prune_report none = co_await store.prune(thread_key{"t"}, nothing_more);
    expect_equal(none.checkpoints, 2, "checkpoints that went");
    const numbers left = co_await numbers_left(store);
    expect_equal(left, numbers{1, 2, 3, 6}, "the named, the forked from, the one open to a question, the newest");
    const thread_usage usage = co_await store.usage(thread_key{"t"});
    expect_equal(usage.blobs, 9, "blobs that stayed");

    static_cast<void>(co_await store.label(thread_key{"t"}, 1, ""));
    checkpoint_draft draft = co_await draft_of("settles");
    draft.settled = {"a#1"};
    co_await commit(store, by, std::move(draft));
    const retention last{.keep_last = 1};
    static_cast<void>(co_await store.prune(thread_key{"t"}, last));
    const numbers after = co_await numbers_left(store);
    expect_equal(after, numbers{2, 7}, "what stays when the name is gone and the question is settled");
    const prune_report again = co_await store.prune(thread_key{"t"}, last);
    expect_equal(again.checkpoints + again.blobs + again.bytes, 0, "what a second time finds");
}

// What the law says about age does not ask how many there are.
task<void> old_checkpoints_go_even_among_the_last(store_under_test& trial)
{
    using namespace std::chrono_literals;
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    const wall_time begin{std::chrono::hours{24 * 365 * 40}};
    for (int i = 1; i <= 6; ++i) {
        checkpoint_draft draft = co_await draft_of("body");
        draft.at = begin + i * 1min;
        co_await commit(store, by, std::move(draft));
    }
    retention what{.keep_last = 5, .older_than = begin + 4min};
    static_cast<void>(co_await store.prune(thread_key{"t"}, what));
    const numbers left = co_await numbers_left(store);
    expect_equal(left, numbers{4, 5, 6}, "checkpoints that are old enough to stay");
    what = {.keep_last = 2, .older_than = begin};
    static_cast<void>(co_await store.prune(thread_key{"t"}, what));
    const numbers last = co_await numbers_left(store);
    expect_equal(last, numbers{5, 6}, "checkpoints that are young, but not among the last");
    what.older_than = begin + 1h;
    static_cast<void>(co_await store.prune(thread_key{"t"}, what));
    const numbers newest = co_await numbers_left(store);
    expect_equal(newest, numbers{6}, "the newest stays however old it is");
    const prune_report unknown = co_await store.prune(thread_key{"nowhere"}, retention{});
    expect_equal(unknown.checkpoints, 0, "checkpoints of an unknown thread that went");
}

// This is how a person is forgotten: nothing may stay behind, and no other thread may lose anything.
task<void> a_dropped_thread_is_gone_and_nothing_else(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const bool unknown = co_await store.drop(thread_key{"t"});
    expect(!unknown, "an unknown thread cannot be dropped");
    holder by = co_await hold(store, thread_key{"t"});
    holder other = co_await hold(store, thread_key{"t", "another tenant"});
    const blob shared = blob_of(store, "in both threads");
    co_await commit_with_blobs(store, by, shared);
    co_await commit_with_blobs(store, other, shared);
    const effect_record effect{"a#1", effect_phase::intended, "", "{}"};
    static_cast<void>(co_await store.record(by.fence, effect));
    const question_record question{"a#1", "{}"};
    static_cast<void>(co_await store.ask(by.fence, question));
    const std::optional<checkpoint> newest = co_await store.load(thread_key{"t"}, std::nullopt);
    const run_id queued = co_await new_run_id();
    new_run behind{thread_key{"t"}, queued};
    behind.on_busy(busy_policy::queue).with_idempotency_key("k");
    static_cast<void>(co_await store.enqueue(std::move(behind)));

    const bool dropped = co_await trial.other().drop(thread_key{"t"});
    expect(dropped, "a thread that is there");
    const std::int64_t head = co_await head_of(store, thread_key{"t"});
    expect_equal(head, 0, "head of a dropped thread");
    const auto place = co_await store.find(newest->id);
    expect(!place, "its checkpoints are found nowhere");
    const std::vector<effect_record> effects = co_await store.effects(thread_key{"t"});
    const std::vector<question_record> questions = co_await store.questions(thread_key{"t"});
    expect_equal(effects.size() + questions.size(), 0, "its effects and questions");
    const thread_usage usage = co_await store.usage(thread_key{"t"});
    expect_equal(usage.checkpoints + usage.blobs + usage.bytes, 0, "what the store holds of it");
    for (const run_id id : {by.fence.run, queued}) {
        const std::optional<run_record> record = co_await store.find_run(id);
        expect(!record, "its runs are forgotten");
    }
    const std::vector<run_claim> claims = co_await store.claim(by.worker, 10);
    expect_equal(claims.size(), 0, "claims of its runs");
    std::vector<thread_summary> listed = co_await store.threads("", "", 10);
    expect_equal(listed.size(), 0, "threads in the list");
    const bool twice = co_await store.drop(thread_key{"t"});
    expect(!twice, "a dropped thread cannot be dropped again");
    co_await commit_with_blobs(store, other, shared);
    const thread_usage kept = co_await store.usage(other.fence.thread);
    expect_equal(kept.checkpoints, 2, "checkpoints of another tenant's thread of this name");
}

// Quotas are counted by it: what costs nothing here has no limit.
task<void> usage_grows_with_what_is_written(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const thread_usage none = co_await store.usage(thread_key{"t"});
    expect_equal(none.checkpoints + none.blobs + none.bytes, 0, "usage of an unknown thread");
    holder by = co_await hold(store, thread_key{"t"});
    checkpoint_draft draft = co_await draft_of(std::string(1'000, 'b'));
    const blob large = blob_of(store, std::string(10'000, 'x'));
    draft.blobs = {large};
    draft.links = {large.hash};
    co_await commit(store, by, std::move(draft));
    const thread_usage one = co_await trial.other().usage(thread_key{"t"});
    expect_equal(one.checkpoints, 1, "checkpoints");
    expect_equal(one.blobs, 1, "blobs");
    expect(one.bytes >= 11'000 && one.bytes < 22'000, "bytes of a body and a blob");
    const effect_record effect{"a#1", effect_phase::done, "", "\"" + std::string(5'000, 'e') + "\""};
    static_cast<void>(co_await store.record(by.fence, effect));
    const question_record question{"a#2", "\"" + std::string(7'000, 'q') + "\""};
    static_cast<void>(co_await store.ask(by.fence, question));
    const thread_usage more = co_await store.usage(thread_key{"t"});
    expect(more.bytes >= one.bytes + 12'000, "bytes of an effect and a question");
    checkpoint_draft settling = co_await draft_of("b");
    settling.settled = {"a#1", "a#2"};
    co_await commit(store, by, std::move(settling));
    const thread_usage less = co_await store.usage(thread_key{"t"});
    expect(less.bytes <= one.bytes + 1'000, "bytes when they are settled");
}

// Names are the only order that does not change while pages are read.
task<void> threads_come_by_name_in_pages(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const std::vector<thread_summary> none = co_await store.threads("a", "", 10);
    expect_equal(none.size(), 0, "threads of an unknown tenant");
    holder busy;
    for (const char* name : {"t10", "T1", "t1", "t2"}) {
        holder by = co_await hold(store, thread_key{name, "a"});
        co_await commit_body(store, by, "one");
        busy = by;
    }
    for (const char* name : {"t10", "T1", "t1"}) {
        const std::optional<run_record> active = co_await store.active_run(thread_key{name, "a"});
        const write_fence fence{active->thread, active->id, active->epoch, 1};
        static_cast<void>(co_await store.finish(fence, run_outcome{}));
    }
    static_cast<void>(co_await hold(store, thread_key{"t1", "b"}));
    std::vector<std::string> came;
    std::string after;
    for (int i = 0; i < 10; ++i) {
        const std::vector<thread_summary> page = co_await trial.other().threads("a", after, 3);
        if (page.empty()) break;
        expect(page.size() <= 3, "a page has at most as many as asked for");
        for (const thread_summary& each : page) {
            came.push_back(each.thread.thread);
            expect_equal(each.thread.tenant, "a", "tenant of a thread in a list");
            expect_equal(each.head, 1, "head of a thread in a list");
            expect(each.changed != wall_time{}, "the moment of its last change is known");
            const bool is_busy = each.active.has_value();
            expect_equal(is_busy, each.thread == busy.fence.thread, "whether a thread in a list has an active run");
            expect(!is_busy || *each.active == busy.fence.run, "the active run of a thread in a list");
        }
        after = page.back().thread.thread;
    }
    const std::vector<std::string> wanted = {"T1", "t1", "t10", "t2"};
    expect_equal(came, wanted, "threads in the order of their names, byte by byte");
}

constexpr std::array<store_check, 6> housekeeping_check_list{{
    WEFT_STORE_CHECK(the_last_checkpoints_stay_with_all_they_reach),
    WEFT_STORE_CHECK(what_is_needed_is_never_pruned),
    WEFT_STORE_CHECK(old_checkpoints_go_even_among_the_last),
    WEFT_STORE_CHECK(a_dropped_thread_is_gone_and_nothing_else),
    WEFT_STORE_CHECK(usage_grows_with_what_is_written),
    WEFT_STORE_CHECK(threads_come_by_name_in_pages),
}};

}  // namespace

std::span<const store_check> housekeeping_checks() { return housekeeping_check_list; }

}  // namespace weft::testing::store_trial
