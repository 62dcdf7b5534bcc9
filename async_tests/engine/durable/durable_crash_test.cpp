#include <boost/test/unit_test.hpp>

#include "durable_cases.hpp"
#include "durable_processes.hpp"
#include "seed_count.hpp"

#include <weft/store/record/store_model.hpp>
#include <weft/testing/faulty_store.hpp>

#include <optional>

using namespace weft_tests;
using weft::run_status;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(durable_crash_test)

namespace {

struct world {
    explicit world(std::uint64_t seed) : sim{seed} {}

    simulation sim;
    weft::memory_store store{test_key()};
    std::shared_ptr<begun_nodes> begun = std::make_shared<begun_nodes>();
};

struct expected_end {
    std::vector<std::string> words;
    std::uint32_t steps = 0;
    std::size_t steps_of_simulation = 0;
};

expected_end undisturbed(weft::durable_options options)
{
    world w{1};
    const weft::run_result whole = w.sim.run(first_process(w.store, graphs_of(counted_maze(w.begun)), options));
    BOOST_REQUIRE((whole.status == run_status::finished));
    return {sorted_words(whole.state), whole.steps, w.sim.steps()};
}

void check_end(const expected_end& expected, const weft::run_result& result, const std::string& where)
{
    BOOST_REQUIRE_MESSAGE(result.status == run_status::finished, where << ": " << result.message());
    BOOST_REQUIRE_MESSAGE(sorted_words(result.state) == expected.words, where);
    BOOST_REQUIRE_MESSAGE(result.state.get(total) == 21, where);
    BOOST_REQUIRE_MESSAGE(result.steps == expected.steps, where << ": " << result.steps);
}

/** Every link of the history is there and follows the one before. */
void check_history(world& w, const std::string& where)
{
    const auto infos = w.sim.run(w.store.history(weft::thread_key{"t"}, weft::history_page{.count_max = 1000}));
    for (std::size_t i = 0; i + 1 < infos.size(); ++i) {
        BOOST_REQUIRE_MESSAGE(infos[i].sequence == infos[i + 1].sequence + 1, where);
        BOOST_REQUIRE_MESSAGE(infos[i].epoch >= infos[i + 1].epoch, where);
    }
}

weft::task<bool> worker_process(weft::checkpoint_store& store, std::shared_ptr<const weft::durable_graphs> graphs)
{
    weft::durable_engine durable{store, std::move(graphs), weft::durable_options{}};
    co_await durable.open();
    co_await durable.work();
    co_return true;
}

weft::durable_options keeping_all()
{
    weft::durable_options options;
    options.keep_last = 0;
    return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(X_3_P25_killed_at_every_point_a_run_ends_as_if_nothing_had_happened)
{
    const expected_end expected = undisturbed(keeping_all());
    for (std::size_t at = 0; at < expected.steps_of_simulation; at += moment_stride) {
        const std::string where = "killed after " + std::to_string(at) + " steps";
        world w{1};
        const auto graphs = graphs_of(counted_maze(w.begun));
        auto result = run_for(w.sim, first_process(w.store, graphs, keeping_all()), at);
        if (!result) result = w.sim.run(later_process(w.store, graphs, keeping_all()));
        check_end(expected, *result, where);
        check_history(w, where);
        // What was kept as completed did not begin again: at most what ran at the moment of the kill did.
        int begun = 0;
        for (const auto& [node, times] : w.begun->times) begun += times;
        BOOST_REQUIRE_MESSAGE(begun <= 33 + 5, where << ": " << begun);
    }
}

BOOST_AUTO_TEST_CASE(X_3_killed_again_and_again_over_many_seeds)
{
    const expected_end expected = undisturbed(keeping_all());
    const std::uint64_t moments = expected.steps_of_simulation;
    std::size_t killed = 0;
    for (std::uint64_t seed = 1; seed <= seed_count(1500); ++seed) {
        const std::string where = "seed " + std::to_string(seed);
        world w{seed};
        weft::random_source random{seed};
        weft::durable_options options = keeping_all();
        options.attempts_max = 1000;
        const weft::durability modes[] = {weft::durability::every_step, weft::durability::async_steps,
                                          weft::durability::on_exit};
        options.mode = modes[random.below(3)];
        options.queue_max = 1 + random.below(3);
        const auto graphs = graphs_of(counted_maze(w.begun));
        auto result = run_for(w.sim, first_process(w.store, graphs, options), random.below(moments));
        killed += result ? 0 : 1;
        for (std::uint64_t kills = random.below(4); !result && kills > 0; --kills) {
            result = run_for(w.sim, later_process(w.store, graphs, options), random.below(2 * moments));
            killed += result ? 0 : 1;
        }
        if (!result) result = w.sim.run(later_process(w.store, graphs, options));
        check_end(expected, *result, where);
        check_history(w, where);
    }
    BOOST_TEST_MESSAGE(killed << " kills at one of " << moments << " moments");
    BOOST_TEST(killed > seed_count(1500));
}

namespace {

/** Does what a process does, and counts it as dead when the store fails it. */
weft::task<std::optional<weft::run_result>> or_dead(weft::task<weft::run_result> process)
{
    std::optional<weft::run_result> result;
    try {
        result.emplace(co_await std::move(process));
    } catch (const weft::error&) {
        result.reset();
    }
    co_return result;
}

/** Whether the thread has come to its end, as the store itself knows. */
bool is_over(world& w)
{
    const weft::thread_key key{"t"};
    const auto infos = w.sim.run(w.store.history(key, weft::history_page{.count_max = 1}));
    const auto active = w.sim.run(w.store.active_run(key));
    return !active && !infos.empty() && infos.front().kind == weft::checkpoint_kind::finish;
}

}  // namespace

BOOST_AUTO_TEST_CASE(X_3_over_a_store_that_loses_delays_and_repeats_with_kills)
{
    const expected_end expected = undisturbed(keeping_all());
    std::size_t killed = 0;
    for (std::uint64_t seed = 1; seed <= seed_count(600); ++seed) {
        const std::string where = "seed " + std::to_string(seed);
        world w{seed};
        weft::random_source random{seed};
        weft::testing::store_faults faults;
        faults.lose_requests(0.05).lose_replies(0.05).deliver_late(0.03).deliver_twice(0.03).delay_up_to(20ms);
        weft::testing::faulty_store store{w.store, faults, seed};
        weft::durable_options options = keeping_all();
        options.attempts_max = 1000;
        if (random.below(3) == 0) options.mode = weft::durability::async_steps;
        const auto graphs = graphs_of(counted_maze(w.begun));
        {
            simulation::root<std::optional<weft::run_result>> first{w.sim,
                                                                    or_dead(first_process(store, graphs, options))};
            const std::uint64_t steps = random.below(4) > 0 ? random.below(150) : 100'000;
            for (std::uint64_t i = 0; i < steps && !first.has_ended(); ++i) w.sim.step();
            killed += first.has_ended() ? 0 : 1;
        }
        for (int process = 0; process < 50 && !is_over(w); ++process) {
            simulation::root<std::optional<weft::run_result>> next{w.sim,
                                                                   or_dead(later_process(store, graphs, options))};
            const std::uint64_t steps = process < 3 ? random.below(150) : 1'000'000;
            for (std::uint64_t i = 0; i < steps && !next.has_ended(); ++i) w.sim.step();
            killed += next.has_ended() ? 0 : 1;
        }
        BOOST_REQUIRE_MESSAGE(is_over(w), where);
        store.set_faults(weft::testing::store_faults{});
        check_end(expected, w.sim.run(later_process(w.store, graphs, options)), where);
        check_history(w, where);
    }
    BOOST_TEST_MESSAGE(killed << " kills");
    BOOST_TEST(killed > seed_count(200));
}

BOOST_AUTO_TEST_CASE(a_store_that_is_down_for_a_while_holds_runs_up_and_loses_none)
{
    world w{1};
    weft::testing::faulty_store store{w.store, weft::testing::store_faults{}, 1};
    const auto graphs = graphs_of(counted_chain(w.begun));
    simulation::root<weft::run_result> root{w.sim, first_process(store, graphs, keeping_all())};
    while (w.begun->times["b"] == 0) w.sim.step();
    store.set_faults(weft::testing::store_faults{}.lose_requests(1));
    const auto before = w.sim.elapsed();
    while (w.sim.elapsed() - before < 5s) w.sim.step();
    BOOST_TEST(w.begun->times["c"] == 0);
    store.set_faults(weft::testing::store_faults{});
    while (!root.has_ended()) w.sim.step();
    const weft::run_result result = root.take();
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(w.begun->times["b"] == 1);
}

BOOST_AUTO_TEST_CASE(a_store_that_stays_away_ends_the_run_before_others_take_it)
{
    world w{1};
    weft::testing::faulty_store store{w.store, weft::testing::store_faults{}, 1};
    const auto graphs = graphs_of(counted_chain(w.begun));
    simulation::root<weft::run_result> root{w.sim, first_process(store, graphs, keeping_all())};
    while (w.begun->times["b"] == 0) w.sim.step();
    store.set_faults(weft::testing::store_faults{}.lose_requests(1));
    const auto before = w.sim.elapsed();
    while (!root.has_ended()) w.sim.step();
    BOOST_TEST((w.sim.elapsed() - before < 15s));
    const weft::run_result result = root.take();
    BOOST_TEST((result.status == run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::thread_lost));
    const weft::run_result rest = w.sim.run(later_process(w.store, graphs, keeping_all()));
    BOOST_TEST(rest.state.get(total) == 3);
    BOOST_TEST(w.begun->times["a"] == 1);
}

BOOST_AUTO_TEST_CASE(on_a_best_effort_a_run_outlives_its_store)
{
    world w{1};
    weft::testing::faulty_store store{w.store, weft::testing::store_faults{}, 1};
    const auto graphs = graphs_of(counted_chain(w.begun));
    weft::durable_options options = keeping_all();
    options.is_best_effort = true;
    simulation::root<weft::run_result> root{w.sim, first_process(store, graphs, options)};
    while (w.begun->times["a"] == 0) w.sim.step();
    store.set_faults(weft::testing::store_faults{}.lose_requests(1));
    while (w.begun->times["c"] == 0) w.sim.step();
    store.set_faults(weft::testing::store_faults{});
    while (!root.has_ended()) w.sim.step();
    const weft::run_result result = root.take();
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.saves_failed == 2u);
    const auto left = w.sim.run(w.store.history(weft::thread_key{"t"}, weft::history_page{}));
    BOOST_TEST_REQUIRE(left.size() == 1u);
    BOOST_TEST((left.front().kind == weft::checkpoint_kind::finish));
}

BOOST_AUTO_TEST_CASE(P37_a_full_store_fails_the_run_and_its_last_checkpoint_stands)
{
    world w{1};
    weft::testing::faulty_store store{w.store, weft::testing::store_faults{}, 1};
    const auto graphs = graphs_of(counted_chain(w.begun));
    simulation::root<weft::run_result> root{w.sim, first_process(store, graphs, keeping_all())};
    while (w.begun->times["b"] == 0) w.sim.step();
    store.set_faults(weft::testing::store_faults{}.be_full(1));
    while (!root.has_ended()) w.sim.step();
    const weft::run_result result = root.take();
    BOOST_TEST((result.status == run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::store_full));
    BOOST_TEST(result.why->node == "b");
}

BOOST_AUTO_TEST_CASE(P37_a_run_of_a_worker_waits_until_a_full_store_has_room)
{
    world w{1};
    weft::testing::faulty_store store{w.store, weft::testing::store_faults{}, 1};
    const auto graphs = graphs_of(counted_chain(w.begun));
    {
        simulation::root<weft::run_result> left{w.sim, first_process(store, graphs, keeping_all())};
        while (w.begun->times["a"] == 0) w.sim.step();
    }
    const simulation::root<bool> worker{w.sim, worker_process(store, graphs)};
    while (w.begun->times["b"] == 0) w.sim.step();
    store.set_faults(weft::testing::store_faults{}.be_full(1));
    for (const auto room_at = w.sim.elapsed() + 5s; w.sim.elapsed() < room_at;) w.sim.step();
    BOOST_TEST(w.begun->times["c"] == 0);
    store.set_faults(weft::testing::store_faults{});
    const weft::thread_key thread{"t"};
    for (const auto late = w.sim.elapsed() + 60s; w.sim.run(w.store.active_run(thread)) && w.sim.elapsed() < late;)
        w.sim.step();
    const auto end = w.sim.run(w.store.load(thread, std::nullopt));
    BOOST_TEST_REQUIRE(end.has_value());
    BOOST_TEST((end->kind == weft::checkpoint_kind::finish));
    const auto run = w.sim.run(w.store.find_run(end->run));
    BOOST_TEST((run->phase == weft::run_phase::finished), run->message);
    BOOST_TEST(w.begun->times["b"] == 1);
    BOOST_TEST(w.begun->times["c"] == 1);
}

BOOST_AUTO_TEST_CASE(P28_a_zombie_cannot_write_and_stops_by_itself)
{
    for (std::uint64_t seed = 1; seed <= seed_count(200); ++seed) {
        world w{seed};
        const auto graphs = graphs_of(counted_maze(w.begun));
        weft::random_source random{seed};
        // The first process holds still for longer than its lifetime while a second one takes over.
        auto frozen = std::make_unique<simulation::root<weft::run_result>>(
            w.sim, first_process(w.store, graphs, keeping_all()));
        for (std::uint64_t i = random.below(300); i > 0 && !frozen->has_ended(); --i) w.sim.step();
        if (frozen->has_ended()) continue;
        const auto stolen = [](weft::checkpoint_store& store) -> weft::task<void> {
            // Another process believes that the first one is dead.
            weft::task<weft::worker_id> entering = store.enter("thief", std::chrono::milliseconds{15'000});
            static_cast<void>(co_await std::move(entering));
            weft::task<bool> dropping = store.drop(weft::thread_key{"t"});
            static_cast<void>(co_await std::move(dropping));
        };
        w.sim.run(stolen(w.store));
        while (!frozen->has_ended()) w.sim.step();
        if (frozen->error()) continue;  // it had not entered its run yet
        const weft::run_result result = frozen->take();
        BOOST_REQUIRE((result.status == run_status::failed));
        BOOST_REQUIRE_MESSAGE((result.why->code == weft::errc::thread_lost), result.message());
        const auto left = w.sim.run(w.store.history(weft::thread_key{"t"}, weft::history_page{}));
        BOOST_REQUIRE(left.empty());
    }
}

namespace {

/** Tells its process that it lives, whatever the store thinks: a process whose clock stands still. */
class deaf_store final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;
    weft::store_news* news() noexcept override { return nullptr; }
    weft::task<weft::heartbeat_report> heartbeat(weft::worker_id, std::chrono::milliseconds) override
    {
        weft::heartbeat_report report;
        report.is_alive = true;
        co_return report;
    }
};

weft::task<int> sleep_until_21_s()
{
    co_await weft::sleep_for(21s);
    co_return 0;
}

/** What becomes of a process that does not notice that its run was taken over, and of the run. */
std::pair<weft::run_result, weft::run_result> zombie_and_heir(weft::store_flaw flaw)
{
    simulation sim{1};
    weft::store_model_options how;
    how.flaw = flaw;
    weft::memory_store store{test_key(), how};
    deaf_store deaf{store};
    auto begun = std::make_shared<begun_nodes>();
    weft::graph_builder builder{"slow"};
    builder.state(value, other, total, words);
    builder.node("a", counts(begun, 10s)).node("b", counts(begun, 10s)).node("c", counts(begun, 10s));
    const auto graphs = graphs_of(builder.edge(weft::start, "a").edge("a", "b").edge("b", "c").build());
    simulation::root<weft::run_result> zombie{sim, first_process(deaf, graphs, keeping_all())};
    // The zombie was given up at 15 s, and is in its last node.
    simulation::root<int> waiting{sim, sleep_until_21_s()};
    while (!waiting.has_ended()) sim.step();
    simulation::root<std::optional<weft::run_result>> heir{sim, or_dead(later_process(store, graphs, keeping_all()))};
    while (!zombie.has_ended() || !heir.has_ended()) sim.step();
    std::optional<weft::run_result> inherited = heir.take();
    return {zombie.take(), inherited ? std::move(*inherited) : weft::run_result{}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(P28_a_zombie_that_believes_in_its_lease_is_fenced_and_its_heir_finishes)
{
    const auto [zombie, heir] = zombie_and_heir(weft::store_flaw::none);
    BOOST_TEST((zombie.status == run_status::failed));
    BOOST_TEST_REQUIRE(zombie.why);
    BOOST_TEST((zombie.why->code == weft::errc::thread_lost));
    BOOST_TEST((heir.status == run_status::finished));
    BOOST_TEST(heir.state.get(total) == 3);
}

BOOST_AUTO_TEST_CASE(without_the_fence_of_the_store_a_zombie_would_write)
{
    const auto [zombie, heir] = zombie_and_heir(weft::store_flaw::no_fence);
    BOOST_TEST((zombie.status == run_status::finished), zombie.message());  // so the test before can fail
}

BOOST_AUTO_TEST_SUITE_END()
