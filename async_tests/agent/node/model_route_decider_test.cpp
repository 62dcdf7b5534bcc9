#include <weft/agent/node/model_route_decider.hpp>

#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"

#include <weft/graph/graph_builder.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(model_route_decider_test)

namespace {

inline constexpr weft::state_key<std::string> text_key{"text"};

/** The path of a run whose node `a` writes `text` and lets the model choose left or right, or is lost. */
std::string path_with(const std::shared_ptr<scripted_model>& model, const std::string& text = "hm",
                      const std::string& name = {})
{
    weft::goal goal{.name = "g", .description = "be quick"};
    weft::graph_builder builder{"choosing"};
    builder.state(text_key)
        .goal(std::move(goal))
        .node("a", [&](weft::node_context& node) { node.set(text_key, text); }, {.writes = weft::keys(text_key)})
        .node("left", [] {}, {.description = "goes left"})
        .node("right", [] {})
        .node("lost", [] {})
        .edge(weft::start, "a")
        .edge_llm("a", {"left", "right"},
                  {.fallback = "lost", .instructions = "look closely", .timeout = 10s, .model = name});
    weft::run_options options;
    options.decider(std::make_shared<weft::model_route_decider>(model, "small"));
    return run_graph(builder.build(), std::move(options), {}).path;
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_7_the_model_gets_one_question_and_its_answer_is_followed)
{
    const auto model = says({{"I say {\"target\": \"right\", \"reasoning\": \"nearer\"}"}});
    BOOST_TEST(path_with(model) == "a right");
    BOOST_REQUIRE(model->asked.size() == 1u);
    const weft::chat_request& asked = model->asked[0];
    BOOST_TEST(asked.model == "small");
    BOOST_TEST(*asked.temperature == 0.0);
    BOOST_TEST(model->said(0, weft::role::user) ==
               "Graph: choosing\n\nGoal: g\nbe quick\n\nThe step that is done: a\n\nIts output:\ntext: \"hm\"\n\n"
               "Candidates:\n- left: goes left\n- right\n\nInstructions: look closely");
    BOOST_TEST(model->said(0, weft::role::system).find("\"target\"") != std::string::npos);
    BOOST_REQUIRE(asked.output.has_value());
    BOOST_TEST(asked.output->strict);
    BOOST_TEST(boost::json::serialize(asked.output->schema) ==
               R"({"type":"object","properties":{"target":{"type":"string","enum":["left","right"]},)"
               R"("reasoning":{"type":"string"}},"required":["target","reasoning"],"additionalProperties":false})");
}

BOOST_AUTO_TEST_CASE(HIV_7_useless_answers_and_failed_calls_take_the_fallback)
{
    BOOST_TEST(path_with(says({{R"({"target": "nowhere"})"}})) == "a lost");
    BOOST_TEST(path_with(says({{"left"}})) == "a lost");
    BOOST_TEST(path_with(says({{.text = "{}", .fails = weft::errc::model_overloaded}})) == "a lost");
}

BOOST_AUTO_TEST_CASE(HIV_52_an_edge_names_the_model_that_chooses)
{
    const auto model = says({{R"({"target": "left"})"}});
    BOOST_TEST(path_with(model, "hm", "fast") == "a left");
    BOOST_TEST(model->asked.at(0).model == "fast");
}

BOOST_AUTO_TEST_CASE(long_values_are_cut)
{
    const auto model = says({{R"({"target": "left"})"}});
    BOOST_TEST(path_with(model, std::string(100'000, 'x')) == "a left");
    BOOST_TEST(model->said(0, weft::role::user).size() < 2500u);
}

BOOST_AUTO_TEST_SUITE_END()
