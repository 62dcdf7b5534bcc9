#include <boost/test/unit_test.hpp>

#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/conversation/training_conversation.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

BOOST_AUTO_TEST_SUITE(training_conversation_test)

namespace {

using weft::message;
using weft::training_format;

/** A user asks, a model calls a tool and answers; then a user says something that stays without an answer. */
std::vector<message> talk()
{
    message call = message::assistant("I look.");
    call.content.insert(call.content.begin(), weft::reasoning_part{"Hm.", ""});
    call.tool_calls.push_back({"c1", "weather", R"({"city":"Rome","api_key":"abcd1234"})"});
    return {message::system("Be brief."), message::user("Umbrella?"), call,
            message::tool_result("c1", "rain"), message::assistant("Yes."), message::user("Thanks")};
}

std::string line_of(const std::vector<message>& said, training_format format)
{
    const auto example = weft::training_example(said, format, weft::secret_scrubber{});
    return example ? weft::to_json_text(*example) : "nothing";
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_28_a_conversation_in_the_form_of_openai)
{
    BOOST_TEST(line_of(talk(), training_format::openai) ==
               R"({"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Umbrella?"},)"
               R"({"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":)"
               R"({"name":"weather","arguments":"{\"city\":\"Rome\",\"api_key\":\"***\"}"}}]},)"
               R"({"role":"tool","content":"rain","tool_call_id":"c1"},{"role":"assistant","content":"Yes."}]})");
}

BOOST_AUTO_TEST_CASE(SUL_28_a_conversation_in_the_form_of_sharegpt)
{
    const std::string line = line_of(talk(), training_format::sharegpt);
    BOOST_TEST(line.starts_with(R"({"conversations":[{"from":"system","value":"Be brief."},)"
                                R"({"from":"human","value":"Umbrella?"},{"from":"gpt","value":"I look."},)"
                                R"({"from":"function_call","value":"{\"name\":\"weather\",)"));
    BOOST_TEST(line.ends_with(R"({"from":"observation","value":"{\"name\":\"weather\",\"content\":\"rain\"}"},)"
                              R"({"from":"gpt","value":"Yes."}]})"));
    BOOST_TEST(line.find("abcd1234") == std::string::npos);
    BOOST_TEST(line.find("Hm.") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(SUL_28_what_no_model_or_no_user_said_is_no_example)
{
    BOOST_TEST(line_of({}, training_format::openai) == "nothing");
    BOOST_TEST(line_of({message::user("Hello?")}, training_format::openai) == "nothing");
    BOOST_TEST(line_of({message::system("x"), message::assistant("y")}, training_format::sharegpt) == "nothing");
}

BOOST_AUTO_TEST_CASE(SUL_28_conversations_are_found_in_a_state)
{
    weft::conversation lanes;
    lanes.add(message::user("main"), {});
    weft::provenance aside;
    aside.lane = "judge";
    lanes.add(message::user("aside"), aside);
    lanes.cover(weft::entry_kind::summary, "summary", {0}, {});
    boost::json::object state{{"topic", "x"}, {"words", boost::json::array{"a", 1}}};
    state["messages"] = weft::to_json(talk());
    state["talk"] = weft::to_json(lanes);
    const auto found = weft::conversations_in(state);
    BOOST_REQUIRE_EQUAL(found.size(), 3u);
    BOOST_TEST(found[0].key == "messages");
    BOOST_TEST((found[0].messages == talk()));
    BOOST_TEST(found[1].key + found[1].lane == "talk");
    BOOST_TEST(found[1].messages.size() == 1u);
    BOOST_TEST(found[1].messages[0].text() == "main");
    BOOST_TEST(found[2].lane == "judge");
    BOOST_TEST(weft::conversations_in(state, "messages").size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
