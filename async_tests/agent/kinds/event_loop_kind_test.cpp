#include <boost/test/unit_test.hpp>

#include "agent/kinds/event_loop_kind.hpp"
#include "agent/loops.hpp"
#include "graph/spec_samples.hpp"

#include <weft/agent/agent_kinds.hpp>
#include <weft/agent/core/agent_event.hpp>
#include <weft/graph/graph_spec_writer.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(event_loop_kind_test)

namespace {

weft::node_registry registry_with(const std::shared_ptr<loop_model>& model)
{
    weft::event_loop_options program;
    program.tools = looking();
    weft::node_registry registry;
    registry.add_kind("event_loop", weft::event_loop_kind(model, std::move(program)));
    return registry;
}

std::string loop_file(std::string_view settings)
{
    return "'state': [{'name': 'topic', 'type': 'string', 'initial': 'rain'}, {'name': 'answer', 'type': 'string'}, "
           "{'name': 'score', 'type': 'integer'}], 'nodes': [{'name': 'write', 'kind': 'event_loop', 'reads': "
           "['topic'], 'writes': ['answer', 'score'], 'outputs': {'nullable': ['score']}, 'settings': {" +
           std::string{settings} + "}}], 'edges': [{'from': '__start__', 'to': 'write'}]";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_describes_an_event_loop)
{
    const auto model =
        model_of({loop_script{}.call("look", look_at("sky")), sets("score", "many"), sets("answer", "a")});
    const std::string text = spec_text(loop_file("'system': 'Tell of {topic}.', 'tools': ['look'], 'limits': "
                                                 "{'iterations_max': 5}"));
    const weft::loaded_graph loaded = weft::load_graph(text, registry_with(model));
    const seen_loop seen = run_loop(loaded.what);
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_CHECK_NO_THROW(model->assert_complete());
    BOOST_TEST(boost::json::serialize(seen.result.state.to_json().at("answer")) == "\"a\"");
    BOOST_TEST(is_told(*model, 0, "Tell of rain."));
    BOOST_TEST(is_told(*model, 2, "does not fit the output 'score'"));
}

BOOST_AUTO_TEST_CASE(mistakes_of_a_file_are_told)
{
    const auto first = [](std::string_view settings) {
        const auto all = mistakes_in(spec_text(loop_file(settings)), registry_with(std::make_shared<loop_model>()));
        return all.empty() ? std::string{} : all.front();
    };
    BOOST_TEST(first("'system': 'x'") == "");
    BOOST_TEST(first("'tools': ['lok']").find("lok") != std::string::npos);
    BOOST_TEST(first("'limits': {'judge_every': 0}").find("judge_every") != std::string::npos);
    BOOST_TEST(first("'sistem': 'x'").find("sistem") != std::string::npos);
    BOOST_TEST(first("'conversation': 'topic'").find("needs a key of the type conversation") != std::string::npos);
    BOOST_TEST(first("'system': 'Tell of {topik}.'").find("topik") != std::string::npos);
    BOOST_TEST(first("'sub_agents': [{'id': 'a b'}]").find("no id of a sub-agent") != std::string::npos);
    BOOST_TEST(first("'sub_agents': [{'when': 'x'}]").find("id") != std::string::npos);
    BOOST_TEST(first("'temperature': -1").find("is negative") != std::string::npos);
    BOOST_TEST(first("'sub_agents': [{'id': 'a', 'temperature': 101}]").find("'a' is too high") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_loop_of_a_file_says_itself_again)
{
    const weft::node_registry registry = registry_with(nullptr);
    const weft::loaded_graph loaded = weft::load_graph(
        spec_text(loop_file("'identity': 'Ada', 'system': 'Tell of {topic}.', 'criteria': 'It rains.', 'mode': "
                            "'isolated', 'tools': ['look'], 'limits': {'iterations_max': 5}, 'sub_agents': [{'id': "
                            "'archive', 'outputs': ['found']}], 'scripted': [{'text': 'I look.'}]")),
        registry);
    const weft::graph_spec said = weft::spec_of(loaded.what, registry);
    BOOST_REQUIRE(said.nodes.size() == 1u);
    BOOST_TEST(said.nodes[0].kind == "event_loop");
    BOOST_TEST((said.nodes[0].settings == loaded.spec.nodes[0].settings),
               boost::json::serialize(said.nodes[0].settings));
    BOOST_TEST((said.nodes[0].reads == loaded.spec.nodes[0].reads));
    BOOST_TEST((said.nodes[0].writes == loaded.spec.nodes[0].writes));
    BOOST_TEST((said.nodes[0].outputs == loaded.spec.nodes[0].outputs));
    const weft::loaded_graph again = weft::load_graph(said, registry);
    BOOST_TEST((weft::spec_of(again.what, registry) == said));
}

BOOST_AUTO_TEST_CASE(without_a_model_the_scripted_turns_are_rehearsed)
{
    const std::string text = spec_text(loop_file(
        "'scripted': [{'text': 'I look.', 'calls': [{'tool': 'look', 'arguments': {'what': 'sky', "
        "'milliseconds': 1}}]}, "
        "{'calls': [{'tool': 'set_output', 'arguments': {'key': 'answer', 'value': 'Rain.'}}]}], 'tools': ['look']"));
    const seen_loop seen = run_loop(weft::load_graph(text, registry_with(nullptr)).what);
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(boost::json::serialize(seen.result.state.to_json().at("answer")) == "\"Rain.\"");
    BOOST_TEST(seen.says(weft::agent_event::internal_output, "I look."));
    BOOST_TEST(seen.count(weft::agent_event::tool_end) == 2u);
}

BOOST_AUTO_TEST_CASE(without_a_model_and_a_script_outputs_are_made_up)
{
    const seen_loop seen = run_loop(weft::load_graph(spec_text(loop_file("")), registry_with(nullptr)).what);
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(boost::json::serialize(seen.result.state.to_json().at("answer")) == "\"rehearsed\"");
    BOOST_TEST(seen.result.state.to_json().at("score").is_int64());
}

BOOST_AUTO_TEST_CASE(a_file_has_sub_agents_and_criteria)
{
    const std::string_view settings =
        "'criteria': 'It names a river.', 'sub_agents': [{'id': 'archive', 'when': 'knows rivers', 'outputs': "
        "['found']}], 'scripted': [{'calls': [{'tool': 'delegate_to_sub_agent', 'arguments': {'agent_id': 'archive', "
        "'task': 'Which river?'}}]}, {'calls': [{'tool': 'set_output', 'arguments': {'key': 'answer', 'value': "
        "'The Po.'}}]}]";
    const seen_loop rehearsed = run_loop(weft::load_graph(spec_text(loop_file(settings)), registry_with(nullptr)).what);
    BOOST_TEST((rehearsed.result.status == weft::run_status::finished), rehearsed.result.message());
    BOOST_TEST(rehearsed.says(weft::agent_event::judge_verdict, "\"by\":\"rehearsal\""));
    const boost::json::object task{{"agent_id", "archive"}, {"task", "Go."}};
    const auto model = model_of({loop_script{}.call("delegate_to_sub_agent", task), sets("found", "the Po"),
                                 sets("answer", "The Po."),
                                 loop_script{"ACTION: ACCEPT\nCONFIDENCE: 1\nFEEDBACK:"}});
    const seen_loop seen = run_loop(weft::load_graph(spec_text(loop_file(settings)), registry_with(model)).what);
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_CHECK_NO_THROW(model->assert_complete());
    BOOST_TEST(is_told(*model, 2, "the Po"));
}

BOOST_AUTO_TEST_CASE(a_file_carries_a_conversation_and_hand_offs_on)
{
    const std::string text = spec_text(
        "'state': [{'name': 'a', 'type': 'string'}, {'name': 'b', 'type': 'string'}, {'name': 'talk', 'type': "
        "'conversation'}, {'name': 'left', 'type': 'hand_offs', 'reducer': 'append'}], 'nodes': [{'name': 'one', "
        "'kind': 'event_loop', 'reads': [], 'writes': ['a', 'talk', 'left'], 'settings': {'conversation': 'talk', "
        "'hand_offs': 'left'}}, {'name': 'two', 'kind': 'event_loop', 'reads': ['a'], 'writes': ['b', 'talk', "
        "'left'], 'settings': {'conversation': 'talk', 'hand_offs': 'left'}}], 'edges': [{'from': '__start__', 'to': "
        "'one'}, {'from': 'one', 'to': 'two'}]");
    const auto model = model_of({sets("a", "first", "I say the first."), sets("b", "second")});
    weft::node_registry registry;
    weft::add_agent_kinds(registry, {.model = model});
    const seen_loop seen = run_loop(weft::load_graph(text, registry).what);
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(is_told(*model, 1, "I say the first."));
    BOOST_TEST(is_told(*model, 1, "--- PHASE TRANSITION: one"));
    BOOST_TEST(seen.result.state.to_json().at("left").as_array().size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
