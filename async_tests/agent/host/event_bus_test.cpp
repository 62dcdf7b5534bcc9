#include <boost/test/unit_test.hpp>

#include "agent/loops.hpp"

#include <weft/agent/host/bus_events.hpp>
#include <weft/agent/host/event_bus.hpp>
#include <weft/async/scope.hpp>
#include <weft/testing/async_test_case.hpp>
#include <weft/testing/manual_clock.hpp>

#include <boost/json/serialize.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::bus_event;
using weft::bus_filter;
using weft::event_bus;

BOOST_AUTO_TEST_SUITE(event_bus_test)

namespace {

/** What handlers saw, in the order in which they saw it. */
struct heard {
    std::vector<std::string> words;
    std::uint64_t missed = 0;
    int at_work = 0;
    int most_at_work = 0;
};

weft::task<void> hear_slowly(heard& into, std::chrono::nanoseconds time, bus_event event)
{
    into.most_at_work = std::max(into.most_at_work, ++into.at_work);
    into.missed += event.missed;
    if (time > 0ns) co_await weft::sleep_for(time);
    --into.at_work;
    into.words.push_back(event.type);
}

event_bus::handler hears(heard& into, std::chrono::nanoseconds time = 0ns)
{
    return [&into, time](bus_event event) { return hear_slowly(into, time, std::move(event)); };
}

weft::task<void> fail_at(bus_event event)
{
    if (event.type == "bad") throw std::runtime_error{"no"};
    co_return;
}

bus_event about(std::string type, std::string stream = {}, std::string node = {}, std::string graph = {})
{
    bus_event made{std::move(type), nullptr};
    made.stream = std::move(stream);
    made.node = std::move(node);
    made.graph = std::move(graph);
    return made;
}

std::string types_of(const std::vector<bus_event>& events)
{
    std::string text;
    for (const bus_event& one : events) text.append(text.empty() ? "" : " ").append(one.type);
    return text;
}

std::string joined_words(const heard& from)
{
    std::string text;
    for (const std::string& one : from.words) text.append(text.empty() ? "" : " ").append(one);
    return text;
}

weft::task<void> note_wait(event_bus& bus, bus_filter which, std::string& into)
{
    const std::optional<bus_event> found = co_await bus.wait_for(std::move(which), 5s);
    into = found ? found->type + " " + std::to_string(found->sequence) : "nothing";
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_41_a_filter_looks_at_type_stream_node_execution_and_graph)
{
    bus_event event = about("judge_verdict", "chat", "write", "news");
    event.execution = "7";
    BOOST_TEST(bus_filter{}.matches(event));
    bus_filter all{{"node_stalled", "judge_verdict"}};
    all.stream = "chat";
    all.node = "write";
    all.execution = "7";
    all.graph = "news";
    all.other_than_graph = "mine";
    BOOST_TEST(all.matches(event));
    const auto without = [&](auto change) {
        bus_filter other = all;
        change(other);
        return !other.matches(event);
    };
    BOOST_TEST(without([](bus_filter& one) { one.types = {"node_stalled"}; }));
    BOOST_TEST(without([](bus_filter& one) { one.stream = "mail"; }));
    BOOST_TEST(without([](bus_filter& one) { one.node = "read"; }));
    BOOST_TEST(without([](bus_filter& one) { one.execution = "8"; }));
    BOOST_TEST(without([](bus_filter& one) { one.graph = "old"; }));
    BOOST_TEST(without([](bus_filter& one) { one.other_than_graph = "news"; }));
}

BOOST_AUTO_TEST_CASE(HIV_41_the_history_is_bounded_and_newest_first)
{
    weft::testing::manual_clock clock;
    event_bus bus{{.history_max = 3}, clock};
    for (const char* type : {"a", "b", "c", "d"}) bus.publish(about(type, type));
    BOOST_TEST(types_of(bus.history()) == "d c b");
    BOOST_TEST(types_of(bus.history(bus_filter{}, 2)) == "d c");
    BOOST_TEST(types_of(bus.history(bus_filter{{"b", "d", "a"}})) == "d b");
    BOOST_TEST(bus.history().front().sequence == 4u);
    BOOST_TEST(bus.counts().published == 4u);
    bus.close();
    bus.publish(about("e"));
    BOOST_TEST(types_of(bus.history()) == "d c b");
}

WEFT_ASYNC_TEST_CASE(HIV_41_each_handler_gets_its_events_in_order_until_it_unsubscribes)
{
    event_bus bus;
    heard all;
    heard some;
    const event_bus::subscription first = bus.subscribe(bus_filter{}, hears(all, 1ms));
    bus.subscribe(bus_filter{{"b"}}, hears(some));
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(bus.deliver());
    for (const char* type : {"a", "b", "c"}) bus.publish(about(type));
    co_await weft::sleep_for(10ms);
    BOOST_TEST(joined_words(all) == "a b c");
    BOOST_TEST(joined_words(some) == "b");
    BOOST_TEST(bus.unsubscribe(first));
    BOOST_TEST(!bus.unsubscribe(first));
    bus.publish(about("b"));
    bus.close();
    co_await children.join();
    BOOST_TEST(joined_words(all) == "a b c");
    BOOST_TEST(joined_words(some) == "b b");
}

WEFT_ASYNC_TEST_CASE(HIV_41_a_slow_handler_holds_up_nobody_and_is_told_what_it_lost)
{
    event_bus bus{{.waiting_max = 4}};
    heard slow;
    heard quick;
    bus.subscribe(bus_filter{}, hears(slow, 1s));
    bus.subscribe(bus_filter{}, hears(quick));
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(bus.deliver());
    const weft::time_point before = context.loop->now();
    for (int i = 0; i < 10; ++i) {
        bus.publish(about(std::to_string(i)));
        co_await weft::sleep_for(1ms);
    }
    BOOST_TEST((context.loop->now() - before < 100ms));
    BOOST_TEST(quick.words.size() == 10u);
    BOOST_TEST(slow.words.empty());
    bus.close();
    co_await children.join();
    BOOST_TEST(joined_words(slow) == "0 6 7 8 9");
    BOOST_TEST(slow.missed == 5u);
    BOOST_TEST(bus.counts().missed == 5u);
    BOOST_TEST(quick.missed == 0u);
}

WEFT_ASYNC_TEST_CASE(HIV_41_at_most_ten_handlers_are_at_work_at_once)
{
    event_bus bus;
    heard all;
    for (int i = 0; i < 25; ++i) bus.subscribe(bus_filter{}, hears(all, 10ms));
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(bus.deliver());
    bus.publish(about("a"));
    bus.publish(about("b"));
    bus.close();
    co_await children.join();
    BOOST_TEST(all.words.size() == 50u);
    BOOST_TEST(all.most_at_work == 10);
}

WEFT_ASYNC_TEST_CASE(HIV_41_a_handler_that_throws_is_counted_and_called_again)
{
    event_bus bus;
    heard good;
    bus.subscribe(bus_filter{}, fail_at);
    bus.subscribe(bus_filter{}, hears(good));
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(bus.deliver());
    for (const char* type : {"bad", "good", "bad"}) bus.publish(about(type));
    bus.close();
    co_await children.join();
    BOOST_TEST(bus.counts().failed == 2u);
    BOOST_TEST(bus.counts().last_failure == "no");
    BOOST_TEST(joined_words(good) == "bad good bad");
}

WEFT_ASYNC_TEST_CASE(HIV_41_one_can_wait_for_an_event)
{
    event_bus bus;
    std::string first;
    std::string never;
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(note_wait(bus, bus_filter{{"done"}}, first));
    children.spawn(note_wait(bus, bus_filter{{"other"}}, never));
    co_await weft::sleep_for(1s);
    bus.publish(about("begun"));
    bus.publish(about("done"));
    bus.publish(about("done"));
    co_await children.join();
    BOOST_TEST(first == "done 2");
    BOOST_TEST(never == "nothing");
}

WEFT_ASYNC_TEST_CASE(a_stop_ends_delivery_and_it_can_begin_again)
{
    event_bus bus;
    heard all;
    bus.subscribe(bus_filter{}, hears(all, 1s));
    const weft::task_context& context = co_await weft::this_task::context();
    {
        weft::scope children{context};
        children.spawn(bus.deliver());
        bus.publish(about("a"));
        bus.publish(about("b"));
        co_await weft::sleep_for(1ms);
        children.request_stop();
        co_await children.join();
    }
    BOOST_TEST(joined_words(all) == "");
    bus.close();
    co_await bus.deliver();
    BOOST_TEST(joined_words(all) == "b");
}

BOOST_AUTO_TEST_CASE(subscribers_are_limited)
{
    event_bus bus{{.subscribers_max = 1}};
    heard all;
    bus.subscribe(bus_filter{}, hears(all));
    BOOST_CHECK_THROW(bus.subscribe(bus_filter{}, hears(all)), weft::error);
}

BOOST_AUTO_TEST_CASE(anybody_publishes_from_any_thread)
{
    event_bus bus{{.history_max = 10'000}};
    heard all;
    bus.subscribe(bus_filter{}, hears(all));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&bus] {
            for (int i = 0; i < 250; ++i) bus.publish(about("x"));
        });
    for (std::thread& one : threads) one.join();
    bus.close();
    weft::testing::simulation sim{1};
    sim.run(bus.deliver());
    BOOST_TEST(all.words.size() == 1'000u);
    const std::vector<bus_event> told = bus.history(bus_filter{}, 1'000);
    for (std::size_t i = 0; i < told.size(); ++i) BOOST_TEST(told[i].sequence == 1'000 - i);
}

BOOST_AUTO_TEST_CASE(a_run_tells_what_its_loop_does)
{
    event_bus bus;
    weft::event_loop_options options = answering();
    options.tools = looking();
    const auto model = model_of({loop_script{}.call("look", look_at("sky")), loop_script{"Hm."}, sets("answer", "a")});
    weft::bus_source source;
    source.stream = "chat";
    source.execution = "7";
    source.graph = "news";
    const weft::engine engine{graph_with(model, std::move(options))};
    weft::testing::simulation sim{1};
    const weft::run_result result =
        sim.run(engine.run(weft::run_request{"t"}.on_event(weft::publishes_to(bus, source))));
    BOOST_TEST((result.status == weft::run_status::finished), result.message());
    const auto count = [&](const char* type) { return bus.history(bus_filter{{type}}, 1'000).size(); };
    BOOST_TEST(count("execution_started") == 1u);
    BOOST_TEST(count("execution_completed") == 1u);
    BOOST_TEST(count("node_loop_iteration") == 3u);
    BOOST_TEST(count("tool_call_started") == 2u);
    BOOST_TEST(count("tool_call_completed") == 2u);
    BOOST_TEST(count("judge_verdict") == 3u);
    BOOST_TEST(count("output_key_set") == 1u);
    BOOST_TEST(count("node_internal_output") == 1u);
    const std::vector<bus_event> verdicts = bus.history(bus_filter{{"judge_verdict"}});
    BOOST_REQUIRE(verdicts.size() == 3u);
    BOOST_TEST(verdicts.front().node == "write");
    BOOST_TEST(verdicts.front().execution == "7");
    BOOST_TEST(verdicts.front().data.at("action").as_string() == "accept");
    bus_filter elsewhere;
    elsewhere.stream = "mail";
    BOOST_TEST(bus.history(elsewhere).empty());
}

BOOST_AUTO_TEST_SUITE_END()
