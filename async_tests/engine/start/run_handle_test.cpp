#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"

#include <weft/testing/leak_check.hpp>

#include <algorithm>
#include <optional>

using namespace weft_tests;
using weft::node_context;
using weft::run_event;
using weft::run_handle;
using weft::run_result;
using weft::run_status;
using weft::task;

BOOST_AUTO_TEST_SUITE(run_handle_test)

namespace {

weft::graph chain_of_three()
{
    return empty_graph()
        .node("a", writes(10ms, 1)).node("b", writes(10ms, 2)).node("c", writes(10ms, 3))
        .edge(weft::start, "a").edge("a", "b").edge("b", "c")
        .build();
}

/** Starts a run and gives its handle. */
task<run_handle> start(weft::graph graph, weft::run_options options = weft::run_options{})
{
    const weft::engine engine{std::move(graph)};
    co_return co_await engine.start(weft::run_request{}.options(std::move(options)));
}

task<run_result> pause_after(weft::graph graph, std::chrono::nanoseconds span)
{
    run_handle run = co_await start(std::move(graph));
    co_await weft::sleep_for(span);
    run.pause();
    co_return co_await run.result();
}

task<run_result> cancel_after(weft::graph graph, std::chrono::nanoseconds span,
                              std::optional<std::chrono::nanoseconds> grace)
{
    run_handle run = co_await start(std::move(graph));
    co_await weft::sleep_for(span);
    run.cancel(grace);
    co_return co_await run.result();
}

task<std::vector<run_event>> all_events(weft::graph graph, weft::run_options options, std::chrono::nanoseconds wait)
{
    run_handle run = co_await start(std::move(graph), std::move(options));
    weft::event_stream stream = run.events();
    if (wait > 0ns) co_await weft::sleep_for(wait);
    std::vector<run_event> events;
    for (;;) {
        std::optional<run_event> event = co_await stream.next();
        if (!event) break;
        events.push_back(*event);
    }
    co_return events;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_pause_lets_the_running_node_finish_and_the_run_goes_on_later)
{
    const weft::graph graph = chain_of_three();
    weft::testing::simulation sim{1};
    const run_result paused = sim.run(pause_after(graph, 5ms));
    BOOST_TEST((paused.status == run_status::paused));
    BOOST_TEST(path_of(paused) == "a");
    BOOST_TEST((paused.resume_from == std::vector<std::string_view>{"b"}));
    BOOST_TEST(paused.elapsed.count() == std::chrono::nanoseconds{10ms}.count());
    BOOST_REQUIRE(paused.paused_at);
    const run_result rest = simulate(graph, weft::run_request{}.resume(paused.paused_at));
    BOOST_TEST((rest.status == run_status::finished));
    BOOST_TEST(path_of(rest) == "a b c");
    BOOST_TEST(rest.state.get(total) == 3);
}

BOOST_AUTO_TEST_CASE(a_pause_before_the_first_node_runs_nothing)
{
    weft::testing::simulation sim{1};
    const run_result paused = sim.run(pause_after(chain_of_three(), 0ns));
    BOOST_TEST((paused.status == run_status::paused));
    struct at_once {
        static task<run_result> pause(weft::graph graph)
        {
            co_await weft::sleep_for(0ms);  // from here on inside a loop, where a pause takes effect at once
            run_handle run = co_await start(std::move(graph));
            run.pause();
            co_return co_await run.result();
        }
    };
    const run_result unstarted = weft::run_blocking(at_once::pause(chain_of_three()));
    BOOST_TEST((unstarted.status == run_status::paused));
    BOOST_TEST(path_of(unstarted) == "");
    const run_result rest = simulate(chain_of_three(), weft::run_request{}.resume(unstarted.paused_at));
    BOOST_TEST(path_of(rest) == "a b c");
}

BOOST_AUTO_TEST_CASE(a_pause_of_an_unstarted_run_does_not_hide_wrong_input)
{
    struct wrong {
        static task<run_result> pause(weft::graph graph)
        {
            co_await weft::sleep_for(0ms);
            const weft::engine engine{std::move(graph)};
            boost::json::object unknown{{"nope", 1}};
            run_handle run = co_await engine.start(weft::run_request{}.input(std::move(unknown)));
            run.pause();
            co_return co_await run.result();
        }
    };
    const run_result result = weft::run_blocking(wrong::pause(chain_of_three()));
    BOOST_TEST((result.status == run_status::failed));
}

BOOST_AUTO_TEST_CASE(a_cancel_stops_the_running_node_at_once)
{
    weft::testing::simulation sim{1};
    const run_result result = sim.run(cancel_after(chain_of_three(), 15ms, std::nullopt));
    BOOST_TEST((result.status == run_status::cancelled));
    BOOST_TEST((result.quality == weft::run_quality::failed));
    BOOST_TEST(path_of(result) == "a b");
    BOOST_TEST(result.elapsed.count() == std::chrono::nanoseconds{15ms}.count());
}

BOOST_AUTO_TEST_CASE(a_cancel_destroys_deaf_nodes_after_its_own_grace_period)
{
    const weft::graph graph = empty_graph()
                                  .node("a", deaf_node).node("b", deaf_node).node("c", sleeps(1h))
                                  .edge(weft::start, "a").edge(weft::start, "b").edge(weft::start, "c")
                                  .build();
    for (const auto grace :
         {std::optional<std::chrono::nanoseconds>{}, std::optional<std::chrono::nanoseconds>{30ms}}) {
        const weft::testing::leak_check leaks;
        weft::testing::simulation sim{1};
        {
            run_result result = sim.run(cancel_after(graph, 5ms, grace));
            std::sort(result.unresponsive.begin(), result.unresponsive.end());
            BOOST_TEST((result.status == run_status::cancelled));
            BOOST_TEST((result.unresponsive == std::vector<std::string>{"a", "b"}));
            BOOST_TEST((result.elapsed == 5ms + grace.value_or(1s)));
        }
        leaks.expect_nothing_left(sim, "cancelled");
    }
}

BOOST_AUTO_TEST_CASE(events_are_numbered_without_holes_and_tell_a_visit_in_order)
{
    const weft::graph graph = empty_graph()
                                  .node("a", writes(1ms, 1))
                                  .node("b", [](node_context& context) { context.emit("half way"); })
                                  .edge(weft::start, "a").edge("a", "b")
                                  .build();
    weft::testing::simulation sim{1};
    const auto events = sim.run(all_events(graph, {}, 0ns));
    std::vector<std::string> lines;
    for (const run_event& event : events) lines.push_back(to_line(event));
    const std::vector<std::string> expected{
        "1 run_started",
        "2 node_started a visit 1 attempt 1",
        "3 node_succeeded a visit 1 attempt 1",
        "4 state_written a",
        "5 edge_taken a -> b",
        "6 node_started b visit 1 attempt 1",
        "7 output b visit 1 attempt 1 output: half way",
        "8 node_succeeded b visit 1 attempt 1",
        "9 edge_taken b -> __end__",
        "10 run_finished: finished",
    };
    BOOST_TEST(lines == expected, boost::test_tools::per_element());
    for (std::size_t i = 0; i < events.size(); ++i) BOOST_TEST(events[i].sequence == i + 1);
    BOOST_TEST((events.back().what == run_event::kind::run_finished));
}

BOOST_AUTO_TEST_CASE(a_slow_subscriber_is_told_what_it_lost)
{
    weft::run_options options;
    options.events_max(3);
    weft::testing::simulation sim{1};
    const auto events = sim.run(all_events(chain_of_three(), options, 1s));
    BOOST_REQUIRE_EQUAL(events.size(), 4u);
    BOOST_TEST((events[0].what == run_event::kind::gap));
    BOOST_TEST(events[0].number == 1u);
    BOOST_TEST(events[0].sequence + 1 == events[1].sequence);
    BOOST_TEST(events[1].sequence + 2 == events[3].sequence);
    BOOST_TEST((events[3].what == run_event::kind::run_finished));
}

BOOST_AUTO_TEST_CASE(retries_failures_and_fan_outs_are_told)
{
    const auto flaky = [](node_context& context) {
        if (context.attempt() == 1) throw std::runtime_error{"once"};
    };
    const weft::graph graph = empty_graph()
                                  .node("a", [] {}).node("b", flaky, tries(2, 1ms)).node("c", [] {}).node("j", [] {})
                                  .edge(weft::start, "a").edge("a", "b").edge("a", "c").edge("b", "j").edge("c", "j")
                                  .build();
    weft::testing::simulation sim{1};
    const auto events = sim.run(all_events(graph, {}, 0ns));
    const auto count = [&events](run_event::kind kind) {
        return std::count_if(events.begin(), events.end(), [kind](const run_event& e) { return e.what == kind; });
    };
    BOOST_TEST(count(run_event::kind::node_failed) == 1);
    BOOST_TEST(count(run_event::kind::node_retried) == 1);
    BOOST_TEST(count(run_event::kind::branches_started) == 1);
    BOOST_TEST(count(run_event::kind::branch_ended) == 2);
    BOOST_TEST(count(run_event::kind::branches_joined) == 1);
}

BOOST_AUTO_TEST_CASE(a_watcher_that_throws_does_not_disturb_the_run)
{
    int seen = 0;
    const auto result = simulate(chain_of_three(), weft::run_request{}.on_event([&seen](const run_event&) {
        if (++seen % 2 == 0) throw std::runtime_error{"full disk"};
        throw 42;
    }));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(seen > 10);
}

BOOST_AUTO_TEST_CASE(a_plain_node_may_cancel_or_pause_its_own_run)
{
    struct meddling {
        static task<run_result> meddle(bool is_cancel)
        {
            std::optional<run_handle> run;
            const auto meddles = [&run, is_cancel](node_context&) {
                if (is_cancel)
                    run->cancel();
                else
                    run->pause();
            };
            weft::graph graph =
                empty_graph().node("a", meddles).node("b", [] {}).edge(weft::start, "a").edge("a", "b").build();
            const weft::engine engine{std::move(graph)};
            run_handle started = co_await engine.start(weft::run_request{});
            run.emplace(std::move(started));
            run_result result = co_await run->result();
            co_return result;
        }
    };
    weft::testing::simulation sim{1};
    const auto cancelled = sim.run(meddling::meddle(true));
    BOOST_TEST((cancelled.status == run_status::cancelled));
    BOOST_TEST(path_of(cancelled) == "a");
    const auto paused = sim.run(meddling::meddle(false));
    BOOST_TEST((paused.status == run_status::paused));
    BOOST_TEST((paused.resume_from == std::vector<std::string_view>{"b"}));
}

BOOST_AUTO_TEST_CASE(a_handle_of_a_finished_run_gives_no_events_and_takes_no_orders)
{
    struct late {
        static task<bool> look(weft::graph graph)
        {
            run_handle run = co_await start(std::move(graph));
            const run_result result = co_await run.result();
            run.pause();
            run.cancel();
            weft::event_stream stream = run.events();
            const std::optional<run_event> event = co_await stream.next();
            co_return run.is_finished() && !event && result.status == run_status::finished;
        }
    };
    weft::testing::simulation sim{1};
    BOOST_TEST(sim.run(late::look(chain_of_three())));
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_when_its_handle_is_dropped)
{
    struct dropping {
        static task<void> drop(weft::graph graph)
        {
            {
                run_handle dropped = co_await start(std::move(graph));
            }
            co_await weft::sleep_for(1s);
        }
    };
    int ran = 0;
    const weft::graph graph = empty_graph()
                                  .node("a", sleeps(10ms)).node("b", [&ran] { ++ran; })
                                  .edge(weft::start, "a").edge("a", "b")
                                  .build();
    weft::testing::simulation sim{1};
    sim.run(dropping::drop(graph));
    BOOST_TEST(ran == 1);
}

BOOST_AUTO_TEST_SUITE_END()
