#include <boost/test/unit_test.hpp>

#include "agent/memories.hpp"

#include <weft/agent/memory_tools.hpp>
#include <weft/graph/graph_builder.hpp>

using namespace weft_tests;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(memory_tools_test)

using namespace weft_tests::tool_agents;

namespace {

constexpr weft::state_key<std::string> user{"user"};

/** An agent with memory tools, in a graph whose memory is that of a user. */
weft::graph assistant(const std::shared_ptr<weft::chat_model>& model, weft::graph_memory memory = {{"users", "{user}"}})
{
    weft::react_options options;
    options.name = "agent";
    weft::add_memory_tools(options.tools);
    const weft::react_agent agent{model, std::move(options)};
    weft::graph_builder builder{"assistant"};
    builder.state(user, weft::react_messages, weft::react_answer).memory(std::move(memory));
    builder.node("agent", weft::subgraph{agent.graph()}).edge(weft::start, "agent").edge("agent", weft::end);
    return builder.build();
}

weft::run_request of(std::string name)
{
    return weft::run_request{}.input(user, std::move(name)).input(weft::react_messages, weft::message::user("Hello"));
}

/** What the model read of the results of its tools. */
std::string last_result(weft::testing::scripted_model& model)
{
    return last_of(model.requests().back(), weft::role::tool);
}

}  // namespace

BOOST_AUTO_TEST_CASE(M1_what_one_conversation_remembers_another_one_recalls)
{
    shared_memory memory;
    const auto model = script();
    const weft::graph graph = assistant(model);
    model->then(scripted_turn{}.call("remember", {{"name", "city"}, {"text", "Ada lives in Lima."}}))
        .then(scripted_turn{"Noted."});
    BOOST_TEST(memory.run(graph, of("ada")).message() == "finished");
    BOOST_TEST(last_result(*model) == "remembered as 'city'");
    BOOST_TEST(memory.all() == "users/ada/city=\"Ada lives in Lima.\"");

    model->then(scripted_turn{}.call("recall", {{"query", "where does she live"}})).then(scripted_turn{"In Lima."});
    BOOST_TEST(memory.run(graph, of("ada")).message() == "finished");
    BOOST_TEST(last_result(*model).find("Ada lives in Lima.") != std::string::npos);

    model->then(scripted_turn{}.call("recall", {{"query", "live"}})).then(scripted_turn{"I do not know."});
    (void)memory.run(graph, of("bob"));
    BOOST_TEST(last_result(*model) == "nothing is remembered that fits");

    model->then(scripted_turn{}.call("forget", {{"name", "city"}})).then(scripted_turn{"Gone."});
    (void)memory.run(graph, of("ada"));
    BOOST_TEST(last_result(*model) == "forgotten");
    BOOST_TEST(memory.all() == "");
    model->then(scripted_turn{}.call("forget", {{"name", "city"}})).then(scripted_turn{"Gone."});
    (void)memory.run(graph, of("ada"));
    BOOST_TEST(last_result(*model).find("recall gives the names") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(M1_a_text_without_a_name_is_kept_once)
{
    shared_memory memory;
    const auto model = script();
    const weft::graph graph = assistant(model);
    for (int i = 0; i < 2; ++i) {
        model->then(scripted_turn{}.call("remember", {{"text", "She likes soup."}})).then(scripted_turn{"Noted."});
        (void)memory.run(graph, of("ada"));
    }
    BOOST_TEST(memory.all().starts_with("users/ada/note-"));
    BOOST_TEST(memory.all().find(' ', memory.all().find("soup")) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(M1_what_is_too_much_is_refused_and_the_model_is_told)
{
    shared_memory memory;
    const auto model = script();
    weft::graph_memory small{.scope = {"{user}"}, .items_max = 1, .value_bytes_max = 20};
    const weft::graph graph = assistant(model, small);
    const auto says = [&](std::string name, std::string text) {
        model->then(scripted_turn{}.call("remember", {{"name", name}, {"text", text}})).then(scripted_turn{"Well."});
        (void)memory.run(graph, of("ada"));
        return last_result(*model);
    };
    BOOST_TEST(says("a", "this text is longer than that").find("at most 20") != std::string::npos);
    BOOST_TEST(says("a", "short") == "remembered as 'a'");
    BOOST_TEST(says("b", "short").find("forget some first") != std::string::npos);
    BOOST_TEST(says("a", "again") == "remembered as 'a'");
    BOOST_TEST(memory.all() == "ada/a=\"again\"");
}

BOOST_AUTO_TEST_CASE(M1_without_a_memory_or_a_user_the_model_is_told)
{
    shared_memory memory;
    const auto model = script();
    const weft::graph graph = assistant(model);
    model->then(scripted_turn{}.call("recall", {{"query", "x"}})).then(scripted_turn{"Well."});
    (void)run_with(graph, of("ada"));
    BOOST_TEST(last_result(*model).find("give the run a `memory`") != std::string::npos);
    model->then(scripted_turn{}.call("remember", {{"text", "x"}})).then(scripted_turn{"Well."});
    (void)memory.run(graph, weft::run_request{}.input(weft::react_messages, weft::message::user("Hello")));
    BOOST_TEST(last_result(*model).find("whose memory this is") != std::string::npos);
    BOOST_TEST(memory.all() == "");
}

BOOST_AUTO_TEST_CASE(M1_tools_can_have_a_memory_of_their_own_and_only_read_it)
{
    shared_memory memory;
    memory.sim.run(memory.space->put("rule", "Be polite."));
    weft::memory_tools_options options;
    options.space = memory.space;
    options.may_write = false;
    weft::tool_set tools;
    weft::add_memory_tools(tools, options);
    BOOST_TEST(tools.names() == "recall");
    weft::tool_invocation call{{}, {{"prefix", "ru"}}};
    const weft::tool_result result = memory.sim.run(tools.find("recall")->work->call(std::move(call)));
    BOOST_TEST(result.readable().find("Be polite.") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(M1_a_long_memory_is_shown_as_far_as_it_has_room)
{
    shared_memory memory;
    for (const char* const name : {"a", "b", "c"})
        memory.sim.run(memory.space->put(name, boost::json::string(200, 'x')));
    weft::memory_tools_options options;
    options.space = memory.space;
    options.recalled_bytes_max = 600;
    weft::tool_set tools;
    weft::add_memory_tools(tools, options);
    const weft::tool_result result = memory.sim.run(tools.find("recall")->work->call({{}, {}}));
    BOOST_TEST(result.readable().find("1 more") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
