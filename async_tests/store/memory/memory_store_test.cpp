#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/base/error.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/record/store_model.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/simulation/suspension_points.hpp>
#include <weft/testing/store_conformance.hpp>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(memory_store_test)

namespace {

using namespace std::chrono_literals;
using weft::errc;
using weft::task;
using weft::write_state;
namespace testing = weft::testing;
namespace this_task = weft::this_task;

class memory_trial final : public testing::store_under_test {
public:
    weft::checkpoint_store& store() override { return store_; }

private:
    weft::memory_store store_{weft::hash_key{}};
};

task<void> check_fresh(testing::store_check check)
{
    memory_trial trial;
    co_await check.run(trial);
}

task<weft::unique_id> some_id()
{
    weft::serial_loop& loop = co_await this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    co_return ids.next();
}

task<weft::write_fence> hold(weft::checkpoint_store& store, std::string thread)
{
    const weft::unique_id id = co_await some_id();
    const weft::worker_id worker = co_await store.enter("a worker", 1h);
    weft::new_run run{weft::thread_key{std::move(thread)}, weft::run_id{id}};
    run.started_by(worker);
    const weft::run_admission admission = co_await store.enqueue(std::move(run));
    co_return admission.claim->fence;
}

task<write_state> commit(weft::checkpoint_store& store, weft::write_fence& fence, std::string body)
{
    const weft::unique_id id = co_await some_id();
    weft::checkpoint_draft draft;
    draft.id = weft::checkpoint_id{id};
    draft.body = std::move(body);
    const weft::commit_result result = co_await store.commit(fence, std::move(draft));
    fence.head = result.head;
    co_return result.state;
}

}  // namespace

BOOST_DATA_TEST_CASE(it_keeps_every_promise_of_stores, boost::unit_test::data::make(testing::store_checks()), check)
{
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        testing::simulation sim{seed};
        sim.run(check_fresh(check));
    }
}

class memory_service_trial final : public testing::service_store_under_test {
public:
    weft::checkpoint_store& store() override { return store_; }
    weft::service_store& service() override { return store_.service(); }

private:
    weft::memory_store store_;
};

weft::task<void> check_service(testing::service_store_check check)
{
    memory_service_trial trial;
    co_await check.run(trial);
}

BOOST_DATA_TEST_CASE(it_keeps_every_promise_of_service_stores,
                     boost::unit_test::data::make(testing::service_store_checks()), check)
{
    testing::simulation sim{1};
    sim.run(check_service(check));
}

BOOST_DATA_TEST_CASE(a_check_can_be_torn_down_anywhere, boost::unit_test::data::make(testing::store_checks()), check)
{
    testing::suspension_options few;
    few.points_max = 20;
    const auto make = [check] { return check_fresh(check); };
    BOOST_TEST(testing::torn_down_at_every_suspension_point(make, few) > 0U);
}

namespace {

task<void> write_on_its_own(weft::memory_store& store, std::string thread, std::atomic<int>& written)
{
    weft::write_fence fence = co_await hold(store, std::move(thread));
    for (int i = 0; i < 200; ++i) {
        const write_state state = co_await commit(store, fence, std::to_string(i));
        if (state == write_state::ok) ++written;
    }
}

task<void> race(weft::memory_store& store, weft::write_fence fence, std::atomic<int>& written)
{
    for (int i = 0; i < 200; ++i) {
        const write_state state = co_await commit(store, fence, std::to_string(i));
        if (state == write_state::ok) ++written;
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(loops_of_several_os_threads_share_it)
{
    weft::memory_store store;
    std::atomic<int> alone{0};
    std::atomic<int> racing{0};
    const weft::write_fence shared = weft::run_blocking(hold(store, "shared"));
    std::vector<std::thread> loops;
    for (int i = 0; i < 4; ++i) {
        loops.emplace_back([&, i] {
            weft::run_blocking(write_on_its_own(store, "t" + std::to_string(i), alone));
            weft::run_blocking(race(store, shared, racing));
        });
    }
    for (std::thread& each : loops) each.join();
    BOOST_TEST(alone == 800);
    const weft::store_model end = store.snapshot();
    BOOST_TEST(end.usage(weft::thread_key{"shared"}).checkpoints == static_cast<std::uint64_t>(racing));
    for (int i = 0; i < 4; ++i)
        BOOST_TEST(end.usage(weft::thread_key{"t" + std::to_string(i)}).checkpoints == 200U);
}

namespace {

task<errc> error_of(task<write_state> work)
{
    try {
        static_cast<void>(co_await std::move(work));
    } catch (const weft::error& e) {
        co_return e.code();
    }
    co_return errc{};
}

task<void> fill_it_up()
{
    weft::memory_store store{weft::hash_key{}, weft::store_model_options{.bytes_max = 10'000}};
    weft::write_fence fence = co_await hold(store, "t");
    for (int i = 0; i < 4; ++i) {
        const write_state state = co_await commit(store, fence, std::string(2'000, 'x'));
        BOOST_TEST((state == write_state::ok));
    }
    const errc full = co_await error_of(commit(store, fence, std::string(2'001, 'x')));
    BOOST_TEST((full == errc::store_full));
    const weft::effect_record effect{"a", weft::effect_phase::done, "", std::string(2'001, 'x')};
    const errc also_full = co_await error_of(store.record(fence, effect));
    BOOST_TEST((also_full == errc::store_full));
    const std::optional<weft::checkpoint> newest = co_await store.load(weft::thread_key{"t"}, std::nullopt);
    BOOST_TEST(newest->sequence == 4);
    const weft::retention last{.keep_last = 1};
    static_cast<void>(co_await store.prune(weft::thread_key{"t"}, last));
    fence.head = 4;
    const write_state after = co_await commit(store, fence, std::string(2'001, 'x'));
    BOOST_TEST((after == write_state::ok));
    const bool dropped = co_await store.drop(weft::thread_key{"t"});
    BOOST_TEST(dropped);
    weft::write_fence next = co_await hold(store, "u");
    const write_state large = co_await commit(store, next, std::string(10'000, 'x'));
    BOOST_TEST((large == write_state::ok));
}

task<void> count_turns(int& turns)
{
    for (;;) {
        co_await weft::yield_now();
        ++turns;
    }
}

task<void> read_many_blobs(int& turns)
{
    constexpr std::size_t count = 1'000;
    weft::memory_store store;
    weft::write_fence fence = co_await hold(store, "t");
    const weft::unique_id id = co_await some_id();
    weft::checkpoint_draft draft;
    draft.id = weft::checkpoint_id{id};
    for (std::size_t i = 0; i < count; ++i) {
        std::string bytes = std::to_string(i);
        const weft::content_hash name = weft::hash_of(bytes, {}, store.key());
        draft.blobs.push_back({name, std::move(bytes), {}});
        draft.links.push_back(name);
    }
    std::vector<weft::content_hash> hashes = draft.links;
    hashes.push_back(hashes.front());  // twice, and given once
    static_cast<void>(co_await store.commit(fence, std::move(draft)));
    const int before = turns;
    const std::vector<weft::blob> came = co_await store.read_blobs(weft::thread_key{"t"}, std::move(hashes));
    turns -= before;
    BOOST_TEST_REQUIRE(came.size() == count);
    for (std::size_t i = 0; i < count; ++i) BOOST_TEST(came[i].bytes == std::to_string(i));
}

task<void> end_many_runs()
{
    weft::memory_store store{weft::hash_key{}, weft::store_model_options{.ended_runs_max = 3}};
    std::vector<weft::run_id> runs;
    for (int i = 0; i < 10; ++i) {
        const weft::write_fence fence = co_await hold(store, "t");
        static_cast<void>(co_await store.finish(fence, weft::run_outcome{}));
        runs.push_back(fence.run);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::optional<weft::run_record> record = co_await store.find_run(runs[i]);
        BOOST_TEST(record.has_value() == (i >= 7));
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_full_store_refuses_writes_until_there_is_space)
{
    testing::simulation sim{1};
    sim.run(fill_it_up());
}

BOOST_AUTO_TEST_CASE(many_blobs_are_read_in_pieces_between_which_others_have_their_turn)
{
    int all = 0;  // a seed decides who is next
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        testing::simulation sim{seed};
        int turns = 0;
        const testing::simulation::root counting{sim, count_turns(turns)};
        sim.run(read_many_blobs(turns));
        all += turns;
    }
    BOOST_TEST(all >= 10);
}

BOOST_AUTO_TEST_CASE(the_last_runs_that_are_over_are_remembered)
{
    testing::simulation sim{1};
    sim.run(end_many_runs());
}

BOOST_AUTO_TEST_SUITE_END()
