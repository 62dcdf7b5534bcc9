#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"
#include "engine/run/event_queue.hpp"

#include <weft/engine/run_handle.hpp>

using namespace weft_tests;
using weft::run_event;
using weft::slow_subscriber;

BOOST_AUTO_TEST_SUITE(event_stream_test)

namespace {

run_event event_of(std::uint64_t sequence, std::string text = {}, std::string_view node = "a")
{
    run_event event;
    event.what = text.empty() ? run_event::kind::state_written : run_event::kind::output;
    event.sequence = event.id = sequence;
    event.node = node;
    event.text = std::move(text);
    return event;
}

std::string lines_of(weft::event_stream::queue& queue)
{
    std::string lines;
    while (const auto event = queue.pop()) lines.append(to_line(*event)).append("\n");
    return lines;
}

weft::task<void> talk(weft::node_context& context, int words)
{
    for (int i = 0; i < words; ++i) context.emit("word");
    co_await weft::sleep_for(1ms);
}

weft::graph chain(int words)
{
    const auto talks = [words](weft::node_context& context) { return talk(context, words); };
    return empty_graph().node("a", talks).node("b", talks).node("c", talks).edge(weft::start, "a").edge("a", "b")
        .edge("b", "c").build();
}

struct watched {
    std::vector<run_event> events;
    std::size_t at_first_look = 0;   ///< Nodes that had begun when the subscriber first looked.
    weft::run_status status = weft::run_status::failed;
};

/** Starts a run, looks away for a second, then takes its events. */
weft::task<watched> watch_late(weft::graph graph, std::uint32_t events_max, slow_subscriber rule)
{
    const weft::engine engine{std::move(graph)};
    std::size_t begun = 0;
    weft::run_options options;
    options.events_max(events_max);
    const auto count = [&](const run_event& event) { begun += event.what == run_event::kind::node_started ? 1 : 0; };
    weft::run_handle run = co_await engine.start(weft::run_request{}.options(options).on_event(count));
    weft::event_stream stream = run.events(rule);
    co_await weft::sleep_for(1s);
    watched seen;
    seen.at_first_look = begun;
    for (;;) {
        std::optional<run_event> event = co_await stream.next();
        if (!event) break;
        seen.events.push_back(std::move(*event));
    }
    weft::run_result result = co_await run.result();
    seen.status = result.status;
    co_return seen;
}

weft::task<weft::run_status> drop_stream(weft::graph graph, bool stops)
{
    const weft::engine engine{std::move(graph)};
    weft::run_options options;
    options.events_max(2);
    weft::run_handle run = co_await engine.start(weft::run_request{}.options(options));
    std::optional<weft::event_stream> stream = run.events(slow_subscriber::hold_run);
    co_await weft::sleep_for(1s);
    if (stops) run.cancel();
    else stream.reset();
    weft::run_result result = co_await run.result();
    co_return result.status;
}

/** What can be taken without waiting: while the run works, and when it is over. */
weft::task<std::pair<std::size_t, std::size_t>> take_without_waiting(weft::graph graph)
{
    const weft::engine engine{std::move(graph)};
    weft::run_handle run = co_await engine.start(weft::run_request{});
    weft::event_stream stream = run.events();
    std::pair<std::size_t, std::size_t> taken;
    while (stream.try_next()) ++taken.first;
    co_await weft::sleep_for(1s);
    while (stream.try_next()) ++taken.second;
    co_return taken;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_there_already_is_taken_without_a_wait)
{
    weft::testing::simulation sim{1};
    const auto [at_once, later] = sim.run(take_without_waiting(chain(1)));
    const watched all = sim.run(watch_late(chain(1), 1'000, slow_subscriber::hold_run));
    BOOST_TEST(later > 0u);
    BOOST_TEST(at_once + later == all.events.size());
}

BOOST_AUTO_TEST_CASE(P49_a_gap_says_both_numbers)
{
    weft::event_stream::queue queue{2};
    for (std::uint64_t i = 1; i <= 7; ++i) queue.push(event_of(i));
    BOOST_TEST(lines_of(queue) == "5 gap of events 1 to 5\n6 state_written a\n7 state_written a\n");
}

BOOST_AUTO_TEST_CASE(P49_pieces_of_text_of_one_attempt_are_joined_when_the_queue_is_full)
{
    weft::event_stream::queue queue{3, slow_subscriber::join_text};
    queue.push(event_of(1));
    queue.push(event_of(2, "Hel"));
    queue.push(event_of(3, "lo", "a"));
    queue.push(event_of(4, ", ", "a"));
    queue.push(event_of(5, "you", "a"));
    queue.push(event_of(6, "Bye", "b"));
    queue.push(event_of(7, "!", "b"));
    BOOST_TEST(lines_of(queue) == "1 state_written a\n5 output a number 2: Hello, you\n7 output b number 6: Bye!\n");
}

BOOST_AUTO_TEST_CASE(P49_where_joining_makes_no_room_the_oldest_is_dropped)
{
    weft::event_stream::queue queue{2, slow_subscriber::join_text};
    queue.push(event_of(1, "x"));
    queue.push(event_of(2));
    queue.push(event_of(3, "y"));
    BOOST_TEST(lines_of(queue) == "1 gap of events 1 to 1\n2 state_written a\n3 output a: y\n");
    weft::event_stream::queue joined{2, slow_subscriber::join_text};
    for (std::uint64_t i = 1; i <= 3; ++i) joined.push(event_of(i, "x"));
    joined.push(event_of(4));
    joined.push(event_of(5));
    BOOST_TEST(lines_of(joined) == "3 gap of events 1 to 3\n4 state_written a\n5 state_written a\n");
}

BOOST_AUTO_TEST_CASE(P49_joined_text_is_bounded)
{
    weft::event_stream::queue queue{1, slow_subscriber::join_text};
    for (std::uint64_t i = 1; i <= 100; ++i) queue.push(event_of(i, std::string(1000, 'x')));
    std::optional<run_event> event = queue.pop();
    BOOST_REQUIRE(event);
    BOOST_TEST((event->what == run_event::kind::gap));
    event = queue.pop();
    BOOST_REQUIRE(event);
    BOOST_TEST(event->text.size() <= 65'536u);
    BOOST_TEST(event->sequence == 100u);
}

BOOST_AUTO_TEST_CASE(P49_a_subscriber_may_hold_the_run_up_and_loses_nothing)
{
    weft::testing::simulation sim{1};
    const watched seen = sim.run(watch_late(chain(3), 6, slow_subscriber::hold_run));
    BOOST_TEST(seen.at_first_look == 1u);
    BOOST_TEST((seen.status == weft::run_status::finished));
    std::uint64_t last = 0;
    for (const run_event& event : seen.events) {
        BOOST_TEST((event.what != run_event::kind::gap));
        BOOST_TEST(event.sequence == last + 1);
        last = event.sequence;
    }
    BOOST_TEST((seen.events.back().what == run_event::kind::run_finished));
}

BOOST_AUTO_TEST_CASE(P49_without_that_the_run_does_not_wait)
{
    weft::testing::simulation sim{1};
    const watched seen = sim.run(watch_late(chain(3), 6, slow_subscriber::drop_oldest));
    BOOST_TEST(seen.at_first_look == 3u);
    BOOST_TEST((seen.events.front().what == run_event::kind::gap));
}

BOOST_AUTO_TEST_CASE(P49_what_a_node_says_while_the_run_is_held_is_bounded)
{
    weft::testing::simulation sim{1};
    const watched seen = sim.run(watch_late(chain(100), 4, slow_subscriber::hold_run));
    BOOST_TEST((seen.events.front().what == run_event::kind::gap));
    BOOST_TEST((seen.status == weft::run_status::finished));
}

BOOST_AUTO_TEST_CASE(P49_a_stop_and_the_end_of_the_subscriber_end_the_wait)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((sim.run(drop_stream(chain(1), true)) == weft::run_status::cancelled));
    weft::testing::simulation other_sim{1};
    BOOST_TEST((other_sim.run(drop_stream(chain(1), false)) == weft::run_status::finished));
}

BOOST_AUTO_TEST_SUITE_END()
