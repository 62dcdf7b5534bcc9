#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"
#include "agent/kinds/pattern_kind.hpp"

#include <weft/graph/graph_spec_writer.hpp>
#include <weft/testing/scripted_model.hpp>

using namespace weft_tests;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(pattern_kind_test)

using script = weft::testing::scripted_model;

namespace {

/** A node `n` that writes `draft` with these settings. */
std::string team(std::string_view settings)
{
    return one_node("'kind': 'pattern', 'writes': ['draft'], 'settings': {" + std::string{settings} + "}");
}

seen_run run_settings(std::string_view settings, const std::shared_ptr<weft::chat_model>& model = nullptr)
{
    return run_members(team(settings), agent_registry(model));
}

std::string mistakes_of(std::string_view members)
{
    try {
        (void)weft::load_graph(spec_text(members), agent_registry(nullptr));
    } catch (const weft::error& e) {
        return e.what();
    }
    return "none";
}

void names_mistake(std::string_view settings, std::string_view part)
{
    const std::string text = mistakes_of(team(settings));
    BOOST_TEST(text.find(part) != std::string::npos, text);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_team_of_a_file_debates)
{
    const seen_run seen = run_settings(
        "'pattern': 'debate', 'task': 'About {topic}?', 'rounds_max': 2, 'members': [{'name': 'a', 'scripted': ['x']}, "
        "{'name': 'b', 'scripted': ['X.']}, {'name': 'c', 'scripted': ['y']}]");
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST(seen.value("draft") == "\"x\"");
}

BOOST_AUTO_TEST_CASE(members_are_models_with_a_character)
{
    const auto model = std::make_shared<script>();
    model->then(scripted_turn{"first"}.expects([](const weft::chat_request& request) {
        if (request.messages[0].text() != "You {write}." || request.messages[1].text() != "About rivers." ||
            request.model != "large" || request.temperature != 0.5)
            throw std::runtime_error{"not what was expected"};
    }));
    model->then(scripted_turn{"second"});
    const seen_run seen = run_settings(
        "'pattern': 'sequence', 'task': 'About {topic}.', 'members': [{'name': 'a', 'system': 'You {write}.', 'model': "
        "'large', 'temperature': 0.5}, {'name': 'b'}]",
        model);
    BOOST_TEST(seen.value("draft") == "\"second\"");
    BOOST_CHECK_NO_THROW(model->assert_complete());
}

BOOST_AUTO_TEST_CASE(votes_judges_plans_and_items_are_there)
{
    const std::string two = "'members': [{'name': 'a', 'scripted': ['one']}, {'name': 'b', 'scripted': ['two']}]";
    const std::string one = "'members': [{'name': 'a', 'scripted': ['done']}]";
    BOOST_TEST(run_settings("'pattern': 'concurrent', 'task': 't', " + two).value("draft") == "\"one\"");
    BOOST_TEST(run_settings("'pattern': 'concurrent', 'task': 't', 'judge': {'name': 'j', 'scripted': ['2']}, " + two)
                   .value("draft") == "\"two\"");
    BOOST_TEST(run_settings("'pattern': 'map_reduce', 'task': 'p\\nq', 'concurrency_max': 1, " + one).value("draft") ==
               "\"done\\n\\ndone\"");
    BOOST_TEST(run_settings("'pattern': 'map_reduce', 'task': 't', 'planner': {'name': 'p', 'scripted': "
                            "['[\\\"u\\\", \\\"v\\\", \\\"w\\\"]']}, 'editor': {'name': 'e', 'scripted': ['all']}, " +
                            one)
                   .value("draft") == "\"all\"");
    BOOST_TEST(run_settings("'pattern': 'plan_and_execute', 'task': 't', 'planner': {'name': 'p', 'scripted': "
                            "['{\\\"answer\\\": \\\"at once\\\"}']}, " +
                            one)
                   .value("draft") == "\"at once\"");
}

BOOST_AUTO_TEST_CASE(mistakes_are_named)
{
    const std::string two = "'members': [{'name': 'a'}, {'name': 'b'}]";
    names_mistake("'pattern': 'quarrel', 'task': 't', " + two, "pattern");
    names_mistake("'task': 't', " + two, "pattern");
    names_mistake("'pattern': 'debate', 'task': 't'", "members");
    names_mistake("'pattern': 'debate', 'task': 't', 'members': []", "nobody takes part");
    names_mistake("'pattern': 'debate', 'task': 't', 'members': [{'name': 'a'}, {'name': 'a'}]", "'a' is used twice");
    names_mistake("'pattern': 'debate', 'task': '{nothing}', " + two, "nothing");
    names_mistake("'pattern': 'debate', 'task': 't', 'rounds_max': 0, " + two, "out of range");
    names_mistake("'pattern': 'sequence', 'task': 't', 'rounds_max': 2, " + two, "only for the pattern debate");
    names_mistake("'pattern': 'debate', 'task': 't', 'judge': {'name': 'j'}, " + two,
                  "only for the pattern concurrent");
    names_mistake("'pattern': 'plan_and_execute', 'task': 't', 'members': [{'name': 'a'}]", "has to make the plan");
    names_mistake("'pattern': 'map_reduce', 'task': 't', " + two, "one does the work of this pattern");
    names_mistake("'pattern': 'debate', 'task': 't', 'members': [{'name': 'a', 'temperature': -1}]", "negative");
    names_mistake("'pattern': 'debate', 'task': 't', 'members': [{'name': 'a', 'temperature': 1e9}]", "too high");
    names_mistake("'pattern': 'debate', 'task': 't', 'members': [{'name': ''}]", "members[0].name");
    const std::string settings = "'settings': {'pattern': 'debate', 'task': 't', " + two + "}";
    const std::string number = mistakes_of(one_node("'kind': 'pattern', 'writes': ['score'], " + settings));
    BOOST_TEST(number.find("the key 'score' does not take") != std::string::npos, number);
    const std::string none = mistakes_of(one_node("'kind': 'pattern', " + settings));
    BOOST_TEST(none.find("goes to one key") != std::string::npos, none);
}

BOOST_AUTO_TEST_CASE(what_was_read_can_be_written_again)
{
    const std::string members = team("'pattern': 'debate', 'task': 'About {topic}?', 'rounds_max': 2, 'members': "
                                     "[{'name': 'a', 'scripted': ['x']}]");
    const weft::node_registry registry = agent_registry(nullptr);
    const weft::graph_spec written = weft::spec_of(weft::load_graph(spec_text(members), registry).what, registry);
    BOOST_REQUIRE(written.nodes.size() == 1u);
    BOOST_TEST(written.nodes[0].kind == "pattern");
    BOOST_TEST(boost::json::serialize(written.nodes[0].settings) ==
               R"({"pattern":"debate","task":"About {topic}?","members":[{"name":"a","scripted":["x"]}],)"
               R"("rounds_max":2})");
}

BOOST_AUTO_TEST_SUITE_END()
