#include "files.hpp"
#include "graph/run_input.hpp"
#include "thread/thread_status.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/task/task_context.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(thread_status_test)

namespace {

/** A run that ends before its first checkpoint. */
weft::task<void> add_run_without_checkpoint(weft::memory_store& store, std::string thread)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    const weft::worker_id worker = co_await store.enter("test", std::chrono::minutes{1});
    weft::new_run run{weft::thread_key{std::move(thread)}, ids.next<weft::run_id>()};
    run.started_by(worker);
    const weft::run_admission admission = co_await store.enqueue(std::move(run));
    BOOST_REQUIRE(admission.claim.has_value());
    const weft::write_fence fence = admission.claim->fence;
    weft::run_outcome outcome;
    static_cast<void>(co_await store.finish(fence, std::move(outcome)));
}

std::string refusal(weft::task<void> work)
{
    try {
        weft::run_blocking(std::move(work));
    } catch (const weft_cli::usage_error& e) {
        return e.what();
    }
    return {};
}

weft::task<void> show(weft::memory_store& store, std::string thread)
{
    const weft_cli::store_place place;
    weft::thread_key key{std::move(thread)};
    weft::task<weft::checkpoint> loading = require_checkpoint(store, place, std::move(key));
    static_cast<void>(co_await std::move(loading));
}

weft::task<void> resume(weft::memory_store& store, std::string thread)
{
    const weft_cli::store_place place;
    weft::task<int> refusing = refuse_missing_thread(store, place, std::move(thread));
    static_cast<void>(co_await std::move(refusing));
}

}  // namespace

BOOST_AUTO_TEST_CASE(W7_a_thread_without_checkpoints_is_there_and_says_what_it_lacks)
{
    weft::memory_store store;
    weft::run_blocking(add_run_without_checkpoint(store, "kept"));
    BOOST_TEST(refusal(show(store, "kept")) == "thread 'kept' has no checkpoint yet");
    BOOST_TEST(refusal(weft_cli::require_thread(store, {}, weft::thread_key{"kept"})) == "");
    BOOST_TEST(has(refusal(resume(store, "kept")), "thread 'kept' has no checkpoint to go on from"));
    BOOST_TEST(has(refusal(show(store, "kapt")), "there is no thread 'kapt'"));
    BOOST_TEST(has(refusal(resume(store, "kapt")), "did you mean 'kept'?"));
}

BOOST_AUTO_TEST_SUITE_END()
