#include <weft/testing/async_test_case.hpp>

#include "durable_workers.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/engine/runtime.hpp>
#include <weft/store/role/queue_view.hpp>

#include <boost/asio/use_future.hpp>

#include <chrono>
#include <future>

using namespace weft_tests;
using weft::run_phase;
using weft::run_status;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(durable_places_test)

weft::durable_options with_places(std::size_t count)
{
    weft::durable_options options;
    options.performed_max = count;
    return options;
}

WEFT_ASYNC_TEST_CASE(a_process_without_places_enters_runs_that_another_one_performs)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine door{store, graphs_of(counted_chain(begun)), with_places(0)};
    weft::durable_engine hand{store, graphs_of(counted_chain(begun))};
    co_await door.open();
    const weft::task_context& context = co_await weft::this_task::context();
    bool has_ended[2] = {};
    weft::scope children{context};
    children.spawn(work_into(door, has_ended[0]));
    std::string end;
    children.spawn(tell_end_of(door, in_thread("t"), end));
    co_await weft::sleep_for(1s);
    const std::optional<weft::run_record> waiting = co_await store.active_run(thread_key{"t"});
    BOOST_REQUIRE(waiting.has_value());
    BOOST_TEST((waiting->phase == run_phase::ready));
    BOOST_TEST(begun->times.empty());
    co_await hand.open();
    children.spawn(work_into(hand, has_ended[1]));
    for (int i = 0; i < 100 && end.empty(); ++i) co_await weft::sleep_for(100ms);
    BOOST_TEST(end == "finished 3");
    co_await door.drain();
    co_await hand.drain();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(a_process_that_names_its_graphs_leaves_runs_of_others_in_line_where_they_are_shown)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_options naming;
    naming.names_graphs = true;
    weft::durable_engine hand{store, graphs_of(counted_chain(begun)), naming};
    co_await hand.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::new_run foreign = some_run("other", *context.loop);
    foreign.graph_named("unknown");
    static_cast<void>(co_await store.enqueue(std::move(foreign)));
    static_cast<void>(co_await store.enqueue(some_run("own", *context.loop)));
    const std::size_t taken = co_await hand.recover();
    BOOST_TEST(taken == 1u);
    const std::vector<weft::unclaimable_runs> shown = co_await store.service().queue().unclaimable(10);
    BOOST_TEST_REQUIRE(shown.size() == 1u);
    BOOST_TEST(shown[0].graph == "unknown");
    BOOST_TEST(shown[0].count == 1u);
}

/** Asks, and adds the answer to `total`. */
weft::task<void> asking_node(weft::node_context& context)
{
    const std::int64_t answer = co_await context.ask<std::int64_t>("How many?");
    context.set(total, answer + context.get(value));
}

weft::graph asking_graph()
{
    weft::graph_builder builder{"asking"};
    builder.state(value, total);
    builder.node("a", [](weft::node_context& context) { return asking_node(context); });
    return builder.edge(weft::start, "a").build();
}

// What a reload brings is taken up at once; a process that only enters runs is none that could take them.
WEFT_ASYNC_TEST_CASE(graphs_that_come_later_are_told_to_the_store_and_their_runs_begin)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_options naming;
    naming.names_graphs = true;
    weft::durable_options entering = with_places(0);
    entering.names_graphs = true;
    weft::durable_engine door{store, graphs_of(counted_chain(begun)), entering};
    weft::durable_engine hand{store, graphs_of(asking_graph()), naming};
    co_await door.open();
    co_await hand.open();
    const weft::task_context& context = co_await weft::this_task::context();
    bool has_ended[2] = {};
    weft::scope children{context};
    children.spawn(work_into(door, has_ended[0]));
    children.spawn(work_into(hand, has_ended[1]));
    std::string end;
    children.spawn(tell_end_of(door, in_thread("t"), end));
    co_await weft::sleep_for(5s);
    const std::vector<weft::unclaimable_runs> shown = co_await store.service().queue().unclaimable(10);
    BOOST_TEST_REQUIRE(shown.size() == 1u);
    BOOST_TEST(shown[0].graph == "chain");
    hand.use_graphs(graphs_of(counted_chain(begun)));
    co_await weft::sleep_for(1s);
    BOOST_TEST(end == "finished 3");
    const std::vector<weft::unclaimable_runs> left = co_await store.service().queue().unclaimable(10);
    BOOST_TEST(left.empty());
    const std::vector<weft::listed_worker> workers = co_await store.service().queue().workers(10);
    BOOST_TEST_REQUIRE(workers.size() == 2u);
    BOOST_TEST_REQUIRE(workers[0].graphs.size() == 1u);
    BOOST_TEST(workers[0].graphs[0].graph == "chain");
    BOOST_TEST(workers[0].graphs[0].revision.size() == 32u);
    co_await door.drain();
    co_await hand.drain();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(an_answer_and_a_value_that_a_process_without_places_is_given_reach_the_run_elsewhere)
{
    weft::memory_store store{test_key()};
    weft::durable_engine door{store, graphs_of(asking_graph()), with_places(0)};
    weft::durable_engine hand{store, graphs_of(asking_graph())};
    co_await door.open();
    co_await hand.open();
    const weft::task_context& context = co_await weft::this_task::context();
    bool has_ended = false;
    weft::scope children{context};
    children.spawn(work_into(hand, has_ended));
    weft::run_request first{"t"};
    first.input(value, 0);
    const weft::run_result asked = co_await door.run(std::move(first));
    BOOST_TEST((asked.status == run_status::paused));
    const std::vector<weft::open_question> open = co_await door.questions(thread_key{"t"});
    BOOST_REQUIRE(open.size() == 1u);
    weft::question_answers answers;
    answers.emplace(open[0].address, 40);
    weft::run_request with{"t"};
    with.input(value, 2);
    const weft::run_result result = co_await door.resume(thread_key{"t"}, std::move(answers), std::move(with));
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(result.state.get(total) == 42);
    co_await hand.drain();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(a_run_that_was_paused_goes_on_elsewhere_when_a_process_without_places_resumes_it)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine door{store, graphs_of(counted_chain(begun)), with_places(0)};
    weft::durable_engine hand{store, graphs_of(counted_chain(begun))};
    co_await door.open();
    co_await hand.open();
    const weft::task_context& context = co_await weft::this_task::context();
    bool has_ended = false;
    weft::scope children{context};
    children.spawn(work_into(hand, has_ended));
    std::string end;
    children.spawn(tell_end_of(door, in_thread("t"), end));
    while (begun->times["a"] == 0) co_await weft::sleep_for(1ms);
    const bool was_asked = co_await door.pause(thread_key{"t"});
    BOOST_TEST(was_asked);
    for (int i = 0; i < 100 && end.empty(); ++i) co_await weft::sleep_for(100ms);
    BOOST_TEST(end == "paused");
    const weft::run_result result = co_await door.resume(thread_key{"t"});
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(total) == 3);
    BOOST_TEST(begun->times["a"] == 1);
    co_await hand.drain();
    co_await children.join();
}

/** How many of its nodes run at once, and how many did at most. */
struct crowd {
    int now = 0;
    int most = 0;
};

weft::task<void> crowded_node(weft::node_context& context, std::shared_ptr<crowd> in)
{
    in->most = std::max(in->most, ++in->now);
    co_await weft::sleep_for(20ms);
    --in->now;
    context.set(total, 1);
}

WEFT_ASYNC_TEST_CASE(a_process_performs_no_more_runs_than_it_has_places_and_takes_up_those_that_wait)
{
    auto seen = std::make_shared<crowd>();
    weft::graph_builder builder{"crowded"};
    builder.state(total);
    builder.node("a", [seen](weft::node_context& context) { return crowded_node(context, seen); });
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(builder.edge(weft::start, "a").build()), with_places(2)};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    bool has_ended = false;
    weft::scope working{context};
    working.spawn(work_into(durable, has_ended));
    std::vector<std::string> ends(7);
    weft::scope children{context};
    for (std::size_t i = 0; i < ends.size(); ++i)
        children.spawn(tell_end_of(durable, in_thread("t" + std::to_string(i)), ends[i]));
    co_await children.join();
    for (const std::string& end : ends) BOOST_TEST(end.starts_with("finished"));
    BOOST_TEST(seen->most == 2);
    co_await durable.drain();
    co_await working.join();
}

WEFT_ASYNC_TEST_CASE(a_drain_stops_a_long_node_and_another_process_goes_on_without_a_counted_attempt)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::graph_builder builder{"long"};
    builder.state(value, other, total, words);
    builder.node("a", counts(begun, 1ms)).node("b", counts(begun, 60s));
    const weft::graph slow = builder.edge(weft::start, "a").edge("a", "b").build();
    weft::memory_store store{test_key()};
    weft::durable_options options;
    options.drain_for = 100ms;
    weft::durable_engine one{store, graphs_of(slow), options};
    weft::durable_engine two{store, graphs_of(slow), options};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    bool has_ended[2] = {};
    std::string end;
    children.spawn(work_into(one, has_ended[0]));
    children.spawn(tell_end_of(one, in_thread("t"), end));
    while (begun->times["b"] == 0) co_await weft::sleep_for(1ms);
    children.spawn(work_into(two, has_ended[1]));
    const weft::time_point before = context.loop->now();
    co_await one.drain();
    BOOST_TEST((context.loop->now() - before <= 150ms));
    while (begun->times["b"] == 1) co_await weft::sleep_for(1ms);
    BOOST_TEST((context.loop->now() - before <= 200ms));
    const std::optional<weft::run_record> taken = co_await store.active_run(thread_key{"t"});
    BOOST_REQUIRE(taken.has_value());
    BOOST_TEST((taken->phase == run_phase::running));
    BOOST_TEST(taken->attempt == 1u);
    BOOST_TEST(begun->times["a"] == 1);
    co_await two.drain();
    co_await children.join();
}

// Real OS threads and clocks from here on.

/** Holds its loop up, as a computation does. */
void block_loop(weft::node_context& context)
{
    const auto end = std::chrono::steady_clock::now() + 900ms;
    while (std::chrono::steady_clock::now() < end) {}
    context.set(total, 1);
}

/** The end of a run whose node holds its loop for three lifetimes of a worker, while another process looks for lost
 *  workers. */
std::string end_of_blocked_run(weft::serial_loop* heartbeats_on)
{
    weft::graph_builder builder{"blocked"};
    builder.state(value, other, total, words).node("a", block_loop).node("b", [] {});
    const weft::graph what = builder.edge(weft::start, "a").edge("a", "b").build();
    weft::memory_store store{test_key()};
    weft::durable_options options;
    options.lifetime = 300ms;
    options.heartbeat_every = 50ms;
    options.heartbeats_on = heartbeats_on;
    weft::runtime runs{1};
    weft::runtime looks{1};
    std::string end;
    const auto perform = [](weft::checkpoint_store& on, weft::graph graph, weft::durable_options how,
                            std::string& into) -> weft::task<void> {
        weft::durable_engine durable{on, graphs_of(std::move(graph)), std::move(how)};
        co_await durable.open();
        co_await tell_end_of(durable, in_thread("t"), into);
    };
    const auto reap = [](weft::checkpoint_store& on) -> weft::task<void> {
        for (int i = 0; i < 60; ++i) {
            static_cast<void>(co_await on.reap(10));
            co_await weft::sleep_for(20ms);
        }
    };
    std::future<void> performed =
        weft::async_start(runs.loop(0), perform(store, what, options, end), boost::asio::use_future);
    std::future<void> reaped = weft::async_start(looks.loop(0), reap(store), boost::asio::use_future);
    performed.get();
    reaped.get();
    return end;
}

BOOST_AUTO_TEST_CASE(a_node_that_blocks_for_longer_than_a_lifetime_loses_its_run_unless_signs_come_from_elsewhere)
{
    weft::runtime heart{1};
    BOOST_TEST(end_of_blocked_run(&heart.loop(0)).starts_with("finished"));
    BOOST_TEST(end_of_blocked_run(nullptr).ends_with("thread_lost"));
}

BOOST_AUTO_TEST_SUITE_END()
