#include "ensembles.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/run/route_decider.hpp>

#include <stdexcept>

using namespace weft_tests;
using namespace std::chrono_literals;
using builder = weft::ensemble_graph::builder;
using weft::step_limit_action;

BOOST_AUTO_TEST_SUITE(ensemble_graph_test)

namespace {

auto last_is(std::string text)
{
    return [text](const weft::ensemble_routing_context& context) { return context.last_output.text == text; };
}

auto visited(std::string state, std::size_t times)
{
    return [state, times](const weft::ensemble_routing_context& context) {
        return context.outputs_of(state).size() >= times;
    };
}

/** a -> b -> a -> … without end. */
builder endless(std::int64_t max_steps)
{
    builder made;
    made.name("g").state("a", counts()).state("b", counts()).edge("a", "b").edge("b", "a").start("a");
    made.max_steps(max_steps);
    return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(AGE_2_a_line_of_states)
{
    builder made;
    made.name("g").state("a", says("1")).state("b", says("2")).edge("a", "b").edge("b", "__END__").start("a");
    const auto result = run_ensemble(made.build());
    BOOST_TEST(path_of(result) == "a b");
    BOOST_TEST(result.termination_reason == "terminal");
    BOOST_TEST(result.final_output().text == "2");
    BOOST_TEST(result.history[0].next_state == "b");
    BOOST_TEST(result.history[1].next_state == "__END__");
    BOOST_TEST(result.history[1].step_number == 2u);
}

BOOST_AUTO_TEST_CASE(AGE_2_of_several_edges_the_first_that_matches_is_taken)
{
    builder made;
    made.name("g").state("a", says("yes")).state("b", says("b")).state("c", says("c")).state("d", says("d"));
    made.edge("a", "b", last_is("no")).edge("a", "c", last_is("yes")).edge("a", "d").edge("a", "b", last_is("yes"));
    made.edge("b", "__END__").edge("c", "__END__").edge("d", "__END__").start("a");
    BOOST_TEST(path_of(run_ensemble(made.build())) == "a c");
    builder early;
    early.name("g").state("a", says("yes")).state("b", says("b")).state("c", says("c"));
    early.edge("a", "b").edge("a", "c", last_is("yes")).edge("b", "__END__").edge("c", "__END__").start("a");
    BOOST_TEST(path_of(run_ensemble(early.build())) == "a b");
}

BOOST_AUTO_TEST_CASE(AGE_2_states_are_visited_again)
{
    builder made;
    made.name("g").state("analyze", counts()).state("tool", counts());
    made.edge("analyze", "__END__", visited("tool", 2)).edge("analyze", "tool").edge("tool", "analyze");
    const auto result = run_ensemble(made.start("analyze").build());
    BOOST_TEST(path_of(result) == "analyze tool analyze tool analyze");
    BOOST_TEST(result.steps_run() == 5u);
    BOOST_TEST(result.final_output().text == "analyze 3");
}

BOOST_AUTO_TEST_CASE(AGE_3_return_last)
{
    const auto result = run_ensemble(endless(3).build());
    BOOST_TEST(path_of(result) == "a b a");
    BOOST_TEST(result.termination_reason == "maxSteps");
    BOOST_TEST(!result.was_terminated_by_max_steps);
    BOOST_TEST(result.final_output().text == "a 2");
    BOOST_TEST(result.history.back().next_state == "b");
}

BOOST_AUTO_TEST_CASE(AGE_3_raise)
{
    const auto graph = endless(3).on_max_steps(step_limit_action::raise).build();
    try {
        run_ensemble(graph);
        BOOST_FAIL("nothing was thrown");
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == weft::errc::steps_exceeded));
        BOOST_TEST(e.detail() == "Graph 'g' did not reach a terminal state after 3 step(s). Last state: 'a'.");
    }
}

BOOST_AUTO_TEST_CASE(AGE_3_return_with_flag)
{
    const auto result = run_ensemble(endless(2).on_max_steps(step_limit_action::return_with_flag).build());
    BOOST_TEST(result.was_terminated_by_max_steps);
    BOOST_TEST(path_of(result) == "a b");
}

BOOST_AUTO_TEST_CASE(AGE_3_the_end_on_the_last_permitted_step_is_terminal)
{
    builder made;
    made.name("g").state("a", says("1")).state("b", says("2")).edge("a", "b").edge("b", "__END__").start("a");
    made.on_max_steps(step_limit_action::raise);
    const auto result = run_ensemble(made.max_steps(2).build());
    BOOST_TEST(result.termination_reason == "terminal");
    BOOST_CHECK_THROW(run_ensemble(made.max_steps(1).build()), weft::error);
}

BOOST_AUTO_TEST_CASE(AGE_3_a_routing_that_fails_on_the_last_permitted_step_counts_as_the_limit)
{
    builder made;
    made.name("g").state("a", says("1")).edge("a", "a", last_is("2")).start("a").max_steps(1);
    BOOST_TEST(run_ensemble(made.build()).termination_reason == "maxSteps");
    made.edge("a", "a", [](const auto&) -> bool { throw std::runtime_error{"broken"}; });
    BOOST_TEST(run_ensemble(made.build()).termination_reason == "maxSteps");
    BOOST_TEST(has(error_of([&] { run_ensemble(made.max_steps(2).build()); }), "broken"));
    builder fails;
    fails.name("g").state("a", {"", []() -> std::string { throw std::runtime_error{"broken task"}; }});
    fails.edge("a", "__END__").start("a").max_steps(1);
    BOOST_TEST(has(error_of([&] { run_ensemble(fails.build()); }), "broken task"));
}

BOOST_AUTO_TEST_CASE(AGE_4_without_a_matching_edge_the_candidates_are_listed)
{
    const auto never = [](const auto&) { return false; };
    builder made;
    made.name("g").state("a", says(std::string(250, 'x'))).state("b", says("b"));
    made.edge("a", "b", never, "label").edge("a", "__END__", never).edge("b", "__END__").start("a");
    try {
        run_ensemble(made.build());
        BOOST_FAIL("nothing was thrown");
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == weft::errc::no_edge_matched));
        for (const char* part : {"Graph 'g'", "state 'a'", "step 1", "→ b (label)", "→ __END__ (predicate)"})
            BOOST_TEST(has(e.what(), part), part);
        BOOST_TEST(has(e.what(), std::string(200, 'x') + "…"));
        BOOST_TEST(!has(e.what(), std::string(201, 'x')));
    }
}

BOOST_AUTO_TEST_CASE(AGE_5_a_further_visit_is_told_to_refine_what_the_same_state_gave)
{
    std::vector<std::string> seen;
    const auto look = [&seen](weft::ensemble_task_context& context) {
        const auto& revision = context.revision();
        seen.push_back(revision ? revision->prior_output.text + "|" + std::to_string(revision->attempt) + "|" +
                                      revision->feedback
                                : "first");
        if (context.visit() == 2) seen.push_back(context.prompt());
        return "draft " + std::to_string(context.visit());
    };
    const auto graph = [&](bool is_suppressed) {
        builder made;
        made.name("g").state("write", {"Write.", look}).state("critique", says("hm")).edge("critique", "write");
        made.edge("write", "__END__", visited("write", 3)).edge("write", "critique").start("write");
        if (is_suppressed) made.no_feedback("write");
        return made;
    };
    run_ensemble(graph(false).build());
    BOOST_REQUIRE(seen.size() == 4u);
    BOOST_TEST(seen[0] == "first");
    BOOST_TEST(seen[1] == "draft 1|1|Graph state 'write' visit #2. Prior visit's output is provided above; refine your "
                          "response based on it.");
    BOOST_TEST(seen[2] == "Write.\n\n## Revision Instructions (Attempt 1)\n\n### Feedback\n"
                          "Graph state 'write' visit #2. Prior visit's output is provided above; refine your response "
                          "based on it.\n\n"
                          "### Previous Output\ndraft 1");
    BOOST_TEST(has(seen[3], "draft 2|2|Graph state 'write' visit #3."));
    seen.clear();
    run_ensemble(graph(true).build());
    BOOST_TEST(seen[1] == "first");
    seen.clear();
    run_ensemble(graph(false).inject_feedback_on_revisit(false).build());
    BOOST_TEST(seen[1] == "first");
}

BOOST_AUTO_TEST_CASE(AGE_6_outputs_by_state_and_by_task)
{
    const auto writing = std::make_shared<const weft::ensemble_task>(counts());
    builder made;
    made.name("g").state("write", writing).state("critique", counts()).edge("critique", "write");
    made.edge("write", "__END__", visited("write", 3)).edge("write", "critique").start("write");
    const auto result = run_ensemble(made.build());
    BOOST_TEST(result.output_of(writing)->text == "write 3");
    BOOST_TEST(result.output_of(std::make_shared<const weft::ensemble_task>(counts())) == nullptr);
    BOOST_TEST(result.last_output_for_state("critique")->text == "critique 2");
    BOOST_TEST(result.last_output_for_state("nobody") == nullptr);
    const auto by_name = result.state_outputs_by_name();
    BOOST_REQUIRE(by_name.at("write").size() == 3u);
    BOOST_TEST(by_name.at("write")[1].text == "write 2");
    BOOST_TEST(path_of(result) == "write critique write critique write");
}

BOOST_AUTO_TEST_CASE(AGE_7_listeners_hear_of_every_step_and_cannot_disturb_it)
{
    std::vector<std::string> heard;
    const auto listen = [&heard](const weft::ensemble_state_completed& e) {
        heard.push_back(e.graph_name + " " + std::to_string(e.step_number) + "/" + std::to_string(e.max_steps) + " " +
                        e.state_name + " -> " + e.next_state + ": " + e.output.text + " in " +
                        std::to_string(e.step_duration / 1ms));
        throw std::runtime_error{"a bad listener"};
    };
    const auto slow = [](weft::ensemble_task_context&) -> weft::task<std::string> {
        co_await weft::sleep_for(5ms);
        co_return "slow";
    };
    builder made;
    made.name("g").state("a", {"", slow}).state("b", says("2")).edge("a", "b").edge("b", "__END__").start("a");
    int others = 0;
    const auto count = [&others](const weft::ensemble_state_completed&) { ++others; };
    const auto result =
        run_ensemble(made.build(), weft::ensemble_request{}.on_state_completed(listen).on_state_completed(count));
    BOOST_TEST(result.termination_reason == "terminal");
    const std::vector<std::string> expected{"g 1/50 a -> b: slow in 5", "g 2/50 b -> __END__: 2 in 0"};
    BOOST_TEST(heard == expected, boost::test_tools::per_element());
    BOOST_TEST(others == 2);
}

BOOST_AUTO_TEST_CASE(AGE_9_the_trace_as_json)
{
    const auto trace = run_ensemble(endless(2).build()).trace();
    BOOST_TEST(boost::json::serialize(weft::to_json(trace)) ==
               R"({"graphName":"g","startState":"a","terminationReason":"maxSteps","stepsRun":2,"maxSteps":2,)"
               R"("steps":[{"stateName":"a","stepNumber":1,"nextState":"b"},)"
               R"({"stateName":"b","stepNumber":2,"nextState":"a"}]})");
}

BOOST_AUTO_TEST_CASE(AGE_10_a_tool_router_with_edges_that_lead_back)
{
    const auto route = [](weft::ensemble_task_context& context) {
        constexpr const char* answers[] = {"search", "compute", "done"};
        return std::string{answers[context.visit() - 1]};
    };
    builder made;
    made.name("router").state("route", {"Choose a tool for {topic}", route}).state("search", says("found"));
    made.state("compute", says("42")).state("answer", says("The answer is 42"));
    made.edge("route", "search", last_is("search")).edge("route", "compute", last_is("compute"));
    made.edge("route", "answer");
    made.edge("search", "route").edge("compute", "route").edge("answer", "__END__").start("route");
    const auto result = run_ensemble(made.build(), weft::ensemble_request{}.inputs({{"topic", "life"}}));
    BOOST_TEST(path_of(result) == "route search route compute route answer");
    BOOST_TEST(result.final_output().text == "The answer is 42");
}

BOOST_AUTO_TEST_CASE(AGE_10_selective_feedback_writes_three_times_and_researches_once)
{
    builder made;
    made.name("g").state("research", counts()).state("write", counts()).state_no_feedback("critique", counts());
    made.state("publish", counts()).edge("research", "write").edge("write", "critique").start("research");
    made.edge("critique", "publish", visited("critique", 3)).edge("critique", "write").edge("publish", "__END__");
    const auto outputs = run_ensemble(made.build()).state_outputs_by_name();
    BOOST_TEST(outputs.at("research").size() == 1u);
    BOOST_TEST(outputs.at("write").size() == 3u);
    BOOST_TEST(outputs.at("critique").size() == 3u);
    BOOST_TEST(outputs.at("publish").size() == 1u);
}

BOOST_AUTO_TEST_CASE(variables_are_resolved_before_the_run)
{
    const auto echo = [](weft::ensemble_task_context& context) { return context.description(); };
    builder made;
    made.name("g").state("a", {"On {topic}: {\"a\": 1} {", echo}).edge("a", "__END__").start("a");
    const auto result = run_ensemble(made.build(), weft::ensemble_request{}.inputs({{"topic", "{rain}"}}));
    BOOST_TEST(result.final_output().text == "On {rain}: {\"a\": 1} {");
    BOOST_TEST(has(error_of([&] { run_ensemble(made.build()); }), "[topic] have no value"));
}

BOOST_AUTO_TEST_CASE(outputs_may_be_json)
{
    const auto structured = [] { return boost::json::object{{"score", 7}}; };
    const auto is_good = [](const weft::ensemble_routing_context& c) { return c.last_output.json.at("score") == 7; };
    builder made;
    made.name("g").state("a", {"", structured}).edge("a", "__END__", is_good).start("a");
    BOOST_TEST(run_ensemble(made.build()).final_output().text == R"({"score":7})");
}

BOOST_AUTO_TEST_SUITE_END()
