#include "serve/ag_ui/agent_input.hpp"
#include "serve/ag_ui/turn_plan.hpp"

#include <weft/base/json.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(agent_input_test)

using namespace weft::serve_detail;
using boost::json::object;
using boost::json::value;

agent_input read(std::string_view more)
{
    const std::string text = R"({"threadId":"t","runId":"r")" + (more.empty() ? "" : "," + std::string{more}) + "}";
    return read_agent_input(weft::parse_json(text).as_object());
}

std::string refusal_of(std::string_view more)
{
    try {
        (void)read(more);
    } catch (const weft::http_error& refused) {
        BOOST_TEST(refused.status() == 422);
        return refused.what();
    }
    return "nothing is refused";
}

BOOST_AUTO_TEST_CASE(messages_are_read_in_every_form)
{
    const agent_input input = read(R"("protocolVersion":"1.0","parentRunId":"p","messages":[
        {"id":"1","role":"developer","content":"be brief"},
        {"id":"2","role":"user","name":"ada","content":[{"type":"text","text":"what is "},
            {"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"}},
            {"type":"image","source":{"type":"url","value":"https://x/y.png"}},
            {"type":"binary","mimeType":"image/gif","data":"eA=="},{"type":"text","text":"it?"}]},
        {"id":"3","role":"reasoning","content":"hm"},
        {"id":"4","role":"activity","activityType":"PLAN","content":{}},
        {"id":"5","role":"assistant","toolCalls":[{"id":"c1","type":"function",
            "function":{"name":"look","arguments":"{\"at\":1}"}},
            {"id":"c2","type":"function","function":{"name":"odd","arguments":"not json"}}]},
        {"id":"6","role":"tool","toolCallId":"c1","content":"a cat"},
        {"id":"7","role":"tool","toolCallId":"c2","content":"","error":"no such tool"},
        {"id":"8","role":"assistant","content":"a cat"}])");
    BOOST_TEST(input.speaks_v1);
    BOOST_TEST(input.parent_run == "p");
    BOOST_TEST_REQUIRE(input.messages.size() == 6U);
    BOOST_TEST((input.messages[0].role == weft::role::system));
    const agent_message& asked = input.messages[1];
    BOOST_TEST(asked.text == "what is it?");
    BOOST_TEST(asked.form.at("name") == "ada");
    BOOST_TEST(asked.form.at("content").at(1).at("image_url").at("url") == "data:image/png;base64,aGk=");
    BOOST_TEST(asked.form.at("content").at(2).at("image_url").at("url") == "https://x/y.png");
    BOOST_TEST(asked.form.at("content").at(3).at("image_url").at("url") == "data:image/gif;base64,eA==");
    const agent_message& calling = input.messages[2];
    BOOST_TEST(calling.calls == std::vector<std::string>({"c1", "c2"}), boost::test_tools::per_element());
    BOOST_TEST(calling.form.at("tool_calls").at(0).at("args") == value(object{{"at", 1}}));
    BOOST_TEST(calling.form.at("tool_calls").at(1).at("args").at("__raw__") == "not json");
    BOOST_TEST(input.messages[3].answered_call == "c1");
    BOOST_TEST(input.messages[4].form.at("status") == "error");
    BOOST_TEST(input.messages[4].form.at("content") == "no such tool");
}

BOOST_AUTO_TEST_CASE(nulls_count_as_left_out)
{
    const agent_input input = read(R"("protocolVersion":null,"messages":null,"state":null,"tools":null,"context":null,
        "forwardedProps":null,"resume":null,"parentRunId":null,"unknown":1)");
    BOOST_TEST(!input.speaks_v1);
    BOOST_TEST(input.messages.empty());
    BOOST_TEST(input.state.empty());
    BOOST_TEST(input.surroundings.empty());
    BOOST_TEST(input.answers.empty());
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named_with_its_place)
{
    const std::pair<const char*, const char*> rows[]{
        {R"("messages":{})", "body.messages: "},
        {R"("messages":[1])", "body.messages[0]: "},
        {R"("messages":[{"role":"user","content":"x"}])", "body.messages[0].id: "},
        {R"("messages":[{"id":"","role":"user","content":"x"}])", "body.messages[0].id: "},
        {R"("messages":[{"id":"1","role":"user"}])", "body.messages[0].content: "},
        {R"("messages":[{"id":"1","role":"user","content":7}])", "body.messages[0].content: "},
        {R"("messages":[{"id":"1","role":"user","content":[{"type":"text"}]}])", "body.messages[0].content[0].text: "},
        {R"("messages":[{"id":"1","role":"user","content":[{"type":"image"}]}])",
         "body.messages[0].content[0].source: "},
        {R"("messages":[{"id":"1","role":"user","content":[{"type":"image","source":{"type":"file","value":"f"}}]}])",
         "body.messages[0].content[0].source.type: "},
        {R"("messages":[{"id":"1","role":"user","content":[{"type":"binary","mimeType":"audio/x","data":""}]}])",
         "body.messages[0].content[0]: "},
        {R"("messages":[{"id":"1","role":"assistant","toolCalls":[{"id":"c"}]}])",
         "body.messages[0].toolCalls[0].function: "},
        {R"("messages":[{"id":"1","role":"tool","content":"x"}])", "body.messages[0].toolCallId: "},
        {R"("state":[])", "body.state: "},
        {R"("tools":{})", "body.tools: "},
        {R"("tools":[{},1])", "body.tools[1]: "},
        {R"("context":[[null]])", "body.context[0]: "},
        {R"("resume":[{"status":"resolved"}])", "body.resume[0].interruptId: "},
        {R"("resume":[{"interruptId":"q","status":1}])", "body.resume[0].status: "},
    };
    for (const auto& [more, place] : rows) {
        const std::string why = refusal_of(more);
        BOOST_TEST(why.starts_with(place), more << " gives " << why);
    }
    BOOST_TEST(refusal_of(R"("parentRunId":"a\u0000b")").starts_with("body.parentRunId: "));
    const std::string broken = refusal_of(R"("messages":[{"id":"a\nb","role":"user","content":"x"}])");
    BOOST_TEST(broken.starts_with("body.messages[0].id: "));
    BOOST_TEST(refusal_of(R"("parentRunId":")" + std::string(600, 'x') + '"').starts_with("body.parentRunId: "));
}

known_conversation known_with(std::initializer_list<const char*> messages)
{
    known_conversation known;
    for (const char* const id : messages) known.messages.insert(id);
    return known;
}

constexpr const char* two_users =
    R"("messages":[{"id":"u1","role":"user","content":"a"},{"id":"u2","role":"user","content":"b"}])";

BOOST_AUTO_TEST_CASE(what_the_thread_has_is_not_added)
{
    using kind = agent_turn::kind;
    agent_turn turn = plan_turn(read(two_users), known_with({"u1"}));
    BOOST_TEST((turn.what == kind::begin));
    BOOST_TEST(turn.added == std::vector<std::size_t>{1}, boost::test_tools::per_element());
    // Nothing is new: it runs again, joins what is under way, or hears of the question.
    turn = plan_turn(read(two_users), known_with({"u1", "u2"}));
    BOOST_TEST((turn.what == kind::begin && turn.added.empty()));
    for (const auto state : {known_conversation::run_state::under_way, known_conversation::run_state::waiting}) {
        known_conversation known = known_with({"u1", "u2"});
        known.run = state;
        BOOST_TEST((plan_turn(read(two_users), known).what == kind::join));
        known.messages.erase("u2");
        BOOST_TEST((plan_turn(read(two_users), known).what == kind::begin));
    }
    known_conversation known;
    known.has_request = true;
    BOOST_TEST((plan_turn(read(two_users), known).what == kind::join));
}

BOOST_AUTO_TEST_CASE(a_user_who_has_an_answer_and_sends_the_same_again_wants_another_one)
{
    using kind = agent_turn::kind;
    known_conversation known = known_with({"u1", "u2", "a2"});
    known.last_message = "a2";
    BOOST_TEST((plan_turn(read(two_users), known).what == kind::again));
    known.run = known_conversation::run_state::under_way;
    BOOST_TEST((plan_turn(read(two_users), known).what == kind::join));
    known.run = known_conversation::run_state::none;
    known.last_message = "u2";  // it has no answer yet
    BOOST_TEST((plan_turn(read(two_users), known).what == kind::begin));
    // What is new is added, whatever else the thread has.
    known = known_with({"u1", "a1"});
    known.last_message = "a1";
    const agent_turn turn = plan_turn(read(two_users), known);
    BOOST_TEST((turn.what == kind::begin && turn.added.size() == 1U));
}

BOOST_AUTO_TEST_CASE(pieces_of_runs_are_no_messages_of_the_client)
{
    known_conversation known;
    known.calls = {"c1"};
    known.answered = {"c1"};
    const agent_turn turn = plan_turn(read(R"("messages":[
        {"id":"run-7:talk:1","role":"assistant","content":"half an ans"},
        {"id":"c1","role":"assistant","toolCalls":[{"id":"c1","function":{"name":"f","arguments":""}}]},
        {"id":"c1-result","role":"tool","toolCallId":"c1","content":"1"},
        {"id":"hello","role":"assistant","content":"How can I help?"}])"), known);
    BOOST_TEST(turn.added == std::vector<std::size_t>{3}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(results_go_to_the_run_that_waits_for_them)
{
    using kind = agent_turn::kind;
    const agent_input input = read(R"("messages":[{"id":"x","role":"tool","toolCallId":"c1","content":"1"}])");
    known_conversation known;
    known.run = known_conversation::run_state::waiting;
    known.calls = {"c1"};
    BOOST_TEST((plan_turn(input, known).what == kind::post));
    known.questions = {"q"};
    BOOST_TEST((plan_turn(input, known).what == kind::begin));
    known.calls.clear();
    const agent_turn refused = plan_turn(input, known);
    BOOST_TEST((refused.what == kind::refuse));
    BOOST_TEST(refused.code == "unknown_tool_call");
    // A conversation that a client brings along is whole in itself.
    const agent_turn whole = plan_turn(read(R"("messages":[
        {"id":"a","role":"assistant","toolCalls":[{"id":"c9","function":{"name":"f","arguments":"{}"}}]},
        {"id":"b","role":"tool","toolCallId":"c9","content":"1"}])"), known_conversation{});
    BOOST_TEST(whole.added.size() == 2U);
}

BOOST_AUTO_TEST_CASE(answers_are_bound_to_open_questions)
{
    using kind = agent_turn::kind;
    known_conversation known = known_with({"u1", "u2"});
    known.run = known_conversation::run_state::waiting;
    known.questions = {"ask#1", "ask#2"};
    const std::string messages = std::string{","} + two_users;
    const auto plan = [&](std::string resume) {
        return plan_turn(read(R"("resume":[)" + std::move(resume) + "]" + messages), known);
    };
    agent_turn turn = plan(R"({"interruptId":"ask#1","status":"resolved","payload":{"a":1}})");
    BOOST_TEST((turn.what == kind::answer));
    BOOST_TEST(turn.answers.at("ask#1") == value(object{{"a", 1}}));
    turn = plan(R"({"interruptId":"ask#1","status":"resolved"},{"interruptId":"ask#0","status":"resolved"})");
    BOOST_TEST(turn.code == "stale_interrupt");
    BOOST_TEST(turn.why.find("ask#0") != std::string::npos);
    BOOST_TEST(turn.why.find("ask#1, ask#2") != std::string::npos);
    BOOST_TEST((plan(R"({"interruptId":"ask#1","status":"cancelled"})").what == kind::cancel));
    known.messages.erase("u2");
    turn = plan(R"({"interruptId":"ask#1","status":"cancelled"})");
    BOOST_TEST((turn.what == kind::begin && turn.added.size() == 1U));
}

BOOST_AUTO_TEST_SUITE_END()
