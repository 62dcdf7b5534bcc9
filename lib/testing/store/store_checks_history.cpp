#include "store_trial.hpp"

#include <array>

namespace weft::testing::store_trial {

namespace {

std::vector<std::int64_t> numbers_of(const std::vector<checkpoint_info>& page)
{
    std::vector<std::int64_t> numbers;
    for (const checkpoint_info& each : page) numbers.push_back(each.sequence);
    return numbers;
}

task<std::vector<std::int64_t>> numbers_of_page(checkpoint_store& store, history_page page)
{
    const std::vector<checkpoint_info> found = co_await store.history(thread_key{"t"}, page);
    co_return numbers_of(found);
}

// People look back from now: a page that began at the oldest would read a long history to show its end.
task<void> history_comes_newest_first_in_pages(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const std::vector<std::int64_t> unknown = co_await numbers_of_page(store, history_page{});
    expect_equal(unknown.size(), 0, "history of an unknown thread");
    holder by = co_await hold(store, thread_key{"t"});
    const std::vector<std::int64_t> none = co_await numbers_of_page(store, history_page{});
    expect_equal(none.size(), 0, "history of a thread without checkpoints");
    for (int i = 1; i <= 7; ++i) {
        checkpoint_draft draft = co_await draft_of("body");
        draft.kind = i % 3 == 0 ? checkpoint_kind::pause : checkpoint_kind::node_complete;
        co_await commit(store, by, std::move(draft));
    }
    using numbers = std::vector<std::int64_t>;
    history_page page;
    const numbers all = co_await numbers_of_page(trial.other(), page);
    expect_equal(all, numbers{7, 6, 5, 4, 3, 2, 1}, "the whole history");
    page.count_max = 3;
    const numbers first = co_await numbers_of_page(trial.other(), page);
    expect_equal(first, numbers{7, 6, 5}, "the first page of three");
    page.before = 5;
    const numbers second = co_await numbers_of_page(trial.other(), page);
    expect_equal(second, numbers{4, 3, 2}, "the second page");
    page.before = 2;
    const numbers third = co_await numbers_of_page(trial.other(), page);
    expect_equal(third, numbers{1}, "the third page");
    page.before = 1;
    const numbers behind = co_await numbers_of_page(trial.other(), page);
    expect_equal(behind, numbers{}, "the page behind the end");
    const history_page any_pause{.kind = checkpoint_kind::pause};
    const numbers pauses = co_await numbers_of_page(trial.other(), any_pause);
    expect_equal(pauses, numbers{6, 3}, "the pauses only");
    const history_page last_pause{.before = 6, .count_max = 1, .kind = checkpoint_kind::pause};
    const numbers one = co_await numbers_of_page(trial.other(), last_pause);
    expect_equal(one, numbers{3}, "one pause before another");
    const history_page no_page{.count_max = 0};
    const numbers nothing = co_await numbers_of_page(trial.other(), no_page);
    expect_equal(nothing, numbers{}, "a page of nothing");
}

/** A thread with a checkpoint that reaches two blobs, one through the other, and one more checkpoint. */
task<holder> thread_with_blobs(checkpoint_store& store, thread_key thread, blob leaf, blob branch)
{
    holder by = co_await hold(store, std::move(thread));
    checkpoint_draft draft = co_await draft_of("with blobs");
    draft.blobs = {leaf, branch};
    draft.links = {branch.hash};
    draft.step = 12;
    draft.node = "judge";
    draft.graph = "research";
    draft.graph_hash = "abc";
    draft.label = "mine";
    co_await commit(store, by, std::move(draft));
    co_await commit_body(store, by, "without blobs");
    co_return by;
}

// The source may be pruned or dropped as soon as the fork is there, so the copy holds its blobs by itself.
task<void> a_fork_begins_with_a_copy(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const blob leaf = blob_of(store, "leaf");
    const blob branch = blob_of(store, "branch", {leaf.hash});
    const holder source = co_await thread_with_blobs(store, thread_key{"t"}, leaf, branch);
    const checkpoint_id id = co_await new_checkpoint_id();
    const bool forked = co_await trial.other().fork(thread_key{"t"}, 1, thread_key{"fork"}, id);
    expect(forked, "a fork of a checkpoint that is there");
    const std::optional<checkpoint> copy = co_await store.load(thread_key{"fork"}, std::nullopt);
    expect(copy.has_value(), "the fork has a checkpoint");
    expect_equal(copy->id, id, "id of the copy");
    expect_equal(copy->sequence, 1, "sequence of the copy");
    expect_equal(copy->parent, 0, "parent of the copy");
    expect(copy->run.is_nil(), "no run made the copy");
    const std::vector<checkpoint_info> known = co_await store.history(thread_key{"t"}, history_page{});
    expect(known.at(1).copy_of.is_nil(), "a checkpoint that a run made is no copy");
    expect_equal(copy->copy_of, known.at(1).id, "what the copy is of");
    const std::vector<checkpoint_info> listed = co_await store.history(thread_key{"fork"}, history_page{});
    expect_equal(listed.at(0).copy_of, known.at(1).id, "what the copy is of, in a list");
    expect_equal(copy->kind, checkpoint_kind::edit, "kind of the copy");
    expect_equal(copy->step, 12, "step of the copy");
    expect_equal(copy->node, "judge", "node of the copy");
    expect_equal(copy->graph, "research", "graph of the copy");
    expect_equal(copy->graph_hash, "abc", "graph hash of the copy");
    expect_equal(copy->body, "with blobs", "body of the copy");
    expect(copy->links == std::vector<content_hash>{branch.hash}, "links of the copy");
    const auto place = co_await store.find(id);
    expect(place && place->first == thread_key("fork") && place->second == 1, "the copy is found by its id");
    const std::optional<run_record> active = co_await store.active_run(thread_key{"fork"});
    expect(!active, "a fork has no run");

    holder by = co_await hold(trial.other(), thread_key{"fork"});
    expect_equal(by.fence.head, 1, "head of the first run of a fork");
    co_await commit_body(trial.other(), by, "another future");
    const std::int64_t untouched = co_await head_of(store, thread_key{"t"});
    expect_equal(untouched, 2, "head of the source after its fork went on");
    const bool dropped = co_await store.drop(source.fence.thread);
    expect(dropped, "the source can go");
    std::vector<content_hash> hashes{leaf.hash, branch.hash};
    const std::vector<blob> blobs = co_await store.read_blobs(thread_key{"fork"}, std::move(hashes));
    expect_equal(blobs.size(), 2, "blobs of a fork whose source is gone");
}

// A fork into a thread with a history would put two pasts under one name.
task<void> a_fork_takes_nothing_from_nobody(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const blob leaf = blob_of(store, "leaf");
    const blob branch = blob_of(store, "branch", {leaf.hash});
    static_cast<void>(co_await thread_with_blobs(store, thread_key{"t"}, leaf, branch));
    const checkpoint_id id = co_await new_checkpoint_id();
    const bool unknown = co_await store.fork(thread_key{"nowhere"}, 1, thread_key{"fork"}, id);
    expect(!unknown, "a fork of an unknown thread");
    const bool missing = co_await store.fork(thread_key{"t"}, 3, thread_key{"fork"}, id);
    expect(!missing, "a fork of a checkpoint that is not there");
    const bool self = co_await store.fork(thread_key{"t"}, 1, thread_key{"t"}, id);
    expect(!self, "a fork into a thread that has a history: itself");
    const bool first = co_await store.fork(thread_key{"t"}, 1, thread_key{"fork"}, id);
    expect(first, "a fork into a new thread");
    const checkpoint_id another = co_await new_checkpoint_id();
    const bool second = co_await store.fork(thread_key{"t"}, 2, thread_key{"fork"}, another);
    expect(!second, "a fork into a thread that has a history");
    const std::optional<checkpoint> kept = co_await store.load(thread_key{"fork"}, std::nullopt);
    expect(kept && kept->id == id && kept->body == "with blobs", "the first fork stands");
}

// Threads are forked by the thousand to try variants: each pays for its own checkpoint, not for the history.
task<void> a_fork_holds_no_more_than_it_reaches(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const blob leaf = blob_of(store, std::string(1'000, 'a'));
    const blob branch = blob_of(store, std::string(1'000, 'b'), {leaf.hash});
    holder by = co_await thread_with_blobs(store, thread_key{"t"}, leaf, branch);
    const blob later = blob_of(store, std::string(100'000, 'c'));
    checkpoint_draft draft = co_await draft_of("later");
    draft.blobs = {later};
    draft.links = {later.hash};
    co_await commit(store, by, std::move(draft));
    const checkpoint_id id = co_await new_checkpoint_id();
    static_cast<void>(co_await store.fork(thread_key{"t"}, 1, thread_key{"fork"}, id));
    const thread_usage usage = co_await store.usage(thread_key{"fork"});
    expect_equal(usage.checkpoints, 1, "checkpoints of a fork");
    expect_equal(usage.blobs, 2, "blobs of a fork");
    expect(usage.bytes >= 2'010 && usage.bytes < 50'000, "bytes of a fork: what its checkpoint reaches");
}

// A name is no part of what was computed, so it may change, also while a run goes on.
task<void> a_checkpoint_can_be_named(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    for (const char* body : {"one", "two"}) co_await commit_body(store, by, body);
    const bool named = co_await trial.other().label(thread_key{"t"}, 1, "before the vote");
    expect(named, "a checkpoint that is there can be named");
    const std::optional<checkpoint> first = co_await store.load(thread_key{"t"}, 1);
    expect_equal(first->label, "before the vote", "label when loaded");
    const std::vector<checkpoint_info> chain = co_await chain_of(store, thread_key{"t"});
    expect_equal(chain[0].label, "before the vote", "label in the history");
    expect_equal(chain[1].label, "", "label of another checkpoint");
    const bool unnamed = co_await store.label(thread_key{"t"}, 1, "");
    expect(unnamed, "a name can be taken away");
    const std::optional<checkpoint> again = co_await trial.other().load(thread_key{"t"}, 1);
    expect_equal(again->label, "", "label that was taken away");
    const bool missing = co_await store.label(thread_key{"t"}, 3, "x");
    const bool unknown = co_await store.label(thread_key{"nowhere"}, 1, "x");
    expect(!missing && !unknown, "what is not there cannot be named");
    co_await commit_body(store, by, "three");
}

constexpr std::array<store_check, 5> history_check_list{{
    WEFT_STORE_CHECK(history_comes_newest_first_in_pages),
    WEFT_STORE_CHECK(a_fork_begins_with_a_copy),
    WEFT_STORE_CHECK(a_fork_takes_nothing_from_nobody),
    WEFT_STORE_CHECK(a_fork_holds_no_more_than_it_reaches),
    WEFT_STORE_CHECK(a_checkpoint_can_be_named),
}};

}  // namespace

std::span<const store_check> history_checks() { return history_check_list; }

}  // namespace weft::testing::store_trial
