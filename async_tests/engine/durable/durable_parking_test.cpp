#include <weft/testing/async_test_case.hpp>

#include "durable_parking.hpp"
#include "silent_store.hpp"

#include <weft/async/scope.hpp>

#include <optional>

using namespace weft_tests;
using weft::run_status;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(durable_parking_test)

using namespace weft_tests::parking_cases;

WEFT_ASYNC_TEST_CASE(P16_a_parked_run_goes_on_with_what_it_has_in_hand_as_soon_as_it_is_answered_here)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(one_asks(at))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(durable, parked_in("t"), result));
    co_await weft::sleep_for(10s);
    const weft::run_phase phase = co_await phase_of(store, "t");
    BOOST_TEST((phase == weft::run_phase::running));
    const weft::time_point before = loop.now();
    co_await answer_all(durable, "t", "Ada");
    co_await children.join();
    BOOST_TEST((loop.now() == before));
    BOOST_TEST((result->status == run_status::finished));
    BOOST_TEST(words_of(result) == "x:Ada:1");  // its coroutine was not begun again
    BOOST_TEST(at->calls == 1);
    const auto kinds = co_await kinds_of(durable, "t");
    BOOST_TEST(kinds == (std::vector<std::string>{"node_complete s", "node_complete y", "node_complete x", "finish"}));
}

WEFT_ASYNC_TEST_CASE(an_answer_from_another_process_reaches_a_parked_run_with_its_next_look)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(one_asks(at))};
    weft::durable_engine two{store, graphs_of(one_asks(at))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, parked_in("t"), result));
    co_await weft::sleep_for(10s);
    const weft::time_point before = loop.now();
    co_await answer_all(two, "t", "Ada");
    co_await children.join();
    BOOST_TEST((loop.now() - before <= 500ms));
    BOOST_TEST(words_of(result) == "x:Ada:1");
}

WEFT_ASYNC_TEST_CASE(an_answer_from_another_process_reaches_a_node_while_its_siblings_run)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(one_asks(at, 20s))};
    weft::durable_engine two{store, graphs_of(one_asks(at, 20s))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, in_thread("t"), result));  // one that would pause when only answers are missing
    co_await weft::sleep_for(5s);
    co_await answer_all(two, "t", "Ada");
    co_await weft::sleep_for(1s);
    const auto kinds = co_await kinds_of(two, "t");
    BOOST_TEST(kinds.back() == "node_complete x");
    co_await children.join();
    BOOST_TEST((result->status == run_status::finished));
    BOOST_TEST(words_of(result) == "x:Ada:1");
}

WEFT_ASYNC_TEST_CASE(a_run_that_is_parked_for_long_gives_itself_back_and_waits_in_the_store)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_options options = parking();
    options.park_for = std::chrono::milliseconds{30'000};
    weft::durable_engine durable{store, graphs_of(one_asks(at)), options};
    co_await durable.open();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point before = loop.now();
    const weft::run_result paused = co_await durable.run(in_thread("t"));
    BOOST_TEST((paused.status == run_status::paused));
    BOOST_TEST((loop.now() - before >= 30s));
    BOOST_TEST((loop.now() - before <= 32s));
    BOOST_TEST(paused.questions.size() == 1u);
    const weft::run_phase phase = co_await phase_of(store, "t");
    BOOST_TEST((phase == weft::run_phase::waiting));
    weft::question_answers answers;
    answers.emplace("s#1.0/x#1/ask#0", boost::json::value("Ada"));
    const thread_key key{"t"};
    std::optional<weft::run_result> result{co_await durable.resume(key, answers)};
    BOOST_TEST(words_of(result) == "x:Ada:2");
    BOOST_TEST(at->calls == 1);  // what stands above the question was not done again
}

WEFT_ASYNC_TEST_CASE(a_request_may_pause_in_a_process_whose_runs_park)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(one_asks(at)), parking()};
    co_await durable.open();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point before = loop.now();
    weft::run_request request{"t"};
    request.on_questions(weft::interrupts::pause);
    const weft::run_result paused = co_await durable.run(std::move(request));
    BOOST_TEST((paused.status == run_status::paused));
    BOOST_TEST((loop.now() - before < 1s));
}

WEFT_ASYNC_TEST_CASE(a_resume_of_a_parked_run_gives_what_becomes_of_it_wherever_that_is)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(one_asks(at))};
    weft::durable_engine two{store, graphs_of(one_asks(at))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, parked_in("t"), result));
    co_await weft::sleep_for(1s);
    weft::question_answers answers;
    answers.emplace("s#1.0/x#1/ask#0", boost::json::value("Ada"));
    const thread_key key{"t"};
    std::optional<weft::run_result> elsewhere{co_await two.resume(key, answers)};
    co_await children.join();
    BOOST_TEST((elsewhere->status == run_status::finished));
    BOOST_TEST(words_of(elsewhere) == "x:Ada:1");
    BOOST_TEST(words_of(result) == "x:Ada:1");
}

WEFT_ASYNC_TEST_CASE(a_resume_takes_a_run_over_that_gave_itself_back_meanwhile)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    // It neither hears of answers nor looks for them before it gives itself back.
    weft::durable_options deaf = parking();
    deaf.poll_every = std::chrono::milliseconds{20'000};
    silent_store silent{store};
    weft::durable_engine one{silent, graphs_of(one_asks(at)), deaf};
    weft::durable_engine two{store, graphs_of(one_asks(at))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, in_thread("t"), result));
    co_await weft::sleep_for(100ms);
    const thread_key key{"t"};
    const bool is_paused = co_await two.pause(key);  // with the heartbeat, behind the answer
    BOOST_TEST(is_paused);
    weft::question_answers answers;
    answers.emplace("s#1.0/x#1/ask#0", boost::json::value("Ada"));
    std::optional<weft::run_result> taken{co_await two.resume(key, answers)};
    co_await children.join();
    BOOST_TEST((taken->status == run_status::finished));
    BOOST_TEST(words_of(taken) == "x:Ada:2");
    BOOST_TEST(at->calls == 1);
}

WEFT_ASYNC_TEST_CASE(a_graph_inside_parks_where_it_stands)
{
    auto at = std::make_shared<diary>();
    weft::graph_builder inner{"inside"};
    inner.state(words);
    inner.node("i", [at] { ++at->begun["i"]; }).node("x", asks_and_notes(at)).edge(weft::start, "i").edge("i", "x");
    weft::graph_builder builder{"around"};
    builder.state(value, other, total, words);
    builder.node("in", weft::subgraph{inner.build()}).node("z", [] {}).edge(weft::start, "in").edge("in", "z");
    const auto graphs = graphs_of(builder.build());
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs};
    weft::durable_engine two{store, graphs};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, parked_in("t"), result));
    co_await weft::sleep_for(5s);
    const thread_key key{"t"};
    const auto open = co_await two.questions(key);
    BOOST_TEST_REQUIRE(open.size() == 1u);
    BOOST_TEST(open.front().address == "in#1/x#1/ask#0");
    co_await answer_all(two, "t", "Ada");
    co_await children.join();
    BOOST_TEST(words_of(result) == "x:Ada:1");
    BOOST_TEST(at->begun["i"] == 1);
}

BOOST_AUTO_TEST_SUITE_END()
