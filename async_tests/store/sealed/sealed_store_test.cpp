#include "store/sealed_parts.hpp"

#include <weft/base/error.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/sealed_store.hpp>
#include <weft/testing/async_test_case.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/store_conformance.hpp>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <vector>

BOOST_AUTO_TEST_SUITE(sealed_store_test)

using weft::blob;
using weft::checkpoint;
using weft::checkpoint_draft;
using weft::checkpoint_store;
using weft::content_hash;
using weft::errc;
using weft::error;
using weft::memory_store;
using weft::sealed_store;
using weft::task;
using weft::thread_key;
using weft::worker_id;
using weft::write_fence;
using weft::write_state;
using weft_tests::cipher_of;
namespace testing = weft::testing;

namespace {

std::vector<testing::store_check> all_checks()
{
    const auto checks = testing::store_checks();
    return {checks.begin(), checks.end()};
}

class sealed_trial final : public testing::store_under_test {
public:
    weft::checkpoint_store& store() override { return store_; }
    weft::checkpoint_store& other() override { return other_; }
    std::size_t overhead_max() const override { return 100; }

private:
    std::shared_ptr<memory_store> inner_ = std::make_shared<memory_store>(weft::hash_key{});
    sealed_store store_{inner_, cipher_of('k')};
    sealed_store other_{inner_, cipher_of('k')};  // as another process with the same keys sees it
};

task<void> check_fresh(testing::store_check check)
{
    sealed_trial trial;
    co_await check.run(trial);
}

constexpr const char* secret_words = "the patient's name is Ann";

/** Makes a thread with everything in it that holds words. @return The hash of its blob. */
task<content_hash> fill(checkpoint_store& store, thread_key thread)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    const worker_id worker = co_await store.enter("worker", std::chrono::seconds{10});
    weft::new_run run{thread, ids.next<weft::run_id>()};
    run.graph_named("g").with_input(secret_words).started_by(worker);
    const weft::run_admission admission = co_await store.enqueue(std::move(run));
    write_fence fence = admission.claim->fence;

    blob words;
    words.bytes = secret_words;
    words.hash = weft::hash_of(words.bytes, words.links, store.key());
    checkpoint_draft draft;
    draft.id = ids.next<weft::checkpoint_id>();
    draft.body = secret_words;
    draft.links.push_back(words.hash);
    draft.blobs.push_back(words);
    const weft::commit_result committed = co_await store.commit(fence, std::move(draft));
    fence.head = committed.head;
    const weft::effect_record effect{"a#1/charge#0", weft::effect_phase::done, "key", secret_words};
    co_await store.record(fence, effect);
    const weft::question_record question{"a#1/?0", secret_words};
    co_await store.ask(fence, question);
    co_await store.answer(thread, "a#1/?0", secret_words);
    const weft::run_outcome outcome{weft::run_phase::waiting, secret_words};
    co_await store.finish(fence, outcome);
    co_return words.hash;
}

/** All texts that a store gives out of a thread. */
task<std::vector<std::string>> texts_in(checkpoint_store& store, thread_key thread)
{
    std::vector<std::string> texts;
    const std::optional<checkpoint> newest = co_await store.load(thread, std::nullopt);
    texts.push_back(newest->body);
    const std::vector<blob> blobs = co_await store.read_blobs(thread, newest->links);
    for (const blob& one : blobs) texts.push_back(one.bytes);
    const std::vector<weft::effect_record> effects = co_await store.effects(thread);
    for (const weft::effect_record& one : effects) texts.push_back(one.body);
    const std::vector<weft::question_record> questions = co_await store.questions(thread);
    for (const weft::question_record& one : questions) {
        texts.push_back(one.question);
        texts.push_back(one.answer);
    }
    const std::optional<weft::run_record> run = co_await store.active_run(thread);
    texts.push_back(run->input);
    texts.push_back(run->message);
    co_return texts;
}

task<errc> code_of_reading(checkpoint_store& store, thread_key thread)
{
    try {
        co_await texts_in(store, std::move(thread));
    } catch (const error& e) {
        co_return e.code();
    }
    co_return errc{};
}

}  // namespace

BOOST_DATA_TEST_CASE(it_keeps_every_promise_of_stores, boost::unit_test::data::make(all_checks()), check)
{
    testing::simulation sim{1};
    BOOST_CHECK_NO_THROW(sim.run(check_fresh(check)));
}

WEFT_ASYNC_TEST_CASE(what_the_store_below_holds_tells_nothing)
{
    const auto inner = std::make_shared<memory_store>(weft::hash_key{});
    sealed_store store{inner, cipher_of('k')};
    const thread_key thread{"t-1", "acme"};
    co_await fill(store, thread);
    const std::vector<std::string> opened = co_await texts_in(store, thread);
    BOOST_TEST(opened.size() == 7u);
    for (const std::string& text : opened) BOOST_TEST(text == secret_words);
    const std::vector<std::string> held = co_await texts_in(*inner, thread);
    BOOST_TEST(held.size() == 7u);
    for (const std::string& text : held)
        for (const char* word : {"patient", "name", "Ann"}) BOOST_TEST(text.find(word) == std::string::npos);
}

WEFT_ASYNC_TEST_CASE(equal_texts_of_two_threads_look_different_below)
{
    const auto inner = std::make_shared<memory_store>(weft::hash_key{});
    sealed_store store{inner, cipher_of('k')};
    const thread_key one{"t-1"};
    const thread_key two{"t-2"};
    const content_hash hash = co_await fill(store, one);
    const content_hash same = co_await fill(store, two);
    BOOST_TEST((hash == same));
    const std::optional<checkpoint> first = co_await inner->load(one, std::nullopt);
    const std::optional<checkpoint> second = co_await inner->load(two, std::nullopt);
    BOOST_TEST((first->links[0] != second->links[0]));
    BOOST_TEST((first->links[0] != hash));
    BOOST_TEST((first->body.substr(0, 16) != second->body.substr(0, 16)));
}

WEFT_ASYNC_TEST_CASE(without_the_key_nothing_is_read)
{
    const auto inner = std::make_shared<memory_store>(weft::hash_key{});
    sealed_store store{inner, cipher_of('k')};
    const thread_key thread{"t-1"};
    co_await fill(store, thread);
    sealed_store foreign{inner, cipher_of('x')};
    const errc code = co_await code_of_reading(foreign, thread);
    BOOST_TEST((code == errc::store_corrupt));
}

WEFT_ASYNC_TEST_CASE(a_store_that_was_not_sealed_is_refused_by_name)
{
    const auto inner = std::make_shared<memory_store>(weft::hash_key{});
    const thread_key thread{"t-1"};
    co_await fill(*inner, thread);
    sealed_store store{inner, cipher_of('k')};
    std::string why;
    try {
        co_await store.effects(thread);
    } catch (const error& e) {
        why = e.what();
    }
    BOOST_TEST(why.find("t-1/a#1/charge#0") != std::string::npos);
    const errc code = co_await code_of_reading(store, thread);
    BOOST_TEST((code == errc::store_corrupt));
}

WEFT_ASYNC_TEST_CASE(after_a_rotation_old_threads_go_on)
{
    const auto inner = std::make_shared<memory_store>(weft::hash_key{});
    const thread_key thread{"t-1"};
    {
        sealed_store before{inner, cipher_of('a')};
        co_await fill(before, thread);
    }
    weft::sealing_keys keys{weft_tests::secret_of('a')};
    keys.rotate_to("2", weft_tests::secret_of('b'));
    sealed_store after{inner, weft::make_aes_gcm_cipher(keys)};
    const std::vector<std::string> opened = co_await texts_in(after, thread);
    for (const std::string& text : opened) BOOST_TEST(text == secret_words);
    const thread_key next{"t-2"};
    co_await fill(after, next);
    sealed_store before{inner, cipher_of('a')};
    const errc code = co_await code_of_reading(before, next);
    BOOST_TEST((code == errc::store_corrupt));
}

WEFT_ASYNC_TEST_CASE(a_fork_shares_its_blobs_and_a_third_process_can_go_on_with_it)
{
    const auto inner = std::make_shared<memory_store>(weft::hash_key{});
    sealed_store store{inner, cipher_of('k')};
    const thread_key from{"t-1"};
    const thread_key to{"t-2"};
    const content_hash shared = co_await fill(store, from);
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    const bool is_forked = co_await store.fork(from, 1, to, ids.next<weft::checkpoint_id>());
    BOOST_REQUIRE(is_forked);

    sealed_store process{inner, cipher_of('k')};
    const worker_id worker = co_await process.enter("worker", std::chrono::seconds{10});
    weft::new_run run{to, ids.next<weft::run_id>()};
    run.started_by(worker);
    const weft::run_admission admission = co_await process.enqueue(std::move(run));
    BOOST_REQUIRE(admission.claim);
    checkpoint_draft draft;
    draft.id = ids.next<weft::checkpoint_id>();
    draft.body = "second";
    draft.links.push_back(shared);  // without its blob: the thread has it
    const weft::commit_result committed = co_await process.commit(admission.claim->fence, std::move(draft));
    BOOST_TEST((committed.state == write_state::ok));
    co_await store.drop(from);
    const std::optional<checkpoint> newest = co_await store.load(to, std::nullopt);
    BOOST_REQUIRE(newest);
    BOOST_TEST(newest->body == "second");
    const std::vector<blob> blobs = co_await store.read_blobs(to, newest->links);
    BOOST_REQUIRE(blobs.size() == 1u);
    BOOST_TEST(blobs[0].bytes == secret_words);
    BOOST_TEST((blobs[0].hash == shared));
}

WEFT_ASYNC_TEST_CASE(a_thread_that_another_process_began_anew_is_read_all_the_same)
{
    const auto inner = std::make_shared<memory_store>(weft::hash_key{});
    sealed_store mine{inner, cipher_of('k')};
    sealed_store theirs{inner, cipher_of('k')};
    const thread_key origin{"t-0"};
    const thread_key thread{"t-1"};
    const content_hash hash = co_await fill(mine, origin);
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    co_await mine.fork(origin, 1, thread, ids.next<weft::checkpoint_id>());
    std::vector<content_hash> hashes(1, hash);
    const std::vector<blob> forked = co_await mine.read_blobs(thread, hashes);
    BOOST_TEST(forked.size() == 1u);
    co_await theirs.drop(thread);
    co_await fill(theirs, thread);
    const std::vector<blob> anew = co_await mine.read_blobs(thread, hashes);
    BOOST_REQUIRE(anew.size() == 1u);
    BOOST_TEST(anew[0].bytes == secret_words);
}

BOOST_AUTO_TEST_SUITE_END()
