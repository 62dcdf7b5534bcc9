#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"
#include "agent/loops.hpp"

#include <weft/agent/conversation/continuous_conversation.hpp>
#include <weft/agent/llm_node.hpp>
#include <weft/graph/graph_spec_writer.hpp>
#include <weft/graph/node/goal.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(continuous_conversation_test)

namespace {

constexpr weft::state_key<std::int64_t> found_key{"found"};

weft::event_loop_options scoring()
{
    weft::event_loop_options options;
    options.settings.identity = "You are Ada.";
    options.settings.system = "Find out.";
    options.outputs = {weft::output_of(loop_score)};
    return options;
}

weft::llm_node titled(const std::shared_ptr<weft::chat_model>& model)
{
    weft::llm_node_options options;
    options.settings.prompt = "A title.";
    options.writes = {"rescue"};
    return weft::llm_node{model, std::move(options)};
}

/** research (a loop) -> count (a function) -> title (a model once) -> write (a loop). */
weft::graph four_nodes(const std::shared_ptr<loop_model>& model, weft::node_options counts = {})
{
    weft::graph_builder builder{"outer"};
    builder.state(loop_topic, loop_answer, loop_score, loop_rescue, found_key);
    builder.conversation(weft::continuous_conversation());
    weft::add_event_loop(builder, "research", model, scoring());
    builder.node("count", [](weft::node_context& node) { node.set(found_key, 40 + node.get(loop_score)); },
                 std::move(counts));
    builder.node("title", titled(model));
    weft::event_loop_options write = answering();
    write.reads = {};
    weft::add_event_loop(builder, "write", model, std::move(write));
    builder.edge(weft::start, "research").edge("research", "count").edge("count", "title").edge("title", "write");
    return builder.build();
}

std::shared_ptr<loop_model> working_model()
{
    return model_of({sets("score", 2, "I found two."), loop_script{"Forty-two"}, sets("answer", "42")});
}

/** Who says what in the conversation of a graph, a line each. */
std::string talk_of(const weft::run_result& result)
{
    std::string text;
    for (const weft::conversation_entry& entry : result.state.get(weft::shared_conversation))
        text.append(entry.from.node).append(" ").append(name_of(entry.message.role)).append(": ")
            .append(entry.message.text()).append("\n");
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_47_one_conversation_threads_through_all_nodes)
{
    const auto model = working_model();
    const seen_loop seen = run_loop(four_nodes(model));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_CHECK_NO_THROW(model->assert_complete());
    // The model that is asked once sees the loop's words and tool calls, and what the function gave.
    BOOST_TEST(is_told(*model, 1, "assistant: I found two.\n[Calls set_output {"));
    BOOST_TEST(is_told(*model, 1, "user: [Result of a tool call] Output 'score' is set.\n"));
    BOOST_TEST(model->requests().at(1).tools.empty());
    BOOST_TEST(is_told(*model, 1, "The node 'count' gave:\n{\"found\": 42}"));
    BOOST_TEST(told(*model, 1).ends_with("user: A title.\n"));
    // The second loop sees all of it.
    BOOST_TEST(is_told(*model, 2, "assistant: I found two.\n"));
    BOOST_TEST(is_told(*model, 2, "{\"found\": 42}"));
    BOOST_TEST(is_told(*model, 2, "user: A title.\nassistant: Forty-two\n"));
    const std::string talk = talk_of(seen.result);
    BOOST_TEST(talk.find("title assistant: Forty-two\n") != std::string::npos);
    BOOST_TEST(talk.find("write tool: Output 'answer' is set.\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(HIV_47_a_node_opts_out)
{
    const auto model = working_model();
    weft::node_options apart;
    apart.is_isolated = true;
    const seen_loop seen = run_loop(four_nodes(model, apart));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(is_told(*model, 2, "assistant: I found two.\n"));
    BOOST_TEST(!is_told(*model, 2, "found\":"));
}

BOOST_AUTO_TEST_CASE(HIV_47_without_it_each_node_talks_for_itself)
{
    weft::graph_builder builder{"outer"};
    builder.state(loop_topic, loop_answer, loop_score);
    const auto model = model_of({sets("score", 2, "I found two."), sets("answer", "42")});
    weft::add_event_loop(builder, "research", model, scoring());
    weft::event_loop_options write = answering();
    write.reads = {};
    weft::add_event_loop(builder, "write", model, std::move(write));
    (void)run_loop(builder.edge(weft::start, "research").edge("research", "write").build());
    BOOST_TEST(!is_told(*model, 1, "I found two."));
}

BOOST_AUTO_TEST_CASE(HIV_47_branches_leave_theirs_one_after_the_other)
{
    const auto model = std::make_shared<loop_model>();
    model->then(sets("score", 2, "Two."));
    model->then(sets("score", 2, "Two."));
    weft::graph_builder builder{"outer"};
    builder.state(loop_topic, loop_answer, loop_score);
    builder.conversation(weft::continuous_conversation());
    weft::add_event_loop(builder, "a", model, scoring());
    weft::add_event_loop(builder, "b", model, scoring());
    builder.node("end", [] {});
    builder.edge(weft::start, "a").edge(weft::start, "b").edge("a", "end").edge("b", "end");
    const seen_loop seen = run_loop(builder.build());
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    const std::string talk = talk_of(seen.result);
    BOOST_TEST(talk.find("a assistant: Two.\n") != std::string::npos);
    BOOST_TEST(talk.find("b assistant: Two.\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(HIV_53_a_marker_says_what_the_last_node_gave_and_what_is_next)
{
    const auto model = working_model();
    (void)run_loop(four_nodes(model));
    const std::string text = told(*model, 2);
    BOOST_TEST(text.find("PHASE TRANSITION: title → write") != std::string::npos, text);
    BOOST_TEST(text.find("Done: title\nIts outputs:\n- reply: Forty-two\n") != std::string::npos, text);
    BOOST_TEST(text.find("Now: write — Answer.") != std::string::npos, text);

    const auto two = model_of({sets("score", 2, "I found two."), sets("answer", "42")});
    weft::graph_builder builder{"outer"};
    builder.state(loop_topic, loop_answer, loop_score);
    builder.conversation(weft::continuous_conversation());
    weft::add_event_loop(builder, "research", two, scoring());
    weft::event_loop_options write = answering();
    write.reads = {};  // what it is told of the node before does not depend on what it reads
    weft::add_event_loop(builder, "write", two, std::move(write));
    (void)run_loop(builder.edge(weft::start, "research").edge("research", "write").build());
    BOOST_TEST(is_told(*two, 1, "Done: research\nIts outputs:\n- score: 2\n"));
}

BOOST_AUTO_TEST_CASE(HIV_48_goal_and_description_reach_every_agent)
{
    const auto model = working_model();
    weft::graph_builder inner{"inner"};
    inner.state(loop_score);
    weft::add_event_loop(inner, "research", model, scoring());
    weft::graph_builder builder{"outer"};
    builder.state(loop_score, loop_topic);
    builder.describe("Answers questions about rain.");
    builder.goal({.name = "rain", .description = "People know whether it rains."});
    builder.node("part", weft::subgraph{inner.edge(weft::start, "research").build()}).edge(weft::start, "part");
    (void)run_loop(builder.build());
    BOOST_TEST(is_told(*model, 0, "Answers questions about rain."));
    BOOST_TEST(is_told(*model, 0, "People know whether it rains."));
}

namespace {

const std::string hive_nodes =
    "'state': [{'name': 'score', 'type': 'integer'}, {'name': 'answer', 'type': 'string'}], 'nodes': [{'name': "
    "'research', 'kind': 'event_loop', 'writes': ['score'], 'settings': {'system': 'Find out.'}}, {'name': 'write', "
    "'kind': 'event_loop', 'writes': ['answer'], 'settings': {'system': 'Write.'}}], 'edges': [{'from': '__start__', "
    "'to': 'research'}, {'from': 'research', 'to': 'write'}]";

/** Whether the second loop of a file with these members besides hears of the first. */
bool is_continuous(std::string_view more)
{
    const auto model = model_of({sets("score", 2, "I found two."), sets("answer", "42")});
    const seen_run seen = run_members(hive_nodes + std::string{more}, agent_registry(model));
    BOOST_TEST(seen.result.message() == "finished");
    return is_told(*model, 1, "I found two.");
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_47_files_say_it_and_defaults_of_hive_do)
{
    BOOST_TEST(!is_continuous(""));
    BOOST_TEST(is_continuous(", 'conversation': 'continuous'"));
    BOOST_TEST(is_continuous(", 'defaults': 'hive'"));
    BOOST_TEST(!is_continuous(", 'defaults': 'hive', 'conversation': 'isolated'"));
    std::string apart = hive_nodes;
    apart.replace(apart.find("'kind': 'event_loop', 'writes': ['score']"), 6, "'isolated': true, 'kind'");
    const auto model = model_of({sets("score", 2, "I found two."), sets("answer", "42")});
    (void)run_members(apart + ", 'defaults': 'hive'", agent_registry(model));
    BOOST_TEST(!is_told(*model, 1, "I found two."));
}

BOOST_AUTO_TEST_CASE(HIV_47_a_key_in_its_place_is_a_mistake_or_a_warning)
{
    std::string taken = hive_nodes;
    taken.replace(taken.find("'state': ["), 10, "'state': [{'name': 'conversation'}, ");
    const weft::node_registry registry = agent_registry(std::make_shared<loop_model>());
    const auto mistakes = mistakes_in(spec_text(taken + ", 'conversation': 'continuous'"), registry);
    BOOST_REQUIRE(mistakes.size() == 1u);
    BOOST_TEST(mistakes[0].find("give the key another name") != std::string::npos);
    const weft::loaded_graph loaded = weft::load_graph(spec_text(taken + ", 'defaults': 'hive'"), registry);
    BOOST_REQUIRE(loaded.warnings.size() >= 1u);
    BOOST_TEST(loaded.warnings[0].find("each node talks for itself") != std::string::npos);
    const weft::node_registry bare;
    const auto without = mistakes_in(
        spec_text("'nodes': [{'name': 'a', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': 'a'}], "
                  "'conversation': 'continuous'"),
        bare);
    BOOST_REQUIRE(without.size() == 1u);
    BOOST_TEST(without[0].find("needs the kinds of agents") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(HIV_47_HIV_48_a_graph_says_them_again)
{
    const weft::node_registry registry = agent_registry(nullptr);
    const weft::loaded_graph loaded = weft::load_graph(
        spec_text(hive_nodes + ", 'description': 'Rain.', 'conversation': 'continuous'"), registry);
    const weft::graph_spec said = weft::spec_of(loaded.what, registry);
    BOOST_TEST((said.conversation == weft::spec_conversation::continuous));
    BOOST_TEST(said.description == "Rain.");
    BOOST_TEST(said.state.size() == 2u);
    BOOST_TEST((weft::spec_of(weft::load_graph(said, registry).what, registry) == said));
}

BOOST_AUTO_TEST_SUITE_END()
