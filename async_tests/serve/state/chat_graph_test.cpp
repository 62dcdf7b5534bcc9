#include <boost/test/unit_test.hpp>

#include "serve/state/chat_graph.hpp"

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/graph_spec_reader.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(chat_graph_test)

using weft::serve_detail::chat_graph;

inline constexpr weft::state_key<weft::list<weft::message>, weft::append> talk{"talk"};
inline constexpr weft::state_key<std::string> question{"question"};
inline constexpr weft::state_key<std::string> answer{"answer"};
inline constexpr weft::state_key<std::int64_t> count{"count"};

template <class... Keys>
weft::graph graph_with(const Keys&... keys)
{
    return weft::graph_builder{"asked"}
        .state(keys...)
        .node("n", [](weft::node_context&) {})
        .edge(weft::start, "n")
        .build();
}

weft::state state_of(const weft::graph& of, const boost::json::object& values)
{
    weft::state result{of.layout()};
    result.assign_json(values);
    return result;
}

BOOST_AUTO_TEST_CASE(a_conversation_gets_the_messages_and_says_what_came_behind_them)
{
    const weft::graph of = graph_with(question, talk);
    const chat_graph chat{of};
    BOOST_TEST(chat.messages_key() == "talk");
    const boost::json::array given{boost::json::object{{"role", "user"}, {"content", "hi"}}};
    const boost::json::object input = chat.input(given, "hi");
    BOOST_TEST(boost::json::serialize(input) == R"({"talk":[{"role":"user","content":"hi"}]})");
    weft::list<weft::message> said;
    said.push_back(weft::message::user("one"));
    said.push_back(weft::message::assistant("first"));
    said.push_back(weft::message::user("two"));
    weft::message calls = weft::message::assistant("let me look");
    calls.tool_calls.push_back({.id = "c1", .name = "look", .arguments = "{}"});
    said.push_back(calls);
    said.push_back(weft::message::tool_result("c1", "seen"));
    said.push_back(weft::message::assistant("second"));
    const weft::state left = state_of(of, {{"talk", boost::json::value_from(said)}});
    BOOST_TEST(chat.added(left).size() == 3u);
    BOOST_TEST(chat.answer(left) == "second");
}

BOOST_AUTO_TEST_CASE(a_graph_without_a_conversation_gets_a_text)
{
    const weft::graph of = graph_with(question, answer, count);
    const chat_graph chat{of};
    BOOST_TEST(boost::json::serialize(chat.input({}, "why?")) == R"({"question":"why?"})");
    BOOST_TEST(boost::json::serialize(chat.input({}, R"( {"question":"why?","count":2})")) ==
               R"({"question":"why?","count":2})");
    BOOST_TEST(boost::json::serialize(chat.input({}, "{so} what?")) == R"({"question":"{so} what?"})");
    BOOST_TEST(chat.answer(state_of(of, {{"question", "why?"}, {"answer", "so"}})) == "so");
    BOOST_TEST(chat.answer(state_of(of, {{"question", "why?"}})) == R"({"question":"why?"})");
    BOOST_TEST(chat.added(state_of(of, {})).empty());
}

BOOST_AUTO_TEST_CASE(what_nodes_write_is_no_input)
{
    const std::string text = R"({
        "name": "hello",
        "state": [{"name": "who", "type": "string"}, {"name": "text", "type": "string"}],
        "nodes": [{"name": "greet", "kind": "set", "settings": {"expressions": {"text": "'Hello, ' + who"}}}],
        "edges": [{"from": "__start__", "to": "greet"}, {"from": "greet", "to": "__end__"}]})";
    const chat_graph chat{weft::load_graph(text, weft::node_registry{}).what};
    BOOST_TEST(chat.text_key() == "who");
    BOOST_TEST(chat.answer_key() == "text");
}

BOOST_AUTO_TEST_CASE(a_graph_that_takes_no_text_says_its_keys)
{
    const weft::graph of = graph_with(count);
    const chat_graph chat{of};
    BOOST_CHECK_EXCEPTION((void)chat.input({}, "hello"), weft::http_error, [](const weft::http_error& e) {
        return std::string{e.what()}.find("its keys are: count") != std::string::npos;
    });
    BOOST_TEST(chat.answer(state_of(of, {{"count", 3}})) == R"({"count":3})");
}

BOOST_AUTO_TEST_SUITE_END()
