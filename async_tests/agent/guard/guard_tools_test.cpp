#include <boost/test/unit_test.hpp>

#include "agent/guards.hpp"
#include "tool/tools.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/agent/guard/guard_tools.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/testing/simulation/suspension_points.hpp>
#include <weft/tool/tool_node.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::guard_verdict;
using weft::guardrails;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(guard_tools_test)

namespace {

/** Tools `echo`, `wait`, `fail`, and `pay`, which counts how often it was done. */
weft::tool_set tools_with_pay(std::shared_ptr<int> paid)
{
    weft::tool_set tools = some_tools();
    tools.add("pay", "Pays.", [paid](const word_arguments& a) {
        ++*paid;
        return "paid " + a.word;
    });
    return tools;
}

struct turn_of_tools {
    std::shared_ptr<int> paid = std::make_shared<int>(0);
    weft::tool_turn turn;
    std::optional<weft::guard_trip> trip;
    std::chrono::milliseconds elapsed{};
};

turn_of_tools run(guardrails guards, std::vector<weft::tool_call> calls, weft::tool_runner_options options = {})
{
    turn_of_tools result;
    const weft::tool_runner runner =
        runner_of(tools_with_pay(result.paid), weft::guard_tools(std::move(options), std::move(guards)));
    simulation sim{1};
    try {
        result.turn = sim.run(runner.run(std::move(calls), weft::tool_context{}));
    } catch (const weft::guardrail_error& e) {
        result.trip = e.trip();
    }
    result.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(sim.elapsed());
    return result;
}

weft::guardrail of_call(std::string tool, guard_verdict verdict, std::chrono::nanoseconds span = 1s)
{
    auto check = [=](weft::guard_subject subject) {
        return say_later(span, subject.call.name == tool ? verdict : guard_verdict::pass());
    };
    return weft::make_guardrail("of " + tool, check);
}

}  // namespace

BOOST_AUTO_TEST_CASE(P50_a_call_that_trips_leaves_no_call_of_its_message_made)
{
    guardrails guards;
    guards.tool_call = {of_call("echo", guard_verdict::trip("no echo"))};
    const auto result = run(guards, {call_of("1", "pay", R"({"word":"7"})"), call_of("2", "echo", R"({"word":"x"})")});
    BOOST_REQUIRE(result.trip);
    BOOST_TEST(result.trip->stage == weft::guard_stage::tool_call);
    BOOST_TEST(result.trip->reason == "no echo");
    BOOST_TEST(*result.paid == 0);
    BOOST_TEST(result.elapsed.count() == 1000);
}

BOOST_AUTO_TEST_CASE(a_call_that_is_refused_tells_the_model_and_the_others_are_made)
{
    guardrails guards;
    guards.tool_call = {of_call("echo", guard_verdict::refuse("Not here."))};
    const auto result = run(guards, {call_of("1", "pay", R"({"word":"7"})"), call_of("2", "echo", R"({"word":"x"})")});
    BOOST_TEST(statuses(result.turn) == "1:success 2:policy_denied");
    BOOST_TEST(text_of(result.turn.answers[0]) == "paid 7");
    BOOST_TEST(text_of(result.turn.answers[1]) == "Denied: Not here.");
    BOOST_TEST(result.elapsed.count() == 1000);
}

BOOST_AUTO_TEST_CASE(arguments_are_replaced_and_must_fit)
{
    const auto with = [](std::string arguments) {
        const auto check = [arguments](const weft::guard_subject& subject) {
            BOOST_TEST(subject.text == R"({"word":"100"})");
            return guard_verdict::replace(arguments);
        };
        guardrails guards;
        guards.tool_call = {weft::make_guardrail("cap", check, weft::guard_timing::first)};
        return run(guards, {call_of("1", "pay", R"({"word":"100"})")});
    };
    BOOST_TEST(text_of(with(R"({"word":"10"})").turn.answers[0]) == "paid 10");
    BOOST_TEST(statuses(with(R"({"words":"10"})").turn) == "1:invalid_arguments");
    const auto unfit = with("10");
    BOOST_TEST(statuses(unfit.turn) == "1:policy_denied");
    BOOST_TEST(*unfit.paid == 0);
}

BOOST_AUTO_TEST_CASE(a_result_is_looked_at_before_anybody_gets_it)
{
    guardrails guards;
    guards.tool_result = {masks("secret"), no_word("bomb", "bomb")};
    BOOST_TEST(text_of(run(guards, {call_of("1", "echo", R"({"word":"a secret"})")}).turn.answers[0]) == "a ***");
    const auto tripped =
        run(guards, {call_of("1", "echo", R"({"word":"a bomb"})"), call_of("2", "wait", R"({"ms":60000})")});
    BOOST_REQUIRE(tripped.trip);
    BOOST_TEST(tripped.trip->stage == weft::guard_stage::tool_result);
    BOOST_TEST(tripped.elapsed.count() == 0);  // the call beside it was stopped
    guards.tool_result = {guard_that("no", 0s, guard_verdict::refuse("It is private."))};
    const auto withheld = run(guards, {call_of("1", "echo", R"({"word":"x"})")});
    BOOST_TEST(statuses(withheld.turn) == "1:policy_denied");
    BOOST_TEST(text_of(withheld.turn.answers[0]) == "The result is withheld: It is private.");
}

BOOST_AUTO_TEST_CASE(a_check_of_a_call_that_fails_trips)
{
    guardrails guards;
    guards.tool_call = {guard_that("slow", 1h, guard_verdict::pass())};
    const auto result = run(guards, {call_of("1", "pay", R"({"word":"7"})")});
    BOOST_REQUIRE(result.trip);
    BOOST_TEST(result.trip->has_failed);
    BOOST_TEST(*result.paid == 0);
}

BOOST_AUTO_TEST_CASE(what_the_options_have_already_comes_first)
{
    weft::tool_runner_options options;
    const auto refuses = [](weft::tool_invocation&, const weft::tool_entry&) -> weft::task<std::optional<std::string>> {
        co_return "the program says no";
    };
    options.admit = refuses;
    guardrails guards;
    guards.tool_call = {guard_that("never", 0s, guard_verdict::trip("asked"))};
    const auto result = run(guards, {call_of("1", "pay", R"({"word":"7"})")}, options);
    BOOST_TEST(text_of(result.turn.answers[0]) == "Denied: the program says no");
}

namespace {

constexpr weft::state_key<weft::list<weft::message>, weft::append> messages{"messages"};

weft::list<weft::message> talk_with_calls()
{
    weft::message calling = weft::message::assistant("");
    calling.tool_calls = {call_of("1", "pay", R"({"word":"7"})"), call_of("2", "pay", R"({"word":"8"})")};
    return {weft::message::user("go"), calling};
}

weft::graph graph_with(std::shared_ptr<int> paid, guardrails guards)
{
    return weft::graph_builder{"g"}
        .state(messages)
        .initial(messages, talk_with_calls())
        .node("tools", weft::tool_node{tools_with_pay(paid), {}, weft::guard_tools({}, std::move(guards))},
              {.retry = {.attempts_max = 3}})
        .edge(weft::start, "tools")
        .build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_node_fails_with_what_tripped_and_is_not_tried_again)
{
    guardrails guards;
    const auto seen = std::make_shared<std::vector<std::string>>();
    guards.tool_call = {guard_that("all", 1s, guard_verdict::trip("no money"), seen)};
    const auto paid = std::make_shared<int>(0);
    const weft::graph graph = graph_with(paid, std::move(guards));
    simulation sim{1};
    std::vector<std::string> told;
    const auto watch = [&told](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::output && event.label == weft::agent_event::guardrail)
            told.push_back(event.text);
    };
    const weft::engine engine{graph};
    const weft::run_result result =
        sim.run(engine.run(weft::run_request{}.on_event(watch)));
    BOOST_TEST((result.status == weft::run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::guardrail_tripped));
    const weft::guard_trip* const trip = weft::find_trip(result.why->cause);
    BOOST_REQUIRE(trip);
    BOOST_TEST(trip->guardrail == "all");
    BOOST_TEST(result.message().find("no money") != std::string_view::npos);
    BOOST_TEST(*paid == 0);
    BOOST_TEST(seen->size() == 2u);
    BOOST_REQUIRE(told.size() >= 1u);
    BOOST_TEST(told[0] == R"({"guardrail":"all","stage":"tool_call","action":"trip","reason":"no money"})");
}

namespace {

weft::task<void> call_with_everything()
{
    const auto paid = std::make_shared<int>(0);
    guardrails guards;
    guards.tool_call = {guard_that("a", 100ms, guard_verdict::pass()), guard_that("b", 200ms, guard_verdict::pass())};
    guards.tool_result = {guard_that("c", 300ms, guard_verdict::pass())};
    const weft::tool_runner runner = runner_of(tools_with_pay(paid), weft::guard_tools({}, std::move(guards)));
    std::vector<weft::tool_call> calls =
        calls_of(call_of("1", "pay", R"({"word":"7"})"), call_of("2", "wait", R"({"ms":400})"));
    weft::tool_context context;
    const weft::tool_turn turn = co_await runner.run(std::move(calls), std::move(context));
    BOOST_REQUIRE(turn.answers.size() == 2u);
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_can_be_destroyed_and_stopped_at_every_suspension_point)
{
    const auto make = [] { return call_with_everything(); };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 4u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) > 4u);
}

BOOST_AUTO_TEST_SUITE_END()
