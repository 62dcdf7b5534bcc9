#include <boost/test/unit_test.hpp>

#include "agent/kinds/event_loop_kind.hpp"
#include "agent/loops.hpp"
#include "graph/spec_samples.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(event_loop_tools_test)

namespace {

std::shared_ptr<const weft::tool_set> tool_named(const std::string& name)
{
    weft::tool_set tools;
    tools.add(name, "Gives its name.", [name] { return "this is " + name; });
    return std::make_shared<const weft::tool_set>(std::move(tools));
}

weft::event_loop_options loop_with(std::shared_ptr<const weft::tool_set> tools, const weft::event_loop_output& owes)
{
    weft::event_loop_options options;
    options.settings.conversation = "shared_talk";
    options.tools = std::move(tools);
    options.outputs = {owes};
    return options;
}

/** research, which has `look`, -> write, which has `store` and is told of both nodes. */
struct two_nodes {
    weft::event_loop_options research = loop_with(looking(), weft::output_of(loop_score));
    weft::event_loop_options write = loop_with(tool_named("store"), weft::output_of(loop_answer));

    two_nodes()
    {
        research.tools_of_others = write.tools_of_others = {{"research", looking()}, {"write", write.tools}};
    }
    [[nodiscard]] weft::graph on(const std::shared_ptr<loop_model>& model) const
    {
        weft::graph_builder builder{"outer"};
        builder.state(loop_answer, loop_score, loop_talk_key);
        builder.initial(loop_talk_key, weft::conversation{});
        weft::add_event_loop(builder, "research", model, research);
        weft::add_event_loop(builder, "write", model, write);
        builder.edge(weft::start, "research").edge("research", "write");
        return builder.build();
    }
};

std::string offered(const loop_model& model, std::size_t call)
{
    std::string names;
    const std::vector<weft::chat_request> requests = model.requests();
    for (const weft::tool_spec& spec : requests.at(call).tools)
        names.append(names.empty() ? "" : " ").append(spec.name);
    return names;
}

std::shared_ptr<loop_model> looks_in_both()
{
    return model_of({sets("score", 7), loop_script{}.call("look", look_at("sky")), sets("answer", "Blue.")});
}

std::string file_of(std::string_view conversation_of_write)
{
    return "'state': [{'name': 'answer', 'type': 'string'}, {'name': 'score', 'type': 'integer'}, {'name': 'talk', "
           "'type': 'conversation'}, {'name': 'aside', 'type': 'conversation'}], 'nodes': [{'name': 'research', "
           "'kind': 'event_loop', 'writes': ['score', 'talk'], 'settings': {'conversation': 'talk', 'tools': "
           "['look']}}, "
           "{'name': 'write', 'kind': 'event_loop', "
           "'writes': ['answer', '" + std::string{conversation_of_write} + "'], 'settings': {'conversation': '" +
           std::string{conversation_of_write} + "'}}], 'edges': [{'from': '__start__', 'to': 'research'}, {'from': "
           "'research', 'to': 'write'}]";
}

weft::loaded_graph load(const std::string& file, const std::shared_ptr<loop_model>& model)
{
    weft::event_loop_options program;
    program.tools = looking();
    weft::node_registry registry;
    registry.add_type<weft::conversation>("conversation");
    registry.add_kind("event_loop", weft::event_loop_kind(model, std::move(program)));
    return weft::load_graph(spec_text(file), registry);
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_40_tools_accumulate_in_a_conversation_that_is_carried_on)
{
    const auto model = looks_in_both();
    const seen_loop seen = run_loop(two_nodes{}.on(model));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(offered(*model, 0) == "look set_output escalate");
    BOOST_TEST(offered(*model, 1) == "look store set_output escalate");
    BOOST_TEST(offered(*model, 2) == offered(*model, 1));
    BOOST_TEST(is_told(*model, 2, "tool: seen sky"));
    BOOST_TEST(is_told(*model, 1, "escalate, look, set_output, store"));  // the marker says what can be called now
}

BOOST_AUTO_TEST_CASE(HIV_40_an_isolated_node_has_its_own_tools_only)
{
    two_nodes nodes;
    nodes.write.settings.mode = weft::conversation_mode::isolated;
    const auto model = looks_in_both();
    const seen_loop seen = run_loop(nodes.on(model));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(offered(*model, 1) == "store set_output escalate");
    BOOST_TEST(is_told(*model, 2, "Unknown tool: there is no tool 'look'"));
}

BOOST_AUTO_TEST_CASE(a_tool_of_ones_own_counts_before_another_of_its_name)
{
    two_nodes nodes;
    nodes.write.tools = tool_named("look");
    const auto model = model_of({sets("score", 7), loop_script{}.call("look", {}), sets("answer", "Blue.")});
    const seen_loop seen = run_loop(nodes.on(model));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(offered(*model, 1) == "look set_output escalate");
    BOOST_TEST(is_told(*model, 2, "tool: this is look"));
}

BOOST_AUTO_TEST_CASE(tools_of_others_have_other_names_than_those_of_the_loop)
{
    two_nodes nodes;
    nodes.write.tools_of_others = {{"research", tool_named("set_output")}};
    BOOST_CHECK_EXCEPTION((void)nodes.on(looks_in_both()), weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::invalid_configuration &&
               e.detail().find("'set_output'") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(HIV_40_nodes_of_a_file_share_their_tools_by_the_conversation)
{
    const auto model = looks_in_both();
    const seen_loop seen = run_loop(load(file_of("talk"), model).what);
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(offered(*model, 1) == "look set_output escalate");
    BOOST_TEST(is_told(*model, 2, "tool: seen sky"));
}

BOOST_AUTO_TEST_CASE(nodes_of_a_file_in_other_conversations_do_not)
{
    const auto model = looks_in_both();
    const seen_loop seen = run_loop(load(file_of("aside"), model).what);
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(offered(*model, 1) == "set_output escalate");
    BOOST_TEST(is_told(*model, 2, "There is no tool 'look'"));
}

BOOST_AUTO_TEST_SUITE_END()
