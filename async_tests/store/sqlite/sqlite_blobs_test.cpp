#include <boost/test/unit_test.hpp>

#include "store/sqlite_fixture.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>

#include <map>
#include <set>
#include <vector>

namespace sqlite_blobs_cases {

using namespace sqlite_tests;
using weft::content_hash;

BOOST_AUTO_TEST_SUITE(sqlite_blobs_test)

namespace {

constexpr int commits = 40;
constexpr int blobs_of_commit = 5;
const std::vector<std::string> threads{"one", "other"};

std::string text_of(const std::string& thread, int commit, int number)
{
    return thread + ' ' + std::to_string(commit) + ' ' + std::to_string(number);
}

weft::blob blob_of(const weft::sqlite_store& store, std::string text)
{
    return {weft::hash_of(text, std::vector<content_hash>{}, store.key()), text, {}};
}

/** Threads that run at once: each has a checkpoint with some blobs in its turn. */
task<void> write_in_turns(weft::sqlite_options options, std::map<std::string, weft::write_fence>& fences, int first)
{
    const store_ptr store = co_await weft::sqlite_store::open(std::move(options));
    for (const std::string& thread : threads) {
        weft::write_fence fence = co_await hold(*store, thread);
        fences[thread] = std::move(fence);
    }
    for (int i = first; i < first + commits; ++i) {
        for (const std::string& thread : threads) {
            weft::checkpoint_draft draft = draft_of("body");
            for (int each = 0; each < blobs_of_commit; ++each)
                draft.blobs.push_back(blob_of(*store, text_of(thread, i, each)));
            for (const weft::blob& each : draft.blobs) draft.links.push_back(each.hash);
            const weft::commit_result done = co_await store->commit(fences[thread], std::move(draft));
            BOOST_TEST(done.state == weft::write_state::ok);
            fences[thread].head = done.head;
        }
    }
    for (const std::string& thread : threads) {
        const weft::write_state done = co_await store->finish(fences[thread], weft::run_outcome{});
        BOOST_TEST(done == weft::write_state::ok);
    }
}

/** Every third of what was written until now. */
task<void> read_some(weft::sqlite_options options, int written)
{
    const store_ptr store = co_await weft::sqlite_store::open(std::move(options));
    for (const std::string& thread : threads) {
        std::map<content_hash, std::string> wanted;
        std::vector<content_hash> hashes;
        for (int i = 0; i < written * blobs_of_commit; i += 3) {
            const weft::blob each = blob_of(*store, text_of(thread, i / blobs_of_commit, i % blobs_of_commit));
            wanted[each.hash] = each.bytes;
            hashes.push_back(each.hash);
        }
        const std::vector<weft::blob> came = co_await store->read_blobs(weft::thread_key{thread}, std::move(hashes));
        for (const weft::blob& each : came) {
            BOOST_TEST(each.bytes.starts_with(thread + ' '));
            const auto asked = wanted.find(each.hash);
            if (asked == wanted.end()) continue;
            BOOST_TEST(each.bytes == asked->second);
            wanted.erase(asked);
        }
        BOOST_TEST(wanted.empty());
    }
}

/** Counts what a store gives ahead. */
class ahead_count final : public weft::blob_receiver {
public:
    void take(weft::blob_pack pack) override
    {
        ++packs;
        for (std::size_t i = 0; i < pack.size(); ++i) given.insert(pack[i].hash);
    }
    int packs = 0;
    std::set<content_hash> given;
};

/** Writes 200 blobs of 2 kB, all but two of the first ten with a blob that links to the eighth and to all behind it. */
task<void> write_and_look_ahead(weft::sqlite_options options)
{
    const store_ptr store = co_await weft::sqlite_store::open(std::move(options));
    weft::write_fence fence = co_await hold(*store, "t");
    weft::checkpoint_draft draft = draft_of("body");
    std::vector<content_hash> hashes;
    for (int i = 0; i < 200; ++i) {
        draft.blobs.push_back(blob_of(*store, text_of("t", i, 0) + std::string(2'000, '.')));
        hashes.push_back(draft.blobs.back().hash);
    }
    const std::vector<content_hash> needed{hashes.begin() + 8, hashes.end()};
    draft.blobs.push_back({weft::hash_of("node", needed, store->key()), "node", needed});
    draft.links = {hashes.front(), draft.blobs.back().hash};
    std::vector<content_hash> roots = draft.links;
    const weft::commit_result done = co_await store->commit(fence, std::move(draft));
    BOOST_TEST(done.state == weft::write_state::ok);
    ahead_count came;
    co_await store->read_ahead(weft::thread_key{"t"}, roots, 210, came);
    BOOST_TEST(came.packs > 3);
    BOOST_TEST(came.given.size() == 194u);
    for (const content_hash& hash : needed) BOOST_TEST(came.given.contains(hash));
    // Few are likely: it ends soon.
    ahead_count few;
    co_await store->read_ahead(weft::thread_key{"t"}, roots, 10, few);
    BOOST_TEST(few.given.size() > 10u);
    BOOST_TEST(few.given.size() < 50u);
    ahead_count none;
    co_await store->read_ahead(weft::thread_key{"unknown"}, roots, 210, none);
    BOOST_TEST(none.given.empty());
}

task<void> write_and_read(weft::sqlite_store& store, std::string thread)
{
    weft::write_fence fence = co_await hold(store, thread);
    std::vector<content_hash> hashes;
    for (int i = 0; i < commits; ++i) {
        weft::checkpoint_draft draft = draft_of("body");
        for (int each = 0; each < blobs_of_commit; ++each)
            draft.blobs.push_back(blob_of(store, text_of(thread, i, each)));
        for (const weft::blob& each : draft.blobs) hashes.push_back(each.hash);
        draft.links = hashes;
        const weft::commit_result done = co_await store.commit(fence, std::move(draft));
        fence.head = done.head;
    }
    std::set<content_hash> missing{hashes.begin(), hashes.end()};
    const std::vector<weft::blob> came = co_await store.read_blobs(weft::thread_key{thread}, std::move(hashes));
    for (const weft::blob& each : came) missing.erase(each.hash);
    BOOST_TEST(missing.empty());
}

task<void> write_at_once(weft::sqlite_store& store, std::string kind)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope runs{context};
    for (int i = 0; i < 48; ++i) runs.spawn(write_and_read(store, kind + ' ' + std::to_string(i)));
    co_await runs.join();
}

task<void> write_many_at_once(weft::sqlite_options options)
{
    const store_ptr store = co_await weft::sqlite_store::open(std::move(options));
    co_await write_at_once(*store, "thread");
}

/** Beside another program, which takes the number behind all others. */
task<void> write_many_twice(const store_file& file)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    co_await write_at_once(*store, "thread");
    foreign_connection{file.path()}.run("INSERT INTO blob SELECT max(no) + 1, 0, x'00', x'00', x'00' FROM blob");
    co_await write_at_once(*store, "later");
}

}  // namespace

BOOST_AUTO_TEST_CASE(threads_that_are_written_at_once_have_their_blobs_wherever_these_lie)
{
    const store_file file{"crowd"};
    weft::run_blocking(write_many_at_once(file.options()));
}

BOOST_AUTO_TEST_CASE(what_a_reader_needs_comes_ahead_from_the_first_that_it_leads_to)
{
    const store_file file{"ahead"};
    weft::run_blocking(write_and_look_ahead(file.options()));
}

BOOST_AUTO_TEST_CASE(what_is_numbered_as_it_comes_is_behind_all_others_in_each_transaction)
{
    const store_file file{"numbers"};
    weft::run_blocking(write_many_twice(file));
    foreign_connection{file.path()}.run("CREATE TEMP TABLE holds (it INTEGER CHECK (it = 1));"
                                        "INSERT INTO holds SELECT count(*) = 19201 FROM blob;"
                                        "INSERT INTO holds SELECT max(no) > (1 << 62) FROM blob;");
}

BOOST_AUTO_TEST_CASE(what_a_thread_needs_lies_side_by_side_and_what_an_older_weft_wrote_is_found)
{
    const store_file file{"blobs"};
    std::map<std::string, weft::write_fence> fences;
    weft::run_blocking(write_in_turns(file.options(), fences, 0));
    weft::run_blocking(read_some(file.options(), commits));
    // An assertion in the file: a row that does not hold is refused.
    foreign_connection{file.path()}.run("CREATE TEMP TABLE holds (it INTEGER CHECK (it = 1));"
                                        "INSERT INTO holds SELECT max(no) - min(no) + 1 = count(*) FROM blob "
                                        "GROUP BY thread;"
                                        "INSERT INTO holds SELECT count(*) = 400 FROM blob;");

    // One number after another across all threads, in any order of time, as by a weft that knows nothing of this.
    foreign_connection{file.path()}.run("UPDATE blob SET no = (SELECT count(*) FROM blob b WHERE b.hash <= blob.hash)");
    weft::run_blocking(read_some(file.options(), commits));
    weft::run_blocking(write_in_turns(file.options(), fences, commits));
    weft::run_blocking(read_some(file.options(), 2 * commits));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sqlite_blobs_cases
