#include <weft/testing/async_test_case.hpp>

#include "durable_parking.hpp"
#include "durable_workers.hpp"
#include "silent_store.hpp"

#include <weft/async/scope.hpp>

#include <optional>

using namespace weft_tests;
using weft::run_phase;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(durable_news_test)

using namespace weft_tests::parking_cases;

namespace {

/** Without news it would sleep for an hour. */
weft::durable_options sleepy()
{
    weft::durable_options options;
    options.poll_every = 1h;
    options.park_for = 24h;
    return options;
}

/** A graph that is at one node for this span. */
auto one_slow_node(std::shared_ptr<begun_nodes> begun, std::chrono::nanoseconds span)
{
    weft::graph_builder builder{"slow"};
    builder.state(value, other, total, words).node("a", counts(begun, span)).edge(weft::start, "a");
    return graphs_of(builder.edge("a", weft::end).build());
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_run_that_was_only_entered_begins_at_once_in_another_engine)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine worker{store, graphs_of(counted_chain(begun)), sleepy()};
    co_await worker.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(work(worker));
    co_await weft::sleep_for(10s);
    static_cast<void>(co_await store.enqueue(some_run("t", *context.loop)));
    co_await weft::sleep_for(1s);
    BOOST_TEST(begun->times["c"] == 1);
    static_cast<void>(co_await store.enqueue(some_run("u", *context.loop)));
    static_cast<void>(co_await store.enqueue(some_run("v", *context.loop)));
    co_await weft::sleep_for(1s);
    BOOST_TEST(begun->times["c"] == 3);
    co_await worker.drain();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(a_run_begins_at_its_moment_though_it_was_entered_before_and_after_the_last_look)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine worker{store, graphs_of(counted_chain(begun)), sleepy()};
    const weft::task_context& context = co_await weft::this_task::context();
    weft::new_run first = some_run("t", *context.loop);
    first.not_before = context.loop->clock().system_now() + 10s;
    static_cast<void>(co_await store.enqueue(std::move(first)));
    co_await worker.open();
    weft::scope children{context};
    children.spawn(work(worker));
    co_await weft::sleep_for(1s);
    weft::new_run second = some_run("u", *context.loop);
    second.not_before = context.loop->clock().system_now() + 4s;
    static_cast<void>(co_await store.enqueue(std::move(second)));
    co_await weft::sleep_for(3900ms);
    BOOST_TEST(begun->times["c"] == 0);
    co_await weft::sleep_for(500ms);
    BOOST_TEST(begun->times["c"] == 1);
    co_await weft::sleep_for(4500ms);
    BOOST_TEST(begun->times["c"] == 1);
    co_await weft::sleep_for(600ms);
    BOOST_TEST(begun->times["c"] == 2);
    co_await worker.drain();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(runs_of_a_worker_that_is_lost_are_taken_when_its_life_ends)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    const weft::worker_id lost = co_await store.enter("lost", 3s);
    const weft::task_context& context = co_await weft::this_task::context();
    weft::new_run run = some_run("t", *context.loop);
    run.started_by(lost);
    static_cast<void>(co_await store.enqueue(std::move(run)));
    weft::durable_engine worker{store, graphs_of(counted_chain(begun)), sleepy()};
    co_await worker.open();
    weft::scope children{context};
    children.spawn(work(worker));
    co_await weft::sleep_for(2900ms);
    BOOST_TEST(begun->times["c"] == 0);
    co_await weft::sleep_for(600ms);
    BOOST_TEST(begun->times["c"] == 1);
    co_await worker.drain();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(a_stop_from_another_engine_does_not_wait_for_a_heartbeat)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    const auto graphs = one_slow_node(begun, 100s);
    weft::durable_engine one{store, graphs, sleepy()};
    weft::durable_engine two{store, graphs, sleepy()};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::string end;
    weft::scope children{context};
    children.spawn(tell_end_of(one, in_thread("t"), end));
    co_await weft::sleep_for(1s);  // the next heartbeat is four seconds away
    const weft::time_point before = context.loop->now();
    const bool was_active = co_await two.stop(thread_key{"t"});
    co_await children.join();
    BOOST_TEST(was_active);
    BOOST_TEST((context.loop->now() - before < 100ms));
    BOOST_TEST(end.starts_with("cancelled"), end);
}

WEFT_ASYNC_TEST_CASE(an_answer_from_another_engine_reaches_a_parked_run_at_once)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(one_asks(at)), sleepy()};
    weft::durable_engine two{store, graphs_of(one_asks(at)), sleepy()};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, parked_in("t"), result));
    co_await weft::sleep_for(10s);
    const weft::time_point before = context.loop->now();
    co_await answer_all(two, "t", "Ada");
    co_await children.join();
    BOOST_TEST((context.loop->now() - before < 100ms));
    BOOST_TEST(words_of(result) == "x:Ada:1");
}

WEFT_ASYNC_TEST_CASE(a_caller_that_follows_a_run_of_another_engine_hears_of_its_end_at_once)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    const auto graphs = one_slow_node(begun, 10s);
    weft::durable_engine one{store, graphs, sleepy()};
    weft::durable_engine two{store, graphs, sleepy()};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::string end;
    weft::scope children{context};
    children.spawn(tell_end_of(one, in_thread("t"), end));
    co_await weft::sleep_for(1s);
    const weft::time_point before = context.loop->now();
    const weft::run_result seen = co_await two.follow(thread_key{"t"});
    BOOST_TEST((context.loop->now() - before < 9100ms));
    BOOST_TEST((seen.status == weft::run_status::finished));
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(what_a_silent_store_does_not_tell_is_found_by_the_next_look)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    silent_store silent{store};
    weft::durable_options options;
    options.poll_every = 60s;
    weft::durable_engine worker{silent, graphs_of(counted_chain(begun)), options};
    co_await worker.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(work(worker));
    co_await weft::sleep_for(1s);
    static_cast<void>(co_await silent.enqueue(some_run("t", *context.loop)));
    co_await weft::sleep_for(1s);
    BOOST_TEST(begun->times["c"] == 0);
    // Its own sign of life is due each 15 s at the latest, and is looked at then.
    co_await weft::sleep_for(73s);
    BOOST_TEST(begun->times["c"] == 1);
    co_await worker.drain();
    co_await children.join();
}

BOOST_AUTO_TEST_SUITE_END()
