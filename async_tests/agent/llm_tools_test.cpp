#include <boost/test/unit_test.hpp>

#include "agents.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/graph/graph_spec_writer.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(llm_tools_test)

namespace {

struct place {
    std::string city;
};
BOOST_DESCRIBE_STRUCT(place, (), (city))

std::shared_ptr<const weft::tool_set> some_tools()
{
    weft::tool_set tools;
    tools.add("weather", "The weather of a city.", [](const place& where) { return "rain in " + where.city; });
    tools.add("time", "The time.", [] { return "noon"; });
    return std::make_shared<const weft::tool_set>(std::move(tools));
}

weft::node_registry registry_of(std::shared_ptr<weft::chat_model> model)
{
    weft::agent_surroundings around;
    around.model = std::move(model);
    around.tools = some_tools();
    weft::node_registry registry;
    weft::add_agent_kinds(registry, around);
    return registry;
}

/** An agent: a model, its tools, and the way round. */
std::string agent(std::string_view llm = "'tools': ['weather', 'time']", std::string_view tool = "")
{
    return "'state': [{'name': 'city', 'type': 'string', 'initial': 'Rome'}, {'name': 'answer', 'type': 'string'}, "
           "{'name': 'messages', 'type': 'messages', 'reducer': 'append'}], "
           "'nodes': [{'name': 'think', 'kind': 'llm', 'writes': ['messages', 'answer'], 'settings': "
           "{'system': 'Be brief.', 'prompt': 'Umbrella for {city}?', 'messages': 'messages', " +
           std::string{llm} + "}}, {'name': 'act', 'kind': 'tool', 'settings': {" + std::string{tool} +
           "}}], 'edges': [{'from': '__start__', 'to': 'think'}, "
           "{'from': 'think', 'to': 'act', 'when': '\\\"tool_calls\\\" in messages[-1]'}, "
           "{'from': 'think', 'to': '__end__'}, {'from': 'act', 'to': 'think'}]";
}

seen_run run_agent(const std::string& members, const weft::node_registry& registry)
{
    const weft::loaded_graph loaded = weft::load_graph(spec_text(members), registry);
    return run_graph(loaded.what, weft::run_options_of(loaded.spec), {});
}

std::vector<std::string> mistakes_of(const std::string& members)
{
    return mistakes_in(spec_text(members), registry_of(nullptr));
}

scripted_call calls(std::vector<weft::tool_call> wanted)
{
    scripted_call call;
    call.calls = std::move(wanted);
    call.stop = weft::stop_reason::tool_calls;
    return call;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_calls_tools_until_it_knows_the_answer)
{
    const auto model = says({calls({{"c1", "weather", R"({"city":"Rome"})"}, {"c2", "time", "{}"}}),
                             calls({{"c3", "weather", R"({"town":"Rome"})"}}), {.text = "Take one."}});
    const seen_run seen = run_agent(agent(), registry_of(model));
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST(seen.path == "think act think act think");
    BOOST_TEST(seen.value("answer") == "\"Take one.\"");
    BOOST_TEST(model->asked.size() == 3u);
    BOOST_TEST(model->asked[0].tools.size() == 2u);
    BOOST_TEST(model->said(0, weft::role::user) == "Umbrella for Rome?");
    BOOST_TEST(model->asked[2].messages.size() == 7u);  // system, user, assistant, two tools, assistant, tool
    BOOST_TEST(model->asked[1].messages[3].text() == "rain in Rome");
    BOOST_TEST(model->asked[1].messages[4].tool_call_id == "c2");
    BOOST_TEST(model->asked[2].messages[6].text().find("lacks the member 'city'") != std::string::npos);
    BOOST_TEST(seen.all(weft::agent_event::tool_start) == R"({"id":"c1","name":"weather"}{"id":"c2","name":"time"})");
}

BOOST_AUTO_TEST_CASE(a_conversation_that_goes_on_needs_no_words_of_the_user)
{
    const auto model = says({calls({{"c1", "time", "{}"}}), {.text = "Take one."}});
    std::string without_city = agent();
    without_city.replace(without_city.find(", 'initial': 'Rome'"), std::string_view{", 'initial': 'Rome'"}.size(), "");
    const seen_run seen = run_agent(without_city, registry_of(model));
    BOOST_TEST(seen.path == "think act think");
    // The prompt is put together once: it begins the conversation.
    BOOST_TEST(seen.all(weft::agent_event::warning) == "the prompt names 'city', which has no value");
    BOOST_TEST(model->asked[1].messages.size() == 4u);
    BOOST_TEST(model->asked[1].messages[0].text() == "Be brief.");
    BOOST_TEST(model->asked[1].messages[1].text() == "Umbrella for ?");
}

BOOST_AUTO_TEST_CASE(without_a_model_an_agent_is_rehearsed)
{
    const seen_run seen = run_agent(agent("'scripted': ['No.']"), registry_of(nullptr));
    BOOST_TEST(seen.path == "think");
    BOOST_TEST(seen.value("answer") == "\"No.\"");
}

BOOST_AUTO_TEST_CASE(mistakes_of_an_agent_are_told)
{
    BOOST_TEST(mistakes_of(agent()).empty());
    BOOST_TEST(lacks(mistakes_of(agent("'tools': ['wether']")),
                     {"$.nodes[0].settings.tools: there is no tool 'wether' (did you mean 'weather'?); there are: "
                      "time, weather"}) == "");
    BOOST_TEST(lacks(mistakes_of(agent("'tools': []", "'tools': ['x']")),
                     {"$.nodes[1].settings.tools: there is no tool 'x'"}) == "");
    BOOST_TEST(lacks(mistakes_of(agent("'tools': []", "'messages': 'answer'")),
                     {"$.nodes[1].settings.messages: the key 'answer' cannot hold messages"}) == "");
    BOOST_TEST(lacks(mistakes_of(agent("'tools': []", "'messages': 'mesages'")),
                     {"$.nodes[1].settings.messages", "there is no key 'mesages' (did you mean 'messages'?)"}) == "");
    BOOST_TEST(lacks(mistakes_of(agent("'tools': []", "'calls_max': 0")),
                     {"$.nodes[1].settings.calls_max: is out of range: it is 1 to 1000000"}) == "");
    std::string without = agent();
    without.replace(without.find("'messages': 'messages', "), 24, "");
    const weft::node_registry registry = registry_of(says({{.text = "x"}}));
    BOOST_TEST(lacks(mistakes_in(spec_text(without), registry),
                     {"$.nodes[0].settings.tools: a model calls tools in a conversation"}) == "");
}

BOOST_AUTO_TEST_CASE(an_agent_is_written_as_it_was_read)
{
    const weft::node_registry registry = registry_of(says({{.text = "x"}}));
    const std::string text = spec_text(agent("'tools': ['time']", "'calls_max': 3"));
    const weft::loaded_graph loaded = weft::load_graph(text, registry);
    const weft::graph_spec written = weft::spec_of(loaded.what, registry);
    BOOST_TEST(written.nodes.at(1).kind == "tool");
    BOOST_TEST(boost::json::serialize(written.nodes.at(1).settings) == R"({"calls_max":3})");
    BOOST_TEST(boost::json::serialize(written.nodes.at(0).settings.at("tools")) == R"(["time"])");
    const weft::loaded_graph again = weft::load_graph(weft::to_text(written), registry);
    BOOST_TEST(weft::to_text(weft::spec_of(again.what, registry)) == weft::to_text(written));
}

BOOST_AUTO_TEST_CASE(PYA_10_a_node_of_a_file_that_waits_for_remote_results_pauses)
{
    weft::tool_set tools;
    tools.add_remote("approve", "", boost::json::object{{"type", "object"}});
    weft::agent_surroundings around;
    around.model = says({calls({{"c1", "approve", "{}"}}), {.text = "Approved."}});
    around.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    weft::node_registry registry;
    weft::add_agent_kinds(registry, around);
    std::string members = agent("'tools': ['approve']", "'remote': 'posted'");
    const std::string act = "{'name': 'act'";
    members.insert(members.find(act), "{'name': 'posted', 'kind': 'tool', 'settings': {'remote': 'posted'}}, ");
    members.insert(members.find("'edges': [") + 10, "{'from': 'posted', 'to': 'think'}, ");
    const weft::loaded_graph loaded = weft::load_graph(spec_text(members), registry);
    const seen_run paused = run_graph(loaded.what, weft::run_options_of(loaded.spec), {});
    BOOST_TEST((paused.result.status == weft::run_status::paused));
    weft::testing::simulation sim{1};
    const weft::engine engine{loaded.what};
    constexpr weft::state_key<weft::list<weft::message>, weft::append> messages{"messages"};
    const weft::run_result result = sim.run(engine.run(
        weft::run_request{}.resume(paused.result.paused_at).input(messages, weft::message::tool_result("c1", "yes"))));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(weft::state_key<std::string>{"answer"}) == "Approved.");
}

BOOST_AUTO_TEST_SUITE_END()
