#include <boost/test/unit_test.hpp>

#include "agent/streams.hpp"

#include <weft/async/scope.hpp>
#include <weft/testing/async_test_case.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::execution;
using weft::execution_stream;

BOOST_AUTO_TEST_SUITE(execution_stream_test)

namespace {

bool has_ended_as(const execution_stream& stream, const std::string& id, weft::run_status status)
{
    const execution* const found = stream.find(id);
    return found && found->at == execution::phase::ended && found->result && found->result->status == status;
}

weft::task<weft::run_result> throw_busy(weft::run_request)
{
    throw weft::error{weft::errc::thread_is_busy, "thread 't'", "another run has it"};
    co_return weft::run_result{};
}

}  // namespace

WEFT_ASYNC_TEST_CASE(HIV_42_a_second_start_begins_after_the_first_has_ended)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    execution_stream stream{*context.loop, "chat", runs_of(runs)};
    weft::scope children{context};
    children.spawn(stream.work());
    const std::string first = stream.execute(weft::run_request{"a"});
    co_await weft::sleep_for(1s);
    BOOST_TEST(runs.text() == "begin a");
    const std::string second = stream.execute(weft::run_request{"b"});
    BOOST_TEST(first != second);
    co_await weft::sleep_for(400ms);
    BOOST_TEST(runs.text() == "begin a");  // a is still ending
    stream.close();
    co_await children.join();
    BOOST_TEST(runs.text() == "begin a, cancelled a, begin b, finished b");
    BOOST_TEST(runs.most_at_once == 1);
    BOOST_TEST(has_ended_as(stream, first, weft::run_status::cancelled));
    BOOST_TEST(has_ended_as(stream, second, weft::run_status::finished));
    BOOST_TEST(!stream.is_active());
}

WEFT_ASYNC_TEST_CASE(HIV_42_of_several_that_wait_the_last_is_run)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    execution_stream stream{*context.loop, "chat", runs_of(runs)};
    const std::string first = stream.execute(weft::run_request{"a"});
    const std::string second = stream.execute(weft::run_request{"b"});
    stream.close();
    co_await stream.work();
    BOOST_TEST(runs.text() == "begin b, finished b");
    BOOST_TEST(!stream.find(first)->result.has_value());
    BOOST_TEST(stream.find(first)->problem == "another run came before it began");
    BOOST_TEST(has_ended_as(stream, second, weft::run_status::finished));
}

WEFT_ASYNC_TEST_CASE(HIV_42_a_failed_run_is_run_again_up_to_three_times)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    runs.failures_left = 2;
    execution_stream stream{*context.loop, "chat", runs_of(runs)};
    weft::scope children{context};
    children.spawn(stream.work());
    const weft::time_point before = context.loop->now();
    const std::string id = stream.execute(weft::run_request{"a"});
    co_await weft::sleep_for(35s);
    BOOST_TEST(has_ended_as(stream, id, weft::run_status::finished));
    BOOST_TEST(stream.find(id)->resurrections == 2u);
    BOOST_TEST((stream.find(id)->ended - before >= 34s));  // three runs and two cooldowns
    runs.failures_left = 9;
    const std::string lost = stream.execute(weft::run_request{"b"});
    stream.close();
    co_await children.join();
    BOOST_TEST(has_ended_as(stream, lost, weft::run_status::failed));
}

WEFT_ASYNC_TEST_CASE(HIV_42_it_gives_up_after_three_resurrections)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    runs.failures_left = 9;
    execution_stream stream{*context.loop, "chat", runs_of(runs)};
    weft::scope children{context};
    children.spawn(stream.work());
    const std::string id = stream.execute(weft::run_request{"a"});
    co_await weft::sleep_for(60s);
    BOOST_TEST(has_ended_as(stream, id, weft::run_status::failed));
    BOOST_TEST(stream.find(id)->resurrections == 3u);
    BOOST_TEST(runs.failures_left == 5);
    stream.close();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(HIV_42_a_fatal_failure_is_not_run_again)
{
    const weft::task_context& context = co_await weft::this_task::context();
    for (const char* words : {"Node stalled: 3 replies", "Max iterations (50) reached", "Ghost empty stream"}) {
        fake_runs runs;
        runs.failures_left = 1;
        runs.failure = words;
        execution_stream stream{*context.loop, "chat", runs_of(runs)};
        const std::string id = stream.execute(weft::run_request{"a"});
        stream.close();
        co_await stream.work();
        BOOST_TEST(stream.find(id)->resurrections == 0u);
        BOOST_TEST(runs.log.size() == 2u);
    }
    weft::failure key;
    key.code = weft::errc::model_unauthorized;
    BOOST_TEST(weft::is_fatal_failure(key));
    key.code = weft::errc::connection_lost;
    BOOST_TEST(!weft::is_fatal_failure(key));
}

WEFT_ASYNC_TEST_CASE(a_new_run_does_not_wait_for_the_cooldown)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    runs.failures_left = 1;
    execution_stream stream{*context.loop, "chat", runs_of(runs), {.cooldown = 1h}};
    weft::scope children{context};
    children.spawn(stream.work());
    const std::string first = stream.execute(weft::run_request{"a"});
    co_await weft::sleep_for(11s);
    BOOST_TEST(stream.is_active());
    const std::string second = stream.execute(weft::run_request{"b"});
    co_await weft::sleep_for(11s);
    BOOST_TEST(has_ended_as(stream, first, weft::run_status::failed));
    BOOST_TEST(has_ended_as(stream, second, weft::run_status::finished));
    stream.close();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(a_stop_ends_the_run_and_what_waits)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    execution_stream stream{*context.loop, "chat", runs_of(runs)};
    BOOST_TEST(!stream.stop());
    weft::scope children{context};
    children.spawn(stream.work());
    const std::string first = stream.execute(weft::run_request{"a"});
    co_await weft::sleep_for(1s);
    const std::string second = stream.execute(weft::run_request{"b"});
    BOOST_TEST(stream.stop());
    co_await weft::sleep_for(1s);
    BOOST_TEST(runs.text() == "begin a, cancelled a");
    BOOST_TEST(has_ended_as(stream, first, weft::run_status::cancelled));
    BOOST_TEST(stream.find(second)->problem == "it was stopped before it began");
    const std::string third = stream.execute(weft::run_request{"c"});
    stream.close();
    co_await children.join();
    BOOST_TEST(has_ended_as(stream, third, weft::run_status::finished));
}

WEFT_ASYNC_TEST_CASE(what_a_runner_throws_is_kept)
{
    const weft::task_context& context = co_await weft::this_task::context();
    execution_stream stream{*context.loop, "chat", &throw_busy};
    const std::string id = stream.execute(weft::run_request{"a"});
    stream.close();
    co_await stream.work();
    BOOST_TEST(stream.find(id)->problem.find("another run has it") != std::string::npos);
}

WEFT_ASYNC_TEST_CASE(old_results_are_forgotten)
{
    const weft::task_context& context = co_await weft::this_task::context();
    fake_runs runs;
    runs.time = 1s;
    execution_stream stream{*context.loop, "chat", runs_of(runs), {.results_max = 3, .results_kept = 1min}};
    weft::scope children{context};
    children.spawn(stream.work());
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i) {
        ids.push_back(stream.execute(weft::run_request{"a"}));
        co_await weft::sleep_for(2s);
    }
    BOOST_TEST(!stream.find(ids[1]));
    BOOST_TEST(stream.find(ids[2]));
    co_await weft::sleep_for(2min);
    const std::string last = stream.execute(weft::run_request{"a"});
    BOOST_TEST(!stream.find(ids[4]));
    BOOST_TEST(stream.find(last));
    stream.close();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(the_bus_is_told_of_resurrections)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::event_bus bus;
    fake_runs runs;
    runs.failures_left = 1;
    execution_stream stream{*context.loop, "chat", runs_of(runs), {.bus = &bus, .graph = "news"}};
    weft::scope children{context};
    children.spawn(stream.work());
    const std::string id = stream.execute(weft::run_request{"a"});
    co_await weft::sleep_for(30s);
    stream.close();
    co_await children.join();
    const auto told = bus.history(weft::bus_filter{{"execution_resurrected"}});
    BOOST_REQUIRE(told.size() == 1u);
    BOOST_TEST(told[0].stream == "chat");
    BOOST_TEST(told[0].execution == id);
    BOOST_TEST(told[0].graph == "news");
}

BOOST_AUTO_TEST_SUITE_END()
