#include <boost/test/unit_test.hpp>

#include "tool/tools.hpp"

#include <weft/testing/async_test_case.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(tool_turn_state_test)

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using weft::task;
using weft::tool_invocation;
using weft::tool_runner_options;
using weft::tool_status;
using weft::tool_turn;

/** A tool that keeps its arguments, so that the caller has them no more if it gave its own. */
weft::tool_set keeping_tools(std::vector<json::object>& kept, int failures = 0)
{
    weft::tool_set tools;
    const json::object any{{"type", "object"}};
    tools.add("keep", "Keeps its arguments.", any, [&kept, failures](json::object arguments) -> std::string {
        kept.push_back(std::move(arguments));
        if (static_cast<int>(kept.size()) <= failures) throw std::runtime_error{"not yet"};
        return "kept";
    }).idempotent();
    return tools;
}

task<tool_turn> run_with(weft::tool_set tools, std::vector<weft::tool_call> calls, tool_runner_options options)
{
    const weft::tool_runner runner = runner_of(std::move(tools), std::move(options));
    tool_turn turn = co_await runner.run(std::move(calls), weft::tool_context{});
    co_return turn;
}

task<void> keep(task<tool_turn> work, tool_turn& into)
{
    tool_turn turn = co_await std::move(work);
    into = std::move(turn);
}

task<void> look(const tool_invocation& call, std::vector<std::string>& seen)
{
    seen.push_back("inspect " + json::serialize(call.arguments));
    co_return;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_call_that_is_made_once_takes_its_arguments)
{
    std::vector<json::object> kept;
    tool_runner_options options;
    options.retry.attempts_max = 1;
    const tool_turn turn = co_await run_with(keeping_tools(kept), calls_of(call_of("a", "keep", R"({"n":1})")),
                                             std::move(options));
    BOOST_TEST(statuses(turn) == "a:success");
    BOOST_TEST((kept == std::vector<json::object>{{{"n", 1}}}));
}

WEFT_ASYNC_TEST_CASE(what_looks_at_a_call_behind_it_sees_its_arguments)
{
    std::vector<json::object> kept;
    std::vector<std::string> seen;
    tool_runner_options options;
    options.retry.attempts_max = 1;
    options.inspect = [&seen](const tool_invocation& call, weft::tool_answer&) { return look(call, seen); };
    const tool_turn inspected = co_await run_with(keeping_tools(kept), calls_of(call_of("a", "keep", R"({"n":1})")),
                                                  std::move(options));
    tool_runner_options others;
    others.retry.attempts_max = 1;
    others.after = [&seen](const tool_invocation& call, weft::tool_answer&) {
        seen.push_back("after " + json::serialize(call.arguments));
    };
    const tool_turn followed = co_await run_with(keeping_tools(kept), calls_of(call_of("b", "keep", R"({"n":2})")),
                                                 std::move(others));
    BOOST_TEST(statuses(inspected) + " " + statuses(followed) == "a:success b:success");
    BOOST_TEST((seen == std::vector<std::string>{R"(inspect {"n":1})", R"(after {"n":2})"}));
}

WEFT_ASYNC_TEST_CASE(each_attempt_gets_the_arguments)
{
    std::vector<json::object> kept;
    tool_runner_options options;
    options.retry.attempts_max = 3;
    const tool_turn turn = co_await run_with(keeping_tools(kept, 2), calls_of(call_of("a", "keep", R"({"n":1})")),
                                             std::move(options));
    BOOST_TEST(statuses(turn) == "a:success");
    BOOST_TEST(turn.answers[0].attempts == 3u);
    BOOST_TEST((kept == std::vector<json::object>{{{"n", 1}}, {{"n", 1}}, {{"n", 1}}}));
}

WEFT_ASYNC_TEST_CASE(a_guardrail_ends_a_turn_of_one_call)
{
    tool_runner_options options;
    options.inspect = [](const tool_invocation&, weft::tool_answer&) -> task<void> {
        throw weft::error{weft::errc::guardrail_tripped, "a guard", "no"};
    };
    std::string thrown;
    try {
        static_cast<void>(co_await run_with(some_tools(), calls_of(call_of("a", "echo", R"({"word":"w"})")),
                                            std::move(options)));
    } catch (const weft::error& e) {
        thrown = weft::name_of(e.code());
    }
    BOOST_TEST(thrown == "guardrail_tripped");
}

BOOST_AUTO_TEST_CASE(calls_that_stand_alone_are_stopped_with_their_answers)
{
    weft::testing::simulation sim{1};
    weft::tool_set tools;
    tools.add("alone", "", [](wait_arguments a) { return wait_and_say(a.ms); }).sequential();
    std::vector<weft::tool_call> calls{call_of("a", "alone", R"({"ms":10})"), call_of("b", "alone", R"({"ms":20})"),
                                       call_of("c", "alone", R"({"ms":20})")};
    tool_turn turn;
    weft::testing::simulation::root<void> root{
        sim, keep(run_with(std::move(tools), std::move(calls), tool_runner_options{}), turn)};
    while (sim.elapsed() < 10ms) sim.step();
    root.request_stop();
    while (!root.has_ended()) sim.step();
    BOOST_TEST((sim.elapsed() == 10ms));
    BOOST_TEST(turn.is_cancelled);
    BOOST_TEST(statuses(turn) == "a:success b:cancelled c:cancelled");
    BOOST_TEST(text_of(turn.answers.at(1)) == "Cancelled before it was done.");
    BOOST_TEST(text_of(turn.answers.at(2)) == "Cancelled before it was done.");
}

BOOST_AUTO_TEST_CASE(a_turn_of_one_call_ends_wherever_it_is_stopped)
{
    const auto make = [] {
        return run_with(some_tools(), calls_of(call_of("a", "wait", R"({"ms":10})")), tool_runner_options{});
    };
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) >= 1u);
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) >= 1u);
}

BOOST_AUTO_TEST_SUITE_END()
