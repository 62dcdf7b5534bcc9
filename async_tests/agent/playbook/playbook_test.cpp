#include <weft/agent/playbook.hpp>

#include <weft/agent/playbook/playbook_graph.hpp>

#include "agent/playbook/playbook_text.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(playbook_test)

namespace {

std::vector<std::string> mistakes_in_playbook(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    try {
        (void)weft::read_playbook(text);
    } catch (const weft::playbook_error& wrong) {
        std::vector<std::string> found;
        for (const weft::playbook_mistake& mistake : wrong.mistakes())
            found.push_back(mistake.path + ": " + mistake.text);
        return found;
    }
    return {};
}

bool has_mistake(const std::vector<std::string>& found, const std::string& beginning)
{
    return std::any_of(found.begin(), found.end(), [&](const auto& one) { return one.starts_with(beginning); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_15_every_mistake_is_told_at_once_with_its_path)
{
    const std::vector<std::string> shape =
        mistakes_in_playbook("{'name': 'p', 'nodes': [{'id': 7}], 'edges': [{'source': 'a'}], 'nods': 1}");
    for (const char* const path : {"$.nodes[0].id", "$.edges[0]", "$.nods"})
        BOOST_TEST(has_mistake(shape, path), path);
    const std::vector<std::string> found = mistakes_in_playbook(
        "{'name': 'p', 'nodes': [{'id': 'a', 'subtype': 'agent'}, {'id': 'a', 'subtype': 'magic'}, "
        "{'id': 'w', 'subtype': 'wait', 'unit': 'years'}, {'id': 'r', 'subtype': 'router'}, "
        "{'id': 'l', 'subtype': 'loop', 'max_iterations': 0}, "
        "{'id': 's', 'subtype': 'response', 'prompt': '{{nobody.result}}'}], "
        "'edges': [{'source': 'l', 'target': 's', 'handle': 'loop-out'}, {'source': 'x', 'target': 's'}]}");
    for (const char* const path :
         {"$.nodes: has no trigger nodes", "$.nodes[0].prompt", "$.nodes[1].id", "$.nodes[1].subtype: 'magic' is none",
          "$.nodes[2].unit", "$.nodes[2].amount", "$.nodes[3].routes", "$.nodes[4].max_iterations",
          "$.nodes[5].prompt: there is no node 'nobody'", "$.edges[0].handle", "$.edges[1].source"})
        BOOST_TEST(has_mistake(found, path), path);
}

BOOST_AUTO_TEST_CASE(SUL_15_a_transfer_stands_neither_in_a_loop_nor_in_a_branch)
{
    const std::string nodes = "{'name': 'p', 'nodes': [{'id': 't', 'subtype': 'trigger'}, "
                              "{'id': 'x', 'subtype': 'transfer', 'workflow': 'q'}, ";
    const std::vector<std::string> in_loop = mistakes_in_playbook(
        nodes + "{'id': 'l', 'subtype': 'loop'}], 'edges': [{'source': 't', 'target': 'l'}, "
                "{'source': 'l', 'target': 'x', 'handle': 'loop-body'}, {'source': 'x', 'target': 'l'}]}");
    BOOST_TEST(has_mistake(in_loop, "$.nodes[1]: stands in the body of the loop 'l'"));
    const std::vector<std::string> in_branch = mistakes_in_playbook(
        nodes + "{'id': 'p', 'subtype': 'parallel'}, {'id': 'm', 'subtype': 'merge'}], 'edges': "
                "[{'source': 't', 'target': 'p'}, {'source': 'p', 'target': 'x'}, {'source': 'p', 'target': 'm'}, "
                "{'source': 'x', 'target': 'm'}]}");
    BOOST_TEST(has_mistake(in_branch, "$.nodes[1]: stands in a branch of 'p'"));
    const std::vector<std::string> behind = mistakes_in_playbook(
        nodes + "{'id': 'l', 'subtype': 'loop'}], 'edges': [{'source': 't', 'target': 'l'}, "
                "{'source': 'l', 'target': 'x', 'handle': 'loop-exit'}]}");
    BOOST_TEST(behind.empty());
}

BOOST_AUTO_TEST_CASE(SUL_15_subtypes_are_written_with_dashes)
{
    BOOST_TEST((weft::playbook_subtype_named("tool-call") == weft::playbook_subtype::tool_call));
    BOOST_TEST(!weft::playbook_subtype_named("tool_call"));
    BOOST_TEST(weft::name_of(weft::playbook_subtype::sub_workflow) == "sub-workflow");
}

BOOST_AUTO_TEST_CASE(SUL_15_templates_are_filled_from_the_trigger_and_by_label)
{
    boost::json::object outputs;
    outputs["Look up"] = {{"result", "rain"}, {"threadId", "t/1"}};
    outputs["n"] = {{"result", 7}};
    const boost::json::value trigger = "Rome";
    const weft::playbook_values values{trigger, outputs};
    const char* const text = "{{trigger}}: {{ Look up.result }} ({{Look up.threadId}}), {{n.result}}.";
    BOOST_TEST(weft::fill_playbook_text(text, values) == "Rome: rain (t/1), 7.");
    BOOST_TEST(weft::fill_playbook_text("{{x.result}}|{{what}}|{{", values) == "|{{what}}|{{");
    const boost::json::value filled = weft::fill_playbook_json({{"city", "{{trigger}}"}, {"days", 3}}, values);
    BOOST_TEST(filled.at("city").as_string() == "Rome");
    BOOST_TEST(filled.at("days").as_int64() == 3);
}

BOOST_AUTO_TEST_CASE(SUL_15_conditions_and_routes)
{
    for (const char* const text : {"true", " YES ", "The sky is blue contains Blue", "'abc' contains \"b\""})
        BOOST_TEST(weft::playbook_condition_holds(text), text);
    for (const char* const text : {"", "no", "truely", "abc contains x", "abc contains "})
        BOOST_TEST(!weft::playbook_condition_holds(text), text);
    const std::vector<std::string> routes{"Sales", "Support", "Support desk"};
    BOOST_TEST(weft::playbook_route_in("SUPPORT", routes) == 1u);
    BOOST_TEST(weft::playbook_route_in("I would say support desk.", routes) == 2u);
    BOOST_TEST(weft::playbook_route_in("supporters", routes) == 0u);  // none: the first
}

BOOST_AUTO_TEST_CASE(SUL_23_statements_in_words_are_told_from_tests_of_texts)
{
    for (const char* const text : {"The customer is angry", "{{a.result}} is a complaint", "Is {{a.result}} above 5?"})
        BOOST_TEST(weft::is_natural_language(text), text);
    for (const char* const text : {"", "{{a.result}}", "true", " NO ", "{{a.result}} contains rain", "{{trigger}}?",
                                   "The sky contains blue"})
        BOOST_TEST(!weft::is_natural_language(text), text);
}

BOOST_AUTO_TEST_CASE(SUL_15_a_loop_ends_for_one_of_three_reasons)
{
    weft::playbook_loop loop;
    BOOST_TEST(weft::playbook_loop_end(loop, 10, false, true) == "no_body_connected");
    BOOST_TEST(weft::playbook_loop_end(loop, 10, true, true) == "condition_met");
    loop.iterations = 9;
    BOOST_TEST(weft::playbook_loop_end(loop, 10, true, false) == "");
    loop.iterations = 10;
    BOOST_TEST(weft::playbook_loop_end(loop, 10, true, false) == "max_iterations");
}

BOOST_AUTO_TEST_SUITE_END()
