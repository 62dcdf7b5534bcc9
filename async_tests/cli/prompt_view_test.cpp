#include "files.hpp"
#include "prompt_view.hpp"
#include "run_input.hpp"
#include "run_tools.hpp"

#include <weft/graph/graph_spec_reader.hpp>

#include <boost/test/unit_test.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(prompt_view_test)

namespace {

std::string agent_file(const std::string& settings)
{
    return json_text("{'name': 'agent', 'state': [{'name': 'topic', 'type': 'string'}, {'name': 'answer', 'type': "
                     "'string'}], 'nodes': [{'name': 'think', 'kind': 'event_loop', 'reads': ['topic'], 'writes': "
                     "['answer'], 'settings': {" + settings + "}}], 'edges': [{'from': '__start__', 'to': 'think'}]}");
}

weft_cli::prompt_view view_of(const std::string& text, boost::json::object inputs = {},
                              const std::vector<std::string>& tools = {})
{
    return weft_cli::view_prompt(weft::read_graph_spec(text), "think", std::move(inputs),
                                 weft_cli::foreign_tools(tools));
}

std::string fate_of(const weft_cli::prompt_view& view, std::string_view layer)
{
    for (const weft::section_report& one : view.layers.value().sections)
        if (one.id == layer) return one.fate == weft::section_fate::kept ? "kept" : "not kept";
    return "none";
}

}  // namespace

BOOST_AUTO_TEST_CASE(layers_messages_and_tools_are_those_of_the_first_turn)
{
    const std::string text =
        agent_file("'identity': 'You are Ada.', 'system': 'Tell of {topic}.', 'tools': ['search']");
    const weft_cli::prompt_view view = view_of(text, {{"topic", "rain"}}, {"search"});
    BOOST_REQUIRE(view.layers.has_value());
    BOOST_TEST(fate_of(view, "identity") == "kept");
    BOOST_TEST(fate_of(view, "focus") == "kept");
    BOOST_TEST(fate_of(view, "narrative") == "not kept");
    BOOST_TEST(fate_of(view, "time") == "not kept");
    BOOST_REQUIRE(view.messages.size() == 2u);
    BOOST_TEST(view.messages[0].text() == view.layers->text);
    BOOST_TEST(has(view.messages[0].text(), "Tell of rain."));
    BOOST_TEST(has(view.messages[1].text(), "- topic: rain"));
    BOOST_REQUIRE(view.tools.size() == 3u);
    BOOST_TEST(view.tools[0].name == "search");
    BOOST_TEST(view.tools[1].name == "set_output");
    BOOST_TEST(weft_cli::text_of(view) == weft_cli::text_of(view_of(text, {{"topic", "rain"}}, {"search"})));
}

BOOST_AUTO_TEST_CASE(what_a_template_misses_is_told)
{
    const weft_cli::prompt_view view = view_of(agent_file("'system': 'Tell of {topic}.'"));
    BOOST_REQUIRE(view.warnings.size() == 1u);
    BOOST_TEST(has(weft_cli::text_of(view), "note: the prompt names 'topic', which has no value"));
}

BOOST_AUTO_TEST_CASE(the_time_is_a_layer_of_those_who_want_it)
{
    BOOST_TEST(fate_of(view_of(agent_file("'tells_time': true")), "time") == "kept");
}

BOOST_AUTO_TEST_CASE(texts_of_others_do_not_steer_the_terminal)
{
    const std::string text = weft_cli::text_of(view_of(agent_file("'system': 'a\\u001b[31mred'")));
    BOOST_TEST(text.find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_node_that_asks_no_model_has_no_prompt)
{
    const weft::graph_spec spec = weft::read_graph_spec(agent_file(""));
    BOOST_CHECK_THROW((void)weft_cli::view_prompt(spec, "thing", {}, nullptr), weft_cli::usage_error);
}

BOOST_AUTO_TEST_SUITE_END()
