#ifdef WEFT_HAS_POSTGRES

#include "durable_world.hpp"
#include "store/postgres_fixture.hpp"

#include <weft/async/scope.hpp>

#include <atomic>
#include <thread>

namespace postgres_engine_test {

namespace ut = boost::unit_test;

using namespace weft_tests;
using weft::run_status;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(postgres_engine_test, *ut::precondition(has_postgres))

constexpr std::int64_t rounds = 30;

/** Goes round 30 times, 10 ms each, and counts for other OS threads. */
std::shared_ptr<const weft::durable_graphs> long_graph(std::shared_ptr<std::atomic<int>> begun)
{
    weft::graph_builder builder{"long"};
    builder.state(total, words);
    builder.node("go", [begun](weft::node_context& at) {
        ++*begun;
        at.set(total, 1);
        return sleep_node(at, 10ms);
    });
    builder.edge(weft::start, "go");
    builder.edge_when("go", "go", [](const weft::state_view& at) { return at.value_or(total, 0) < rounds; });
    return graphs_of(builder.edge("go", weft::end).build());
}

weft::durable_options watchful()
{
    weft::durable_options options;
    options.heartbeat_every = 50ms;
    options.poll_every = 50ms;
    options.keep_last = 0;
    return options;
}

BOOST_AUTO_TEST_CASE(a_server_that_crashes_in_the_middle_of_a_run_holds_it_up_and_loses_nothing)
{
    postgres_server::options synced;
    synced.is_synced = true;
    postgres_server server{synced};
    fresh_names fresh;
    const std::string schema = fresh.schema();
    const auto store = open_store(options_on(server, schema));
    auto begun = std::make_shared<std::atomic<int>>(0);
    weft::run_result result;
    // Longer than a busy machine takes to start a server.
    weft::durable_options patient = watchful();
    patient.lifetime = 120s;
    // The server dies with the OS thread that starts it, so the run has the other one.
    std::thread running{[&] { result = weft::run_blocking(first_process(*store, long_graph(begun), patient)); }};
    for (const int when : {5, 15}) {
        while (*begun < when) static_cast<void>(server.query("SELECT 1"));
        server.restart_immediately();
    }
    running.join();
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(result.state.get(total) == rounds);
    BOOST_TEST(*begun == rounds);
    BOOST_TEST(server.query("SELECT count(*) = max(seq) FROM " + schema + ".checkpoint") == "t");
}

namespace {

weft::task<void> run_into(weft::durable_engine& with, std::optional<weft::run_result>& result, std::string& refused)
{
    try {
        result.emplace(co_await with.run(in_thread("t")));
    } catch (const weft::error& e) {
        refused = e.what();
    }
}

weft::task<void> race(weft::checkpoint_store& one, weft::checkpoint_store& two)
{
    auto begun = std::make_shared<std::atomic<int>>(0);
    weft::durable_engine first{one, long_graph(begun), watchful()};
    weft::durable_engine second{two, long_graph(begun), watchful()};
    co_await first.open();
    co_await second.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> results[2];
    std::string refused[2];
    weft::scope both{context};
    both.spawn(run_into(first, results[0], refused[0]));
    both.spawn(run_into(second, results[1], refused[1]));
    co_await both.join();
    const std::size_t winner = results[0] ? 0 : 1;
    BOOST_TEST_REQUIRE(results[winner].has_value());
    BOOST_TEST((results[winner]->status == run_status::finished));
    BOOST_TEST(!results[1 - winner].has_value());
    const weft::worker_id holder = (winner == 0 ? first : second).worker();
    const std::string& words = refused[1 - winner];
    BOOST_TEST(words.find("thread 't'") != std::string::npos, words);
    BOOST_TEST(words.find("under way at worker " + std::to_string(holder) + ";") != std::string::npos, words);
    BOOST_TEST(*begun == rounds);
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_two_processes_that_race_for_a_thread_one_wins_and_the_other_is_told_who_has_it)
{
    fresh_names fresh;
    const weft::postgres_options options = options_on(shared_postgres_server(), fresh.schema());
    const auto one = open_store(options);
    const auto two = open_store(options);
    weft::run_blocking(race(*one, *two));
}

namespace {

weft::task<void> haunt(weft::checkpoint_store& one, weft::checkpoint_store& two)
{
    deaf_store deaf{one};
    auto begun = std::make_shared<begun_nodes>();
    weft::graph_builder builder{"slow"};
    builder.state(value, other, total, words);
    // However slow the machine is: the zombie comes to the end of its node when the heir is at it.
    const auto until_the_heir_is_there = [begun](weft::node_context& ctx) -> weft::task<void> {
        const bool is_of_zombie = begun->times["a"] == 0;
        co_await counted_node(ctx, begun, 10ms);
        while (is_of_zombie && begun->times["a"] < 2) co_await weft::sleep_for(5ms);
    };
    builder.node("a", until_the_heir_is_there).node("b", counts(begun, 10ms));
    const auto graphs = graphs_of(builder.edge(weft::start, "a").edge("a", "b").build());
    weft::durable_options options = watchful();
    options.lifetime = 300ms;
    weft::durable_engine zombie{deaf, graphs, options};
    co_await zombie.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    std::string refused;
    weft::scope old{context};
    old.spawn(run_into(zombie, result, refused));
    co_await weft::sleep_for(500ms);
    options.lifetime = 5s;
    const thread_end end = co_await carry_to_the_end(two, graphs, options);
    co_await old.join();
    BOOST_TEST(end.total == 2);
    BOOST_TEST_REQUIRE(result.has_value());
    BOOST_TEST((result->status == run_status::failed));
    BOOST_TEST((result->why && result->why->code == weft::errc::thread_lost), result->message());
    BOOST_TEST(begun->times["b"] == 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(P28_a_zombie_that_believes_in_its_lease_writes_nothing_and_its_heir_finishes)
{
    fresh_names fresh;
    const weft::postgres_options options = options_on(shared_postgres_server(), fresh.schema());
    const auto one = open_store(options);
    const auto two = open_store(options);
    weft::run_blocking(haunt(*one, *two));
}

namespace {

weft::task<void> signal_from_elsewhere(weft::checkpoint_store& here, weft::checkpoint_store& there, bool stops)
{
    auto begun = std::make_shared<std::atomic<int>>(0);
    weft::durable_engine runs{here, long_graph(begun), watchful()};
    weft::durable_engine asks{there, long_graph(begun), watchful()};
    co_await runs.open();
    co_await asks.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    std::string refused;
    weft::scope running{context};
    running.spawn(run_into(runs, result, refused));
    while (*begun < 3) co_await weft::sleep_for(1ms);
    const thread_key key{"t"};
    weft::task<bool> asking = stops ? asks.stop(key) : asks.pause(key);
    const bool was_there = co_await std::move(asking);
    BOOST_TEST(was_there);
    co_await running.join();
    BOOST_TEST_REQUIRE(result.has_value());
    BOOST_TEST((result->status == (stops ? run_status::cancelled : run_status::paused)), result->message());
    BOOST_TEST(result->state.get(total) < rounds);
    // Another process goes on with it.
    const weft::run_result end = co_await asks.run(in_thread("t"));
    BOOST_TEST((end.status == run_status::finished), end.message());
    BOOST_TEST(end.state.get(total) == rounds);
    BOOST_TEST(*begun <= rounds + 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_6_a_run_is_paused_and_stopped_by_its_thread_from_another_process)
{
    for (const bool stops : {false, true}) {
        fresh_names fresh;
        const weft::postgres_options options = options_on(shared_postgres_server(), fresh.schema());
        const auto here = open_store(options);
        const auto there = open_store(options);
        weft::run_blocking(signal_from_elsewhere(*here, *there, stops));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_engine_test

#endif
