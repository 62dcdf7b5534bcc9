#include "store_trial.hpp"

#include <algorithm>
#include <array>

namespace weft::testing::store_trial {

namespace {

void expect_same(const checkpoint_info& came, const checkpoint_draft& draft, const holder& by)
{
    expect_equal(came.id, draft.id, "id");
    expect_equal(came.sequence, by.fence.head, "sequence");
    expect_equal(came.parent, by.fence.head - 1, "parent");
    expect_equal(came.run, by.fence.run, "run");
    expect_equal(came.epoch, by.fence.epoch, "epoch");
    expect_equal(came.kind, draft.kind, "kind");
    expect_equal(came.step, draft.step, "step");
    expect_equal(came.node, draft.node, "node");
    expect_equal(came.graph, draft.graph, "graph");
    expect_equal(came.graph_hash, draft.graph_hash, "graph hash");
    expect_equal(came.label, draft.label, "label");
    expect_equal(came.at, draft.at, "moment");
}

// By the other connection: what only the writer can read is not stored.
task<void> a_checkpoint_comes_back_as_it_was_written(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t", "tenant"});
    for (const checkpoint_kind kind :
         {checkpoint_kind::node_start, checkpoint_kind::node_complete, checkpoint_kind::pause, checkpoint_kind::cancel,
          checkpoint_kind::finish, checkpoint_kind::edit}) {
        checkpoint_draft draft = co_await draft_of("body of " + std::string{name_of(kind)});
        const blob first = blob_of(store, "first of " + std::string{name_of(kind)});
        const blob second = blob_of(store, "second of " + std::string{name_of(kind)});
        draft.kind = kind;
        draft.step = 5'000'000'000 + static_cast<std::uint64_t>(by.fence.head);
        draft.node = "plan/judge";
        draft.graph = "research";
        draft.graph_hash = "0123456789abcdef";
        draft.label = "before the vote";
        draft.links = {second.hash, first.hash, second.hash};
        draft.blobs = {first, second};
        co_await commit(store, by, draft);

        const std::optional<checkpoint> came = co_await trial.other().load(by.fence.thread, by.fence.head);
        expect(came.has_value(), "a checkpoint that was committed is there");
        expect_same(*came, draft, by);
        expect_equal(came->body, draft.body, "body");
        expect(came->links == draft.links, "links keep their order and their repetitions");
        const std::size_t bytes = draft.body.size() + first.bytes.size() + second.bytes.size();
        expect(came->bytes >= bytes && came->bytes <= bytes + 3 * trial.overhead_max(), "bytes of body and blobs");
        const history_page page{.count_max = 1};
        const std::vector<checkpoint_info> listed = co_await trial.other().history(by.fence.thread, page);
        expect_equal(listed.size(), 1, "page of one");
        expect_same(listed[0], draft, by);
        expect_equal(listed[0].bytes, came->bytes, "bytes in the history");
    }
}

// A run that goes on wants the newest, a person who looks back one by its number.
task<void> the_newest_is_loaded_unless_a_number_is_given(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    const std::optional<checkpoint> none = co_await trial.other().load(thread_key{"t"}, std::nullopt);
    expect(!none, "a thread without checkpoints has no newest one");
    for (const char* body : {"one", "two", "three"}) co_await commit_body(store, by, body);
    const std::optional<checkpoint> newest = co_await trial.other().load(thread_key{"t"}, std::nullopt);
    expect(newest && newest->body == "three", "the newest checkpoint without a number");
    const std::optional<checkpoint> second = co_await trial.other().load(thread_key{"t"}, 2);
    expect(second && second->body == "two", "time travel: an older checkpoint by its number");
    for (const std::int64_t sequence : {-1, 0, 4}) {
        const std::optional<checkpoint> missing = co_await store.load(thread_key{"t"}, sequence);
        expect(!missing, "there is no checkpoint " + std::to_string(sequence));
    }
    const std::optional<checkpoint> foreign = co_await store.load(thread_key{"t", "another tenant"}, 1);
    expect(!foreign, "another tenant's thread of this name has no checkpoints");
}

// Ids are what clients and logs have; they do not say the thread.
task<void> a_checkpoint_is_found_by_its_id(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t", "tenant"});
    co_await commit_body(store, by, "one");
    checkpoint_draft draft = co_await draft_of("two");
    const checkpoint_id id = draft.id;
    co_await commit(store, by, std::move(draft));
    const auto place = co_await trial.other().find(id);
    expect(place.has_value(), "a checkpoint is found by its id");
    expect(place->first == thread_key("t", "tenant"), "its thread");
    expect_equal(place->second, 2, "its number");
    const checkpoint_id unknown = co_await new_checkpoint_id();
    const auto nowhere = co_await store.find(unknown);
    expect(!nowhere, "an unknown id is found nowhere");
}

// Checkpoints share what they have in common, which only works if the content is exactly the same.
task<void> blobs_come_back_by_their_hash(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    expect(store.key() == trial.other().key(), "all handles of a store have one hash key");
    const blob leaf = blob_of(store, "leaf");
    const blob empty = blob_of(store, "");
    const blob branch = blob_of(store, "branch", {leaf.hash, empty.hash, leaf.hash});
    checkpoint_draft draft = co_await draft_of("one");
    draft.blobs = {leaf, empty, branch};
    draft.links = {branch.hash};
    co_await commit(store, by, std::move(draft));
    std::vector<content_hash> hashes{branch.hash, empty.hash, leaf.hash};
    const std::vector<blob> came = co_await trial.other().read_blobs(thread_key{"t"}, std::move(hashes));
    expect_equal(came.size(), 3, "blobs");
    for (const blob& wanted : {leaf, empty, branch}) {
        const auto found =
            std::find_if(came.begin(), came.end(), [&](const blob& each) { return each.hash == wanted.hash; });
        expect(found != came.end(), "the blob '" + wanted.bytes + "' came");
        expect_equal(found->bytes, wanted.bytes, "bytes of a blob");
        expect(found->links == wanted.links, "links of a blob keep their order and their repetitions");
    }
    const std::vector<blob> none = co_await store.read_blobs(thread_key{"t"}, std::vector<content_hash>{});
    expect_equal(none.size(), 0, "blobs of no hashes");
}

/** Takes what a store gives ahead, and looks at it. */
class ahead_check final : public blob_receiver {
public:
    ahead_check(const checkpoint_store& store, std::string_view begin) : store_{store}, begin_{begin} {}
    void take(blob_pack pack) override
    {
        for (std::size_t i = 0; i < pack.size(); ++i) {
            const blob_pack::entry one = pack[i];
            expect(hash_of(one.bytes, one.links, store_.key()) == one.hash, "a blob ahead is what its hash says");
            expect(one.bytes.starts_with(begin_), "a blob ahead is of the thread");
        }
    }

private:
    const checkpoint_store& store_;
    const std::string_view begin_;
};

// A store may find many of them in another way than few: threads that are written side by side, long and short blobs,
// those that were asked for in another order than they came, and those that lie between them.
task<void> many_blobs_come_back_from_among_others(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const std::vector<thread_key> threads{thread_key{"t"}, thread_key{"u"}};
    std::vector<holder> holders;
    for (const thread_key& thread : threads) {
        holder by = co_await hold(store, thread);
        holders.push_back(std::move(by));
    }
    std::vector<content_hash> hashes;
    for (std::size_t i = 0; i < 20; ++i) {
        holder& by = holders[i % 2];
        checkpoint_draft draft = co_await draft_of("one");
        for (std::size_t each = 0; each < 40; ++each) {
            const std::string text = by.fence.thread.thread + std::to_string(i) + " " + std::to_string(each);
            const blob made = blob_of(store, text + std::string(each % 13 == 0 ? 20'000 : each * 7, '.'));
            draft.links.push_back(made.hash);
            draft.blobs.push_back(made);
            if (i % 2 == 0 && each % 2 == 0) hashes.push_back(made.hash);
        }
        co_await commit(store, by, std::move(draft));
    }
    for (const bool is_reversed : {false, true}) {
        if (is_reversed) std::reverse(hashes.begin(), hashes.end());
        std::vector<content_hash> asked = hashes;
        asked.push_back(hashes.front());
        const std::vector<blob> came = co_await trial.other().read_blobs(threads[0], std::move(asked));
        std::size_t found = 0;
        for (const blob& each : came) {
            found += std::find(hashes.begin(), hashes.end(), each.hash) == hashes.end() ? 0 : 1;
            expect(blob_of(store, each.bytes).hash == each.hash, "the bytes of the blob");
            expect_equal(each.bytes.substr(0, 1), "t", "the thread of the blob");
        }
        expect_equal(found, hashes.size(), "what was asked for, once each");
    }
    ahead_check ahead{store, "t"};
    co_await trial.other().read_ahead(threads[0], hashes, hashes.size(), ahead);
    co_await expect_error(store.read_blobs(threads[1], hashes), errc::store_corrupt, "blobs of another thread");
    hashes.push_back(blob_of(store, "never written").hash);
    co_await expect_error(store.read_blobs(threads[0], std::move(hashes)), errc::store_corrupt,
                          "one of many that was never written");
}

// A run must not go on with less state than it had.
task<void> a_missing_blob_is_an_error_that_says_so(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t", "a"});
    const blob known = blob_of(store, "known");
    const blob missing = blob_of(store, "missing");
    checkpoint_draft draft = co_await draft_of("one");
    draft.blobs = {known};
    draft.links = {known.hash};
    co_await commit(store, by, std::move(draft));
    std::vector<content_hash> hashes{known.hash, missing.hash};
    co_await expect_error(store.read_blobs(thread_key{"t", "a"}, std::move(hashes)), errc::store_corrupt,
                          "a blob that was never written");
    static_cast<void>(co_await hold(store, thread_key{"t", "b"}));
    std::vector<content_hash> same{known.hash};
    co_await expect_error(store.read_blobs(thread_key{"t", "b"}, same), errc::store_corrupt,
                          "a blob of another tenant's thread");
    co_await expect_error(store.read_blobs(thread_key{"u", "a"}, same), errc::store_corrupt,
                          "a blob of another thread");
}

// A long conversation is written once, however many checkpoints have it.
task<void> a_blob_is_stored_once(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    const blob shared = blob_of(store, std::string(10'000, 'x'));
    for (int i = 0; i < 20; ++i) {
        checkpoint_draft draft = co_await draft_of("a");
        draft.links = {shared.hash};
        draft.blobs = {shared};
        if (i == 0) draft.blobs.push_back(shared);  // also twice in one commit
        if (i > 15) draft.blobs.clear();            // and not at all where the thread has it
        co_await commit(store, by, std::move(draft));
    }
    const thread_usage usage = co_await trial.other().usage(thread_key{"t"});
    expect_equal(usage.checkpoints, 20, "checkpoints");
    expect_equal(usage.blobs, 1, "blobs");
    expect(usage.bytes >= 10'020 && usage.bytes < 20'000, "twenty checkpoints hold the bytes of a blob once");
}

// A crash behind the commit must find the blobs of blobs as well, though they were written before it.
task<void> a_commit_settles_what_it_names_and_all_below(store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    holder by = co_await hold(store, thread_key{"t"});
    holder other = co_await hold(store, thread_key{"u"});
    const std::vector<std::string> stay = {"plan#10", "plan#1x", "plan", "pl_n#1", "%", "plan#2/charge#0"};
    for (const char* address : {"plan#1", "plan#1/charge#0", "plan#1/a/b", "%/x", "%"}) {
        const effect_record effect{address, effect_phase::intended, "", "{}"};
        static_cast<void>(co_await store.record(by.fence, effect));
        static_cast<void>(co_await store.record(other.fence, effect));
        const question_record question{address, "{}"};
        static_cast<void>(co_await store.ask(by.fence, question));
    }
    for (const std::string& address : stay) {
        const effect_record effect{address, effect_phase::intended, "", "{}"};
        static_cast<void>(co_await store.record(by.fence, effect));
        const question_record question{address, "{}"};
        static_cast<void>(co_await store.ask(by.fence, question));
    }
    checkpoint_draft draft = co_await draft_of("one");
    draft.settled = {"plan#1", "%/x", "p%", "nothing here"};
    co_await commit(store, by, std::move(draft));

    std::vector<std::string> wanted = stay;
    std::sort(wanted.begin(), wanted.end());
    std::vector<std::string> left;
    for (const effect_record& each : co_await trial.other().effects(thread_key{"t"})) left.push_back(each.address);
    expect_equal(left, wanted, "effects that are not settled");
    left.clear();
    for (const question_record& each : co_await trial.other().questions(thread_key{"t"})) left.push_back(each.address);
    std::sort(left.begin(), left.end());
    expect_equal(left, wanted, "questions that are not settled");
    const std::vector<effect_record> foreign = co_await store.effects(thread_key{"u"});
    expect_equal(foreign.size(), 5, "effects of another thread");
}

constexpr std::array<store_check, 8> checkpoint_check_list{{
    WEFT_STORE_CHECK(a_checkpoint_comes_back_as_it_was_written),
    WEFT_STORE_CHECK(the_newest_is_loaded_unless_a_number_is_given),
    WEFT_STORE_CHECK(a_checkpoint_is_found_by_its_id),
    WEFT_STORE_CHECK(blobs_come_back_by_their_hash),
    WEFT_STORE_CHECK(many_blobs_come_back_from_among_others),
    WEFT_STORE_CHECK(a_missing_blob_is_an_error_that_says_so),
    WEFT_STORE_CHECK(a_blob_is_stored_once),
    WEFT_STORE_CHECK(a_commit_settles_what_it_names_and_all_below),
}};

}  // namespace

std::span<const store_check> checkpoint_checks() { return checkpoint_check_list; }

}  // namespace weft::testing::store_trial
