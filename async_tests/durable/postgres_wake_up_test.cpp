#ifdef WEFT_HAS_POSTGRES

#include "durable_world.hpp"
#include "engine/durable/durable_parking.hpp"
#include "engine/durable/durable_workers.hpp"
#include "store/postgres_fixture.hpp"

#include <weft/async/scope.hpp>

#include <optional>

namespace postgres_wake_up_test {

namespace ut = boost::unit_test;

using namespace weft_tests;
using namespace weft_tests::parking_cases;
using weft::thread_key;

/** Two stores on one schema, as two processes have them. */
struct two_processes {
    two_processes() : options{options_on(shared_postgres_server(), fresh.schema())} {}

    fresh_names fresh;
    weft::postgres_options options;
    std::unique_ptr<weft::postgres_store> one = open_store(options);
    std::unique_ptr<weft::postgres_store> two = open_store(options);
};

/** Without news it would sleep for an hour, and show that it lives each ten seconds. */
weft::durable_options asleep()
{
    weft::durable_options options;
    options.poll_every = 1h;
    options.lifetime = 60s;
    options.heartbeat_every = 10s;
    options.park_for = 1h;
    return options;
}

weft::task<void> until_complete(weft::checkpoint_store& store)
{
    for (int i = 0; i < 1'000 && !store.news()->is_complete(); ++i) co_await weft::sleep_for(10ms);
    BOOST_TEST_REQUIRE(store.news()->is_complete());
}

/** Waits for what has to happen soon. @return  How long that took. */
template <class Happened>
weft::task<std::chrono::nanoseconds> until(Happened happened)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point begin = loop.now();
    while (!happened() && loop.now() - begin < 20s) co_await weft::sleep_for(1ms);
    co_return loop.now() - begin;
}

weft::task<void> queue_elsewhere(weft::checkpoint_store& here, weft::checkpoint_store& there)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::durable_engine worker{there, graphs_of(counted_chain(begun)), asleep()};
    co_await worker.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(work(worker));
    co_await until_complete(there);
    co_await weft::sleep_for(50ms);
    static_cast<void>(co_await here.enqueue(some_run("t", *context.loop)));
    const auto took = co_await until([&] { return begun->times["c"] == 1; });
    BOOST_TEST((took < 5s));
    co_await worker.drain();
    co_await children.join();
}

BOOST_AUTO_TEST_SUITE(postgres_wake_up_test, *ut::precondition(has_postgres))

BOOST_FIXTURE_TEST_CASE(a_run_that_one_process_queues_begins_in_another_at_once, two_processes)
{
    weft::run_blocking(queue_elsewhere(*one, *two));
}

weft::task<void> stop_elsewhere(weft::checkpoint_store& here, weft::checkpoint_store& there)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::graph_builder builder{"slow"};
    builder.state(value, other, total, words).node("a", counts(begun, 100s)).edge(weft::start, "a");
    const auto graphs = graphs_of(builder.edge("a", weft::end).build());
    weft::durable_engine holder{there, graphs, asleep()};
    weft::durable_engine asker{here, graphs, asleep()};
    co_await holder.open();
    co_await asker.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::string end;
    weft::scope children{context};
    children.spawn(tell_end_of(holder, in_thread("t"), end));
    co_await until_complete(there);
    static_cast<void>(co_await until([&] { return begun->times["a"] == 1; }));
    const bool was_active = co_await asker.stop(thread_key{"t"});
    BOOST_TEST(was_active);
    const auto took = co_await until([&] { return !end.empty(); });
    BOOST_TEST((took < 5s));
    BOOST_TEST(end.starts_with("cancelled"), end);
    co_await children.join();
}

BOOST_FIXTURE_TEST_CASE(a_stop_reaches_a_run_of_another_process_before_its_next_heartbeat, two_processes)
{
    weft::run_blocking(stop_elsewhere(*one, *two));
}

weft::task<void> answer_elsewhere(weft::checkpoint_store& here, weft::checkpoint_store& there)
{
    auto at = std::make_shared<diary>();
    weft::durable_engine holder{there, graphs_of(one_asks(at)), asleep()};
    weft::durable_engine asker{here, graphs_of(one_asks(at)), asleep()};
    co_await holder.open();
    co_await asker.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(holder, parked_in("t"), result));
    co_await until_complete(there);
    std::vector<weft::open_question> open;
    const thread_key key{"t"};
    for (int i = 0; i < 1'000 && open.empty(); ++i) {
        co_await weft::sleep_for(10ms);
        open = co_await asker.questions(key);
    }
    co_await answer_all(asker, "t", "Ada");
    const auto took = co_await until([&] { return result.has_value(); });
    BOOST_TEST((took < 5s));
    co_await children.join();
    BOOST_TEST(words_of(result) == "x:Ada:1");
}

BOOST_FIXTURE_TEST_CASE(an_answer_reaches_a_parked_run_of_another_process_at_once, two_processes)
{
    weft::run_blocking(answer_elsewhere(*one, *two));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_wake_up_test

#endif
