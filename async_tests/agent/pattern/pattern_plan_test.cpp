#include <boost/test/unit_test.hpp>

#include "agent/teams.hpp"

#include <weft/agent/pattern/pattern_plan.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
namespace patterns = weft::patterns;
using weft::errc;

BOOST_AUTO_TEST_SUITE(pattern_plan_test)

namespace {

/** Plans what a list says, one text after the other, the last again. */
patterns::participant planner_of(std::vector<std::string> plans,
                                 std::shared_ptr<std::vector<std::string>> asked = nullptr)
{
    const auto count = std::make_shared<std::size_t>(0);
    return who_says("planner", 1s, [=](const std::string& task) {
        if (asked) asked->push_back(task);
        return plans.at(std::min((*count)++, plans.size() - 1));
    });
}

/** Does steps; those with "bad" in them fail. */
patterns::participant executor()
{
    return who_says("executor", 1s, [](const std::string& task) {
        const std::string step = task.substr(std::string{"Do this step and nothing else:\n\n"}.size());
        const std::string name = step.substr(0, step.find("\n"));
        if (name == "bad") throw weft::error{errc::model_rejected, "test", "fails on purpose"};
        return "did " + name;
    });
}

std::string steps_of(const team_run& run)
{
    std::string text;
    if (const auto* const all = run.result.state.find(patterns::steps_done))
        for (const patterns::done_step& one : *all) {
            text.append(text.empty() ? "" : ", ").append(one.step);
            text.append(one.has_failed ? " failed" : "=" + one.result);
        }
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(steps_are_done_in_turn_and_the_planner_answers)
{
    const auto asked = std::make_shared<std::vector<std::string>>();
    const auto graph = patterns::plan_and_execute(
        "p", planner_of({R"(Sure: {"steps": ["one", "two"]})", R"({"answer": "all done"})"}, asked), executor());
    const team_run run = run_team(graph, "Build.");
    BOOST_TEST(run.answer() == "all done");
    BOOST_TEST(steps_of(run) == "one=did one, two=did two");
    BOOST_TEST(run.elapsed.count() == 4000);
    BOOST_TEST(run.result.state.get(patterns::plan_stands).plans == 2);
    BOOST_REQUIRE(asked->size() == 2u);
    BOOST_TEST(asked->at(0).starts_with("Plan how to do this task:\n\nBuild.\n\nAnswer with one JSON object"));
    BOOST_TEST(asked->at(1).find("This was done so far:\n\n1. one\nResult: did one\n\n2. two\nResult: did two") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_step_that_fails_leads_to_another_plan)
{
    const auto asked = std::make_shared<std::vector<std::string>>();
    const auto graph = patterns::plan_and_execute(
        "p",
        planner_of({R"({"steps": ["one", "bad", "never"]})", R"({"steps": ["other"]})", R"({"answer": "x"})"}, asked),
        executor());
    const team_run run = run_team(graph, "Build.");
    BOOST_TEST(run.answer() == "x");
    BOOST_TEST(steps_of(run) == "one=did one, bad failed, other=did other");
    BOOST_TEST(asked->at(1).find("2. bad\nIt failed: ") != std::string::npos);
    BOOST_TEST(asked->at(1).find("fails on purpose") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(plans_and_steps_are_bounded)
{
    const auto looping = [](patterns::plan_options options) {
        const auto planner = planner_of({R"({"steps": ["one", "two", "three"]})"});
        return run_team(patterns::plan_and_execute("p", planner, executor(), options), "x");
    };
    const team_run plans = looping({.plans_max = 2});
    BOOST_TEST((plans.code() == errc::limit_reached));
    BOOST_TEST(plans.result.message().find("2 plans and 6 steps") != std::string_view::npos, plans.result.message());
    const team_run steps = looping({.steps_max = 4});
    BOOST_TEST((steps.code() == errc::limit_reached));
    BOOST_TEST(steps.result.message().find("2 plans and 4 steps") != std::string_view::npos, steps.result.message());
    BOOST_TEST(steps_of(looping({.plans_max = 1, .plan_steps_max = 1})) == "one=did one");
    BOOST_TEST(refusal_of([&] {
                   return patterns::plan_and_execute("p", planner_of({"x"}), executor(), {.plans_max = 0});
               }).find("less than 1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(after_its_last_step_the_planner_may_still_answer)
{
    const auto graph = patterns::plan_and_execute(
        "p", planner_of({R"({"steps": ["one"]})", R"({"answer": "x"})"}), executor(), {.steps_max = 1});
    BOOST_TEST(run_team(graph, "x").answer() == "x");
}

BOOST_AUTO_TEST_CASE(a_planner_that_cannot_write_is_asked_twice)
{
    const auto graph = [](std::vector<std::string> plans) {
        return patterns::plan_and_execute("p", planner_of(std::move(plans)), executor());
    };
    BOOST_TEST(run_team(graph({"I think…", R"({"answer": "x"})"}), "x").answer() == "x");
    BOOST_TEST((run_team(graph({"I think…", R"({"steps": []})", R"({"answer": "x"})"}), "x").code() ==
                errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(a_guardrail_in_a_step_is_no_mishap)
{
    const auto trips = who_says("executor", 0s, [](const std::string&) -> std::string {
        throw weft::error{errc::guardrail_tripped, "test", "no"};
    });
    const auto graph = patterns::plan_and_execute("p", planner_of({R"({"steps": ["one"]})"}), trips);
    BOOST_TEST((run_team(graph, "x").code() == errc::guardrail_tripped));
}

BOOST_AUTO_TEST_CASE(it_can_be_destroyed_and_stopped_at_every_suspension_point)
{
    const auto graph = [] {
        return patterns::plan_and_execute("p", planner_of({R"({"steps": ["one", "bad"]})", R"({"answer": "x"})"}),
                                          executor());
    };
    const auto make = [=] { return run_whole(graph, "x"); };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 4u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) >= 4u);
}

BOOST_AUTO_TEST_SUITE_END()
