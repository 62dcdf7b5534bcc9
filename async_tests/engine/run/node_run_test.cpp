#include <boost/test/unit_test.hpp>

#include "engine/interrupts.hpp"
#include "engine/run/node_run.hpp"

#include <optional>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(node_run_test)

namespace {

weft::run_request with_timeout(std::chrono::nanoseconds limit)
{
    weft::run_options options;
    options.node_timeout(limit);
    weft::run_request request;
    request.options(std::move(options));
    return request;
}

/** A node that notes how long it took until it was stopped. */
task<void> stopped_node(node_context& context, std::vector<std::chrono::nanoseconds>& lives)
{
    const weft::time_point began = context.loop().now();
    std::exception_ptr stopped;
    try {
        co_await weft::sleep_for(1h);
    } catch (const weft::error&) {
        stopped = std::current_exception();
    }
    lives.push_back(context.loop().now() - began);
    std::rethrow_exception(stopped);
}

/** The next deadline of the loop once a run has come to its end and is still held. */
task<std::optional<weft::time_point>> deadline_after(weft::graph graph)
{
    const weft::engine engine{std::move(graph)};
    task<run_result> running = engine.run(weft::run_request{});
    const run_result& result = co_await running;
    BOOST_TEST(result.ok());
    const weft::serial_loop& loop = co_await weft::this_task::loop();
    co_return loop.next_deadline();
}

/** The same while all that a run does is wait for an answer. */
task<std::optional<weft::time_point>> deadline_while_parked(weft::graph graph)
{
    const weft::engine engine{std::move(graph)};
    run_handle run = co_await engine.start(weft::run_request{});
    co_await weft::sleep_for(20ms);
    BOOST_TEST(run.questions().size() == 1u);
    const weft::serial_loop& loop = co_await weft::this_task::loop();
    const std::optional<weft::time_point> next = loop.next_deadline();
    run.cancel();
    static_cast<void>(co_await run.result());
    co_return next;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_time_of_a_node_begins_with_it_whatever_time_the_one_before_had)
{
    const weft::graph graph = empty_graph()
        .node("a", sleeps(60ms)).node("b", sleeps(1h))
        .edge(weft::start, "a").edge("a", "b")
        .build();
    const run_result result = simulate(graph, with_timeout(100ms));
    BOOST_TEST((result.why->code == weft::errc::node_timeout));
    BOOST_TEST(result.why->node == "b");
    BOOST_TEST((result.elapsed == 160ms));
}

BOOST_AUTO_TEST_CASE(nodes_at_work_at_once_are_stopped_each_at_its_own_time)
{
    std::vector<std::chrono::nanoseconds> lives;
    const auto note = [&lives](node_context& context) { return stopped_node(context, lives); };
    const weft::graph graph = empty_graph()
        .node("a", note, {.timeout = 30ms}).node("b", note, {.timeout = 10ms}).node("c", note, {.timeout = 20ms})
        .node("d", [] {})
        .edge(weft::start, "a").edge(weft::start, "b").edge(weft::start, "c")
        .edge("a", "d").edge("b", "d").edge("c", "d")
        .fan_out(weft::start, {.on_failure = weft::branch_policy::wait_all})
        .build();
    static_cast<void>(simulate(graph));
    BOOST_REQUIRE_EQUAL(lives.size(), 3u);
    BOOST_TEST((lives[0] == 10ms && lives[1] == 20ms && lives[2] == 30ms));
}

BOOST_AUTO_TEST_CASE(a_run_that_is_over_leaves_no_timer_behind)
{
    weft::testing::simulation sim{1};
    const weft::graph graph = empty_graph().node("a", sleeps(5ms)).edge(weft::start, "a").build();
    BOOST_TEST(!sim.run(deadline_after(graph)).has_value());
}

BOOST_AUTO_TEST_CASE(a_node_that_only_waits_for_an_answer_leaves_no_timer_though_one_before_it_had_one)
{
    weft::testing::simulation sim{1};
    const weft::graph graph = empty_graph()
        .node("a", sleeps(5ms)).node("b", asks("B?"))
        .edge(weft::start, "a").edge("a", "b")
        .build();
    BOOST_TEST(!sim.run(deadline_while_parked(graph)).has_value());
}

BOOST_AUTO_TEST_CASE(questions_and_effects_of_a_visit_are_counted_by_name)
{
    weft::visit_places places{"plan#2"};
    BOOST_TEST(places.address() == "plan#2");
    BOOST_TEST(places.next("charge") == "plan#2/charge#0");
    BOOST_TEST(places.next("mail") == "plan#2/mail#0");
    BOOST_TEST(places.next("charge") == "plan#2/charge#1");
    BOOST_TEST(places.next("charge") == "plan#2/charge#2");
    BOOST_TEST(places.next("mail") == "plan#2/mail#1");
}

BOOST_AUTO_TEST_CASE(a_visit_only_waits_while_it_has_questions_and_no_effect)
{
    weft::visit_places places{"plan#1"};
    BOOST_TEST(!places.only_waits());
    places.questions = 2;
    BOOST_TEST(places.only_waits());
    places.effects = 1;
    BOOST_TEST(!places.only_waits());
    places.effects = 0;
    places.questions = 0;
    BOOST_TEST(!places.only_waits());
}

BOOST_AUTO_TEST_SUITE_END()
