#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "sqlite_fixture.hpp"
#include "sqlite_process.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace sqlite_crash_cases {

using namespace sqlite_tests;
namespace this_task = weft::this_task;

BOOST_AUTO_TEST_SUITE(sqlite_crash_test)

constexpr int threads = 20;
constexpr int per_thread_max = 100'000;

std::string body_of(int thread, std::int64_t sequence)
{
    return "thread " + std::to_string(thread) + " checkpoint " + std::to_string(sequence);
}

weft::thread_key name_of(int thread) { return weft::thread_key{std::to_string(thread)}; }

/** Commits for ever, and tells of each checkpoint once it was acknowledged. */
task<void> commit_and_tell(weft::checkpoint_store& store, int thread, int out)
{
    weft::write_fence fence = co_await hold(store, name_of(thread).thread);
    for (int i = 0; i < per_thread_max; ++i) {
        const std::string text = body_of(thread, fence.head + 1);
        weft::checkpoint_draft draft = draft_of(text);
        weft::blob piece{weft::hash_of(text, std::vector<weft::content_hash>{}, store.key()), text, {}};
        draft.links = {piece.hash};
        draft.blobs.push_back(std::move(piece));
        const weft::commit_result result = co_await store.commit(fence, std::move(draft));
        if (result.state != weft::write_state::ok) throw std::runtime_error{"refused"};
        fence.head = result.head;
        tell(out, thread * per_thread_max + static_cast<int>(result.head));
    }
}

task<void> commit_for_ever(weft::sqlite_options options, int out)
{
    const store_ptr store = co_await weft::sqlite_store::open(std::move(options));
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    for (int i = 0; i < threads; ++i) children.spawn(commit_and_tell(*store, i, out));
    co_await children.join();
}

/** Whether the thread's history is whole and has all that was acknowledged. */
task<void> check_thread(weft::checkpoint_store& store, int thread, int acknowledged)
{
    const weft::history_page page{.count_max = per_thread_max};
    const std::vector<weft::checkpoint_info> history = co_await store.history(name_of(thread), page);
    BOOST_TEST(static_cast<int>(history.size()) >= acknowledged);
    BOOST_TEST(static_cast<int>(history.size()) <= acknowledged + 1 + threads);
    std::int64_t expected = static_cast<std::int64_t>(history.size());
    for (const weft::checkpoint_info& info : history) {
        BOOST_TEST(info.sequence == expected);
        BOOST_TEST(info.parent == expected - 1);
        --expected;
        const auto whole = co_await store.load(name_of(thread), info.sequence);
        const std::string text = body_of(thread, info.sequence);
        BOOST_TEST((whole && whole->body == text));
        const std::vector<weft::blob> blobs = co_await store.read_blobs(name_of(thread), whole->links);
        BOOST_TEST((blobs.size() == 1U && blobs[0].bytes == text));
    }
    const auto run = co_await store.active_run(name_of(thread));
    if (run) BOOST_TEST(run->phase == weft::run_phase::ready);
}

task<void> check_file(weft::sqlite_options options, std::array<int, threads> acknowledged)
{
    options.check = weft::sqlite_check::whole;
    const store_ptr store = co_await weft::sqlite_store::open(options);
    for (int i = 0; i < threads; ++i) co_await check_thread(*store, i, acknowledged[static_cast<std::size_t>(i)]);
}

const std::array<int, 4> moments{1, 7, 50, 333};

BOOST_DATA_TEST_CASE(a_process_killed_while_it_writes_loses_nothing_that_was_acknowledged,
                     boost::unit_test::data::make(moments), kill_after)
{
    const store_file file{"crash"};
    std::array<int, threads> acknowledged{};
    const child_process writer{[&file](int out) { weft::run_blocking(commit_for_ever(file.options(), out)); }};
    const auto note = [&acknowledged](int told) {
        int& last = acknowledged[static_cast<std::size_t>(told / per_thread_max)];
        last = std::max(last, told % per_thread_max);
    };
    for (int heard = 0; heard < kill_after; ++heard) {
        const int told = writer.hear();
        BOOST_TEST_REQUIRE(told > 0);
        note(told);
    }
    writer.kill();
    for (int told = writer.hear(); told > 0; told = writer.hear()) note(told);
    weft::run_blocking(check_file(file.options(), acknowledged));
}

task<void> poison(weft::sqlite_options options, int out)
{
    const store_ptr store = co_await weft::sqlite_store::open(std::move(options));
    const weft::worker_id worker = co_await store->enter("doomed", std::chrono::hours{1});
    weft::new_run run{weft::thread_key{"t"}, weft::run_id{next_id()}};
    run.with_attempts_max(2).with_idempotency_key("once");
    static_cast<void>(co_await store->enqueue(std::move(run)));
    const auto claims = co_await store->claim(worker, 1);
    tell(out, claims.empty() ? 0 : static_cast<int>(claims[0].attempt));
    ::pause();
}

task<void> check_dead(weft::sqlite_options options)
{
    const store_ptr store = co_await weft::sqlite_store::open(std::move(options));
    const auto active = co_await store->active_run(weft::thread_key{"t"});
    BOOST_TEST(!active.has_value());
    const weft::worker_id worker = co_await store->enter("next", std::chrono::hours{1});
    const auto claims = co_await store->claim(worker, 1);
    BOOST_TEST(claims.empty());
}

BOOST_AUTO_TEST_CASE(a_run_that_kills_its_process_each_time_is_dead_when_its_attempts_are_used_up)
{
    const store_file file{"poison"};
    for (int attempt = 1; attempt <= 2; ++attempt) {
        const child_process doomed{[&file](int out) { weft::run_blocking(poison(file.options(), out)); }};
        BOOST_TEST(doomed.hear() == attempt);
        doomed.kill();
    }
    weft::run_blocking(check_dead(file.options()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sqlite_crash_cases
