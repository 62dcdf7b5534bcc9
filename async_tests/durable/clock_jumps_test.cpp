#include <boost/test/unit_test.hpp>

#include "durable_world.hpp"

#include <set>

using namespace weft_tests;
using weft::run_status;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(clock_jumps_test)

namespace {

weft::task<void> work_for_ever(weft::checkpoint_store& store, std::shared_ptr<const weft::durable_graphs> graphs)
{
    weft::durable_engine durable{store, std::move(graphs)};
    co_await durable.open();
    co_await durable.work();
}

std::vector<weft::checkpoint_info> all_checkpoints(simulation& sim, weft::checkpoint_store& store)
{
    return sim.run(store.history(weft::thread_key{"t"}, weft::history_page{.count_max = 1000}));
}

}  // namespace

BOOST_AUTO_TEST_CASE(P28_the_time_of_day_may_jump_by_hours_and_nobody_takes_a_run_over)
{
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        simulation sim{seed};
        weft::random_source random{seed};
        weft::memory_store store{test_key()};
        auto begun = std::make_shared<begun_nodes>();
        const auto graphs = graphs_of(counted_maze(begun));
        simulation::root<void> other{sim, work_for_ever(store, graphs)};
        weft::durable_options options;
        options.keep_last = 0;
        options.keep_for = std::chrono::hours{1};
        simulation::root<weft::run_result> first{sim, first_process(store, graphs, options)};
        while (!first.has_ended()) {
            const auto hours = std::chrono::hours{1 + static_cast<int>(random.below(48))};
            if (random.below(20) == 0) sim.clock().shift_time_of_day(random.below(2) == 0 ? hours : -hours);
            sim.step();
        }
        const weft::run_result result = first.take();
        BOOST_REQUIRE((result.status == run_status::finished));
        BOOST_REQUIRE(result.state.get(total) == 21);
        std::set<std::int64_t> epochs;
        for (const weft::checkpoint_info& each : all_checkpoints(sim, store)) epochs.insert(each.epoch);
        BOOST_REQUIRE_MESSAGE(epochs.size() == 1, "seed " << seed);
        int nodes = 0;
        for (const auto& [node, times] : begun->times) nodes += times;
        BOOST_REQUIRE(nodes == 33);  // none began again
    }
}

BOOST_AUTO_TEST_CASE(P28_a_machine_that_slept_for_hours_loses_its_runs_to_one_that_finishes_them)
{
    std::size_t lost = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        simulation sim{seed};
        weft::random_source random{seed};
        weft::memory_store store{test_key()};
        const auto graphs = graphs_of(counted_maze(std::make_shared<begun_nodes>()));
        weft::durable_options options;
        options.keep_last = 0;
        simulation::root<weft::run_result> sleeper{sim, first_process(store, graphs, options)};
        for (std::uint64_t i = random.below(60); i > 0 && !sleeper.has_ended(); --i) sim.step();
        sim.clock().jump_to(sim.clock().now() + std::chrono::hours{3});
        options.attempts_max = 100;
        const thread_end end = sim.run(carry_to_the_end(store, graphs, options));
        BOOST_REQUIRE_MESSAGE(end.total == 21, "seed " << seed << ": " << end.total);
        const std::vector<weft::checkpoint_info> all = all_checkpoints(sim, store);
        for (std::size_t i = 0; i + 1 < all.size(); ++i) {
            BOOST_REQUIRE(all[i].sequence == all[i + 1].sequence + 1);
            BOOST_REQUIRE(all[i].epoch >= all[i + 1].epoch);
        }
        while (!sleeper.has_ended()) sim.step();
        if (sleeper.error()) continue;  // it had not entered its run yet
        const weft::run_result result = sleeper.take();
        if (result.status == run_status::finished) continue;
        BOOST_REQUIRE_MESSAGE((result.why && result.why->code == weft::errc::thread_lost), result.message());
        ++lost;
    }
    BOOST_TEST(lost > 50u);
}

BOOST_AUTO_TEST_SUITE_END()
