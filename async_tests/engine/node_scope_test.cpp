#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(node_scope_test)

namespace {

weft::run_result run_one(std::function<void(weft::node_context&)> work, weft::node_options options,
                         weft::run_request request = {})
{
    return simulate(empty_graph().node("a", std::move(work), std::move(options)).edge(weft::start, "a").build(),
                    std::move(request));
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_10_a_write_outside_the_declared_keys_fails_the_node)
{
    const auto work = [](weft::node_context& context) { context.set(value, 1); };
    BOOST_TEST((run_one(work, {}).status == weft::run_status::finished));
    BOOST_TEST((run_one(work, {.writes = weft::keys(value)}).status == weft::run_status::finished));
    const auto refused = run_one(work, {.writes = weft::keys(other)});
    BOOST_TEST((refused.why->code == weft::errc::key_out_of_scope));
    BOOST_TEST(refused.message().find("'value'") != std::string::npos);
    BOOST_TEST(refused.state.find(value) == nullptr);
}

BOOST_AUTO_TEST_CASE(HIV_10_a_read_outside_the_declared_keys_fails_the_node)
{
    const auto work = [](weft::node_context& context) { context.set(other, context.value_or(value, 3)); };
    const auto why = [&](weft::node_options options) { return run_one(work, std::move(options)).why; };
    BOOST_TEST(!why({.reads = weft::keys(value)}));
    BOOST_TEST((why({.reads = weft::keys(total)})->code == weft::errc::key_out_of_scope));
    // What a node may write it may read.
    BOOST_TEST(!why({.reads = weft::keys(total), .writes = weft::keys(value, other)}));
}

BOOST_AUTO_TEST_CASE(a_command_writes_within_the_declared_keys_too)
{
    const auto work = [](weft::node_context&) { return weft::command::next().set(value, 1); };
    const weft::graph graph =
        empty_graph().node("a", work, {.writes = weft::keys(other)}).edge(weft::start, "a").build();
    BOOST_TEST((simulate(graph).why->code == weft::errc::key_out_of_scope));
}

BOOST_AUTO_TEST_CASE(HIV_13_outputs_that_are_owed_and_missing_or_blank_fail_the_node)
{
    constexpr weft::state_key<std::string> text{"text"};
    const auto why = [&](std::function<void(weft::node_context&)> work, std::vector<std::string> nullable = {}) {
        weft::node_options options;
        options.writes = weft::keys(text);
        options.outputs = {.required = true, .nullable = std::move(nullable), .text_max = 10};
        const weft::graph graph =
            empty_graph().state(text).node("a", std::move(work), std::move(options)).edge(weft::start, "a").build();
        const auto result = simulate(graph);
        return result.why ? result.message() : std::string{};
    };
    const auto says = [&](std::string words) {
        return [words, &text](weft::node_context& context) { context.set(text, words); };
    };
    BOOST_TEST(why(says("fine")) == "");
    BOOST_TEST(why([](weft::node_context&) {}).find("key 'text' has no value") != std::string::npos);
    BOOST_TEST(why(says(" \n\t")).find("key 'text' is blank") != std::string::npos);
    BOOST_TEST(why(says("eleven long")).find("has 11 characters, and 10 are allowed") != std::string::npos);
    BOOST_TEST(why([](weft::node_context&) {}, {"text"}) == "");
}

BOOST_AUTO_TEST_CASE(HIV_13_a_node_that_does_not_pass_is_tried_again)
{
    int attempts = 0;
    const auto work = [&attempts](weft::node_context& context) { context.set(value, ++attempts); };
    weft::node_options options = tries(3);
    options.outputs.passes = [](const weft::node_context& context) {
        return context.get(value) < 3 ? std::string{"too small"} : std::string{};
    };
    const auto result = run_one(work, options);
    BOOST_TEST((result.status == weft::run_status::finished));
    BOOST_TEST(attempts == 3);
    BOOST_TEST(result.state.get(value) == 3);
    options.retry.attempts_max = 1;
    attempts = 0;
    const auto failed = run_one(work, options);
    BOOST_TEST((failed.why->code == weft::errc::invalid_output));
    BOOST_TEST(failed.message().find("too small") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(HIV_13_values_that_do_not_fit_their_schema_fail_the_node_with_all_mistakes)
{
    const weft::json_schema small{boost::json::value{{"maximum", 2}, {"multipleOf", 2}}};
    const auto run_with = [&](std::int64_t what, weft::node_options options) {
        options.outputs.schemas = {{"value", small}, {"other", weft::json_schema{false}}};
        return run_one([what](weft::node_context& context) { context.set(value, what); }, std::move(options));
    };
    BOOST_TEST(!run_with(2, {}).why);
    BOOST_TEST(!run_with(2, {.writes = weft::keys(value, other)}).why);
    const auto failed = run_with(3, {});
    BOOST_TEST((failed.why->code == weft::errc::invalid_output));
    const std::string all = "key 'value': must be at most 2, got 3; key 'value': must be a multiple of 2, got 3";
    BOOST_TEST(failed.message().find(all) != std::string::npos);
    BOOST_TEST(failed.state.find(value) == nullptr);
}

BOOST_AUTO_TEST_CASE(schemas_of_outputs_are_of_keys_that_the_node_writes)
{
    const auto mistakes_of = [](std::string key, weft::node_options options) {
        options.outputs.schemas.emplace(std::move(key), weft::json_schema{true});
        try {
            (void)empty_graph().node("a", [] {}, std::move(options)).edge(weft::start, "a").build();
        } catch (const weft::error& e) {
            return std::string{e.what()};
        }
        return std::string{};
    };
    BOOST_TEST(mistakes_of("value", {}) == "");
    BOOST_TEST(mistakes_of("nope", {}).find("schema for key 'nope', which the graph does not declare") !=
               std::string::npos);
    BOOST_TEST(mistakes_of("value", {.writes = weft::keys(other)}).find("which it does not write") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(AGE_5_a_further_visit_is_told_what_the_node_gave_before)
{
    std::vector<std::string> notes;
    std::vector<std::int64_t> priors;
    const auto draft = [&](weft::node_context& context) {
        notes.push_back(context.revision_note());
        const std::int64_t* prior = context.find_prior(value);
        priors.push_back(prior ? *prior : -1);
        context.set(value, static_cast<std::int64_t>(context.visit()) * 10);
        return context.visit() < 3 ? weft::command::label("again") : weft::command::next();
    };
    const auto spoil = [](weft::node_context& context) { context.set(value, 99); };
    const auto graph = [&](bool gives_feedback) {
        return empty_graph()
            .node("draft", draft, {.gives_feedback = gives_feedback}).node("spoil", spoil)
            .edge(weft::start, "draft").edge_label("draft", {{"again", "spoil"}}).edge("draft", weft::end)
            .edge("spoil", "draft")
            .build();
    };
    BOOST_TEST((simulate(graph(true)).status == weft::run_status::finished));
    BOOST_TEST(notes[0] == "");
    BOOST_TEST(notes[1] == "Graph state 'draft' visit #2. Prior visit's output is provided above; refine your response "
                           "based on it.");
    BOOST_TEST(notes[2].find("visit #3") != std::string::npos);
    const std::vector<std::int64_t> expected{-1, 10, 20};
    BOOST_TEST(priors == expected, boost::test_tools::per_element());
    notes.clear();
    simulate(graph(false));
    BOOST_TEST(notes[1] == "");
}

BOOST_AUTO_TEST_CASE(HIV_43_a_run_is_judged_by_its_goal)
{
    const auto at_least = [](std::int64_t least) {
        return [least](const weft::state_view& state) { return state.get(value) >= least; };
    };
    weft::goal goal{.name = "enough"};
    goal.criteria = {{.id = "some", .weight = 0.7, .is_met = at_least(1)},
                     {.id = "much", .weight = 0.3, .is_met = at_least(9)}};
    goal.constraints = {{.id = "few", .is_hard = false, .is_kept = [](const weft::state_view&) { return false; }}};
    const auto report = [&](std::int64_t number) {
        const auto work = [number](weft::node_context& context) { context.set(value, number); };
        return *simulate(empty_graph().goal(goal).node("a", work).edge(weft::start, "a").build()).goal;
    };
    BOOST_TEST(report(9).is_met);
    BOOST_TEST(report(9).violated.front() == "few");
    const weft::goal_report some = report(5);
    BOOST_TEST(!some.is_met);
    BOOST_TEST(some.weight_met == 0.7, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(some.unmet.front() == "much");
    goal.constraints.front().is_hard = true;
    BOOST_TEST(!report(9).is_met);
}

BOOST_AUTO_TEST_SUITE_END()
