#include "agent_stream.hpp"
#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"
#include "tool_talk.hpp"

#include <weft/async/sleep.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(ag_ui_test)

using namespace std::chrono_literals;
using boost::json::array;
using boost::json::object;
using boost::json::value;

inline constexpr weft::state_key<std::vector<weft::message>, weft::append> messages{"messages"};
inline constexpr weft::state_key<std::string> question{"question"};
inline constexpr weft::state_key<std::string> answer_text{"answer"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> steps{"steps"};
inline constexpr weft::state_key<int> count{"count"};
inline constexpr weft::state_key<object> surroundings{"ag_ui"};

weft::graph chat_graph()
{
    const auto talk = [](weft::node_context& ctx) {
        const std::string heard = ctx.get(messages).back().text();
        for (const std::string& word : {std::string{"You "}, std::string{"said "}, heard}) ctx.emit("output", word);
        ctx.emit("progress", R"({"done":true})");
        ctx.emit("usage", R"({"input":7,"output":3})");
        ctx.set(messages, weft::message::assistant("You said " + heard));
        const int* const before = ctx.find(count);
        ctx.set(count, before ? *before + 1 : 1);
    };
    return weft::graph_builder{"chat"}
        .state(messages, count, surroundings)
        .node("talk", talk)
        .edge(weft::start, "talk")
        .build();
}

weft::graph echo_graph()
{
    return weft::graph_builder{"echo"}
        .state(question, answer_text, steps)
        .node("first", [](weft::node_context& ctx) { ctx.set(steps, std::string{"first"}); })
        .node("second",
              [](weft::node_context& ctx) {
                  ctx.set(steps, std::string{"second"});
                  ctx.set(answer_text, "so: " + ctx.get(question));
              })
        .edge(weft::start, "first")
        .edge("first", "second")
        .build();
}

weft::task<void> approve(weft::node_context& ctx)
{
    ctx.emit("output", "Let me see. ");
    weft::question asked = weft::question::approval("Shall I?");
    asked.about = object{{"tool", "send"}};
    const bool is_allowed = co_await ctx.ask<bool>(std::move(asked));
    const std::string said = is_allowed ? "I do" : "I do not";
    ctx.emit("output", said);
    ctx.set(messages, weft::message::assistant("Let me see. " + said));
}

weft::graph asking_graph()
{
    return weft::graph_builder{"asking"}.state(messages).node("ask", approve).edge(weft::start, "ask").build();
}

weft::graph failing_graph()
{
    const auto fail = [](weft::node_context& ctx) {
        ctx.emit("output", "I am ");
        throw std::runtime_error{"it broke"};
    };
    return weft::graph_builder{"failing"}
        .state(messages)
        .node("break", fail, {.retry = {.attempts_max = 1}})
        .edge(weft::start, "break")
        .build();
}

/** Runs until `gate` is opened. */
weft::graph held_graph(bool& gate)
{
    const auto hold = [&gate](weft::node_context& ctx) -> weft::task<void> {
        ctx.emit("output", "one ");
        while (!gate) co_await weft::sleep_for(1ms);
        ctx.emit("output", "two");
        ctx.set(messages, weft::message::assistant("one two"));
    };
    return weft::graph_builder{"held"}.state(messages).node("hold", hold).edge(weft::start, "hold").build();
}

std::string run_body(std::string_view run, std::string_view more, std::string_view thread = "t1")
{
    std::string body = R"({"threadId":")" + std::string{thread} + R"(","runId":")" + std::string{run} +
                       R"(","protocolVersion":"1.0","tools":[],"context":[],"forwardedProps":{})";
    return body.append(",").append(more).append("}");
}

std::string user_says(std::string_view id, std::string_view text)
{
    return R"("messages":[{"id":")" + std::string{id} + R"(","role":"user","content":")" + std::string{text} + R"("}])";
}

struct served {
    explicit served(std::vector<weft::served_graph> graphs) : server{loop, store, std::move(graphs)} {}

    std::vector<object> run(std::string_view agent, std::string body)
    {
        const answer got = server.post("/ag-ui/" + std::string{agent}, std::move(body));
        BOOST_TEST_REQUIRE(got.status == 200, got.body);
        BOOST_TEST(got.headers.find("content-type").value() == "text/event-stream");
        std::vector<object> events = agent_events_in(got.body);
        BOOST_TEST(disorder_in(events) == "", got.body);
        return events;
    }

    test_loop loop;
    weft::memory_store store;
    life server;
};

const object* first_of(const std::vector<object>& events, std::string_view type)
{
    for (const object& event : events)
        if (event.at("type") == value(type)) return &event;
    return nullptr;
}

BOOST_AUTO_TEST_CASE(a_conversation_is_told_in_the_order_of_the_protocol)
{
    served it{{chat_graph()}};
    const std::vector<object> events = it.run("chat", run_body("r1", user_says("u1", "hello")));
    BOOST_TEST(kinds_of(events) ==
               "RUN_STARTED STATE_SNAPSHOT MESSAGES_SNAPSHOT STEP_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT "
               "TEXT_MESSAGE_CONTENT TEXT_MESSAGE_CONTENT CUSTOM TEXT_MESSAGE_END STEP_FINISHED STATE_SNAPSHOT "
               "RUN_FINISHED");
    BOOST_TEST(events[0].at("threadId") == "t1");
    BOOST_TEST(events[0].at("runId") == "r1");
    BOOST_TEST(events[0].at("protocolVersion") == "1.0");
    BOOST_TEST(events[2].at("messages").at(0).at("id") == "u1");
    BOOST_TEST(text_in_events(events) == "You said hello");
    BOOST_TEST(first_of(events, "CUSTOM")->at("value").at("done").as_bool());
    BOOST_TEST(first_of(events, "STEP_STARTED")->at("stepName") == "talk");
    const object& last = events.back();
    BOOST_TEST(last.at("outcome").at("type") == "success");
    BOOST_TEST(last.at("usage").at(0).at("inputTokens") == 7);
    BOOST_TEST(last.at("usage").at(0).at("totalTokens") == 10);
    BOOST_TEST(!last.contains("result"));

    // The thread has what the client has, under the same ids: LangGraph's clients see it.
    agent_client_view view;
    view.take(events);
    const value state = it.server.send("GET", "/threads/t1/state").json();
    const array& kept = state.at("values").at("messages").as_array();
    BOOST_TEST_REQUIRE(kept.size() == 2U);
    for (const value& one : kept) {
        const object* const shown = view.find(one.at("id").as_string());
        BOOST_TEST_REQUIRE(shown);
        BOOST_TEST(shown->at("content") == one.at("content"));
    }
    BOOST_TEST(view.state == object({{"count", 1}}));
}

BOOST_AUTO_TEST_CASE(a_thread_may_have_any_name)
{
    served it{{chat_graph()}};
    const answer got = it.server.post("/ag-ui/chat", run_body("r1", user_says("u1", "x"), "a/b \xc3\xa4%"));
    BOOST_TEST(disorder_in(agent_events_in(got.body)) == "", got.body);
    const std::string place{got.headers.find("content-location").value()};
    BOOST_TEST(place.starts_with("/threads/a%2Fb%20%C3%A4%25/runs/"), place);
    BOOST_TEST(it.server.send("GET", place).status == 200);
}

BOOST_AUTO_TEST_CASE(a_client_sends_its_whole_conversation_and_nothing_is_there_twice)
{
    served it{{chat_graph()}};
    agent_client_view view;
    for (int turn = 1; turn <= 3; ++turn) {
        const std::string id = "u" + std::to_string(turn);
        view.messages.push_back(object{{"id", id}, {"role", "user"}, {"content", "w" + std::to_string(turn)}});
        view.take(it.run("chat", run_body("r" + id, R"("state":)" + boost::json::serialize(view.state) +
                                                        R"(,"messages":)" + boost::json::serialize(view.messages))));
        BOOST_TEST(view.messages.size() == static_cast<std::size_t>(2 * turn));
        BOOST_TEST(view.state.at("count") == turn);
    }
    const value state = it.server.send("GET", "/threads/t1/state").json();
    BOOST_TEST(state.at("values").at("messages").as_array().size() == 6U);
}

BOOST_AUTO_TEST_CASE(a_graph_without_a_conversation_gets_the_text_and_says_its_answer)
{
    served it{{echo_graph()}};
    const std::string why(200, 'y');
    const std::vector<object> events = it.run("echo", run_body("r1", user_says("u1", why)));
    BOOST_TEST(kinds_of(events) ==
               "RUN_STARTED STATE_SNAPSHOT STEP_STARTED STEP_FINISHED STATE_DELTA STEP_STARTED STEP_FINISHED "
               "STATE_DELTA TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED");
    BOOST_TEST(text_in_events(events) == "so: " + why);
    BOOST_TEST(events.back().at("result") == value("so: " + why));
    agent_client_view view;
    view.take(events);
    BOOST_TEST(view.state ==
               object({{"question", why}, {"answer", "so: " + why}, {"steps", array{"first", "second"}}}));
}

BOOST_AUTO_TEST_CASE(what_a_client_changes_in_the_state_replaces_what_was_there)
{
    served it{{echo_graph()}};
    agent_client_view view;
    view.take(it.run("echo", run_body("r1", user_says("u1", "why"))));
    // The lists that it sends back are not added to those that are there.
    view.take(it.run("echo", run_body("r2", R"("messages":[],"state":)" + boost::json::serialize(view.state))));
    BOOST_TEST(view.state.at("steps") == array({"first", "second", "first", "second"}));
    view.state.as_object()["steps"] = array{"mine"};
    view.state.as_object()["question"] = "how";
    view.take(it.run("echo", run_body("r3", R"("messages":[],"state":)" + boost::json::serialize(view.state))));
    BOOST_TEST(view.state.at("steps") == array({"mine", "first", "second"}));
    BOOST_TEST(view.state.at("answer") == "so: how");
}

BOOST_AUTO_TEST_CASE(what_comes_with_a_request_is_for_graphs_that_want_it_and_no_state)
{
    served it{{chat_graph()}};
    const std::string body = R"({"threadId":"t1","runId":"r1","messages":[],"context":[{"description":"d","value":"v"}],
        "tools":[{"name":"n","description":"","parameters":{}}],"forwardedProps":{"a":1}})";
    const std::vector<object> events = it.run("chat", R"({"threadId":"t1","runId":"r1",)" +
        user_says("u1", "x") + body.substr(body.find(R"(,"context")")));
    agent_client_view view;
    view.take(events);
    BOOST_TEST(view.state == object({{"count", 1}}));
    const value state = it.server.send("GET", "/threads/t1/state").json();
    const value& kept = state.at("values").at("ag_ui");
    BOOST_TEST(kept.at("context").at(0).at("value") == "v");
    BOOST_TEST(kept.at("tools").at(0).at("name") == "n");
    BOOST_TEST(kept.at("forwardedProps").at("a") == 1);
}

BOOST_AUTO_TEST_CASE(a_question_is_an_interrupt_and_its_answer_goes_on_with_the_run)
{
    served it{{asking_graph()}};
    const std::vector<object> first = it.run("asking", run_body("r1", user_says("u1", "go")));
    const value& outcome = first.back().at("outcome");
    BOOST_TEST_REQUIRE(outcome.at("type") == "interrupt");
    const object& interrupt = outcome.at("interrupts").at(0).as_object();
    BOOST_TEST(interrupt.at("message") == "Shall I?");
    BOOST_TEST(interrupt.at("reason") == "confirmation");
    BOOST_TEST(interrupt.at("responseSchema").at("type") == "boolean");
    BOOST_TEST(interrupt.at("metadata").at("about").at("tool") == "send");
    const std::string id{interrupt.at("id").as_string()};
    agent_client_view view;
    view.take(first);

    // Without an answer the client is told of the question again.
    const std::vector<object> again = it.run("asking", run_body("r2", user_says("u1", "go")));
    BOOST_TEST(again.back().at("outcome").at("interrupts").at(0).at("id") == value(id));

    const std::string resume = R"("resume":[{"interruptId":")" + id + R"(","status":"resolved","payload":true}],)";
    const std::vector<object> second =
        it.run("asking", run_body("r3", resume + R"("messages":)" + boost::json::serialize(view.messages)));
    view.take(second);
    BOOST_TEST(second.back().at("outcome").at("type") == "success");
    BOOST_TEST(view.messages.back().at("content") == "Let me see. I do");
    BOOST_TEST(view.messages.size() == 2U);

    const std::vector<object> stale = it.run("asking", run_body("r4", resume + user_says("u1", "go")));
    BOOST_TEST(kinds_of(stale) == "RUN_STARTED RUN_ERROR");
    BOOST_TEST(stale.back().at("code") == "stale_interrupt");
}

BOOST_AUTO_TEST_CASE(an_answer_that_does_not_fit_is_refused_and_the_question_stays)
{
    served it{{asking_graph()}};
    const std::vector<object> first = it.run("asking", run_body("r1", user_says("u1", "go")));
    const std::string id{first.back().at("outcome").at("interrupts").at(0).at("id").as_string()};
    const std::string head = R"("resume":[{"interruptId":")" + id + R"(","status":"resolved","payload":)";
    const std::vector<object> wrong = it.run("asking", run_body("r2", head + R"("maybe"}],)" + user_says("u1", "go")));
    BOOST_TEST(wrong.back().at("type") == "RUN_ERROR");
    BOOST_TEST(wrong.back().at("code") == "invalid_answer");
    const std::vector<object> right = it.run("asking", run_body("r3", head + R"(false}],)" + user_says("u1", "go")));
    BOOST_TEST(right.back().at("outcome").at("type") == "success");
}

BOOST_AUTO_TEST_CASE(an_answer_goes_along_with_what_a_person_says_and_changes_beside_it)
{
    served it{{asking_graph(), chat_graph()}};
    const std::vector<object> first = it.run("asking", run_body("r1", user_says("u1", "go")));
    const std::string id{first.back().at("outcome").at("interrupts").at(0).at("id").as_string()};
    const std::string resume = R"("resume":[{"interruptId":")" + id + R"(","status":"resolved","payload":true}],)";
    const std::string both = R"("messages":[{"id":"u1","role":"user","content":"go"},)"
                             R"({"id":"u2","role":"user","content":"but quickly"}])";
    agent_client_view view;
    view.take(first);
    view.take(it.run("asking", run_body("r2", resume + both)));
    BOOST_TEST(view.find("u2"));
    const value state = it.server.send("GET", "/threads/t1/state").json();
    BOOST_TEST(state.at("values").at("messages").at(1).at("id") == "u2");
    BOOST_TEST(state.at("values").at("messages").at(2).at("content") == "Let me see. I do");
}

BOOST_AUTO_TEST_CASE(a_question_that_is_left_open_ends_its_run)
{
    served it{{asking_graph()}};
    const std::vector<object> first = it.run("asking", run_body("r1", user_says("u1", "go")));
    const std::string id{first.back().at("outcome").at("interrupts").at(0).at("id").as_string()};
    const std::string resume = R"("resume":[{"interruptId":")" + id + R"(","status":"cancelled"}],)";
    const std::vector<object> ended = it.run("asking", run_body("r2", resume + user_says("u1", "go")));
    BOOST_TEST(ended.back().at("outcome").at("type") == "cancelled");
    const value thread = it.server.send("GET", "/threads/t1").json();
    BOOST_TEST(thread.at("status") == "idle");
}

BOOST_AUTO_TEST_CASE(calls_of_tools_are_told_with_their_results)
{
    served it{{tool_talk::graph()}};
    const std::vector<object> events = it.run("tools", run_body("r1", user_says("u1", "add")));
    const object* const result = first_of(events, "TOOL_CALL_RESULT");
    BOOST_TEST_REQUIRE(result);
    BOOST_TEST(result->at("content") == "5");
    BOOST_TEST(first_of(events, "TOOL_CALL_ARGS")->at("delta") == R"({"a":2,"b":3})");
    BOOST_TEST(text_in_events(events) == "One momentIt is 5");
    BOOST_TEST(!events.back().at("outcome").as_object().contains("pendingToolCallIds"));
    agent_client_view view;
    view.take(events);
    const value state = it.server.send("GET", "/threads/t1/state").json();
    const array& kept = state.at("values").at("messages").as_array();
    BOOST_TEST_REQUIRE(kept.size() == 4U);
    for (std::size_t i = 0; i < kept.size(); ++i) BOOST_TEST(kept[i].at("id") == view.messages[i].at("id"));
    BOOST_TEST(view.messages[1].at("toolCalls").at(0).at("id") == "add-1");
}

BOOST_AUTO_TEST_CASE(a_tool_of_the_client_is_a_call_without_a_result_until_it_posts_one)
{
    served it{{tool_talk::graph()}};
    agent_client_view view;
    const std::vector<object> asking = it.run("tools", run_body("r1", user_says("u1", "where, and add")));
    view.take(asking);
    BOOST_TEST(asking.back().at("outcome").at("type") == "success");
    BOOST_TEST(asking.back().at("outcome").at("pendingToolCallIds") == array({"where-1"}));
    BOOST_TEST(view.messages.size() == 3U);  // the server's own tool has answered

    // A client that comes without the result hears of the call again.
    const std::vector<object> again = it.run("tools", run_body("r2", user_says("u1", "where, and add")));
    BOOST_TEST(again.back().at("outcome").at("pendingToolCallIds") == array({"where-1"}));

    view.messages.push_back(
        object{{"id", "result-1"}, {"role", "tool"}, {"toolCallId", "where-1"}, {"content", "Bonn"}});
    const std::string with_result = R"("messages":)" + boost::json::serialize(view.messages);
    const std::vector<object> done = it.run("tools", run_body("r3", with_result));
    view.take(done);
    BOOST_TEST(view.messages.back().at("content") == "It is 5 and Bonn");
    BOOST_TEST(view.messages.size() == 5U);
    BOOST_TEST(it.server.send("GET", "/threads/t1/runs").json().as_array().size() == 1U);

    const std::vector<object> stale = it.run(
        "tools", run_body("r4", R"("messages":[{"id":"x","role":"tool","toolCallId":"none","content":"1"}])"));
    BOOST_TEST(stale.back().at("code") == "unknown_tool_call");
}

BOOST_AUTO_TEST_CASE(what_a_model_takes_back_is_gone_from_the_conversation)
{
    served it{{tool_talk::graph()}};
    agent_client_view view;
    const std::vector<object> events = it.run("tools", run_body("r1", user_says("u1", "again")));
    view.take(events);
    BOOST_TEST(text_in_events(events) == "This is wrongOne moment");
    BOOST_TEST_REQUIRE(view.messages.size() == 2U);
    BOOST_TEST(view.messages[1].at("content") == "One moment");
}

BOOST_AUTO_TEST_CASE(a_failure_closes_what_is_open_and_has_a_code)
{
    served it{{failing_graph()}};
    const std::vector<object> events = it.run("failing", run_body("r1", user_says("u1", "go")));
    BOOST_TEST(events.back().at("type") == "RUN_ERROR");
    BOOST_TEST(events.back().at("code") == "node_failed");
    BOOST_TEST(std::string{events.back().at("message").as_string()}.find("it broke") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_client_that_is_gone_ends_no_run_and_joins_it_again)
{
    bool gate = false;
    served it{{held_graph(gate)}};
    const std::string body = run_body("r1", user_says("u1", "go"));
    {
        weft::http_request request = it.server.request_to("POST", "/ag-ui/held");
        request.body(std::string{body}, "application/json");
        started lost{it.loop, fetch(weft::http_client{}, std::move(request))};
        it.loop.run_until([&] {
            const answer runs = it.server.send("GET", "/threads/t1/runs");
            return runs.status == 200 && !runs.json().as_array().empty();
        });
        lost.destroy();
    }
    // Three that come back: with the same request, with a further one, and over LangGraph's protocol.
    const value runs = it.server.send("GET", "/threads/t1/runs").json();
    BOOST_TEST_REQUIRE(runs.as_array().size() == 1U);
    const std::string run{runs.at(0).at("run_id").as_string()};
    std::vector<weft::http_request> requests;
    for (const std::string& again : {body, run_body("r2", user_says("u1", "go"))}) {
        requests.push_back(it.server.request_to("POST", "/ag-ui/held"));
        requests.back().body(std::string{again}, "application/json");
    }
    requests.push_back(it.server.request_to("GET", "/threads/t1/runs/" + run + "/join"));
    weft::http_client client;
    started first{it.loop, fetch(client, std::move(requests[0]))};
    started second{it.loop, fetch(client, std::move(requests[1]))};
    started third{it.loop, fetch(client, std::move(requests[2]))};
    for (int i = 0; i < 20; ++i) it.loop.settle();
    gate = true;
    const answer got[]{first.result(), second.result()};
    BOOST_TEST(third.result().json().at("messages").as_array().size() == 2U);
    for (const answer& each : got) {
        const std::vector<object> events = agent_events_in(each.body);
        BOOST_TEST(disorder_in(events) == "");
        BOOST_TEST(text_in_events(events) == "one two");
        BOOST_TEST(events.back().at("outcome").at("type") == "success");
        BOOST_TEST(each.headers.find("content-location").value() == "/threads/t1/runs/" + run);
    }
    BOOST_TEST(it.server.send("GET", "/threads/t1/runs").json().as_array().size() == 1U);

    // It is over: the same request is told the same, and begins nothing.
    const std::vector<object> late = it.run("held", body);
    BOOST_TEST(text_in_events(late) == "one two");
    BOOST_TEST(it.server.send("GET", "/threads/t1/runs").json().as_array().size() == 1U);
}

BOOST_AUTO_TEST_CASE(another_answer_takes_the_place_of_the_one_that_a_client_leaves_out)
{
    served it{{chat_graph()}};
    agent_client_view view;
    for (const char* const id : {"u1", "u2"}) {
        view.messages.push_back(object{{"id", id}, {"role", "user"}, {"content", id}});
        view.take(it.run("chat", run_body(id, R"("messages":)" + boost::json::serialize(view.messages))));
    }
    BOOST_TEST_REQUIRE(view.messages.size() == 4U);
    const std::string first_answer{view.messages.back().at("id").as_string()};
    view.messages.pop_back();
    view.take(it.run("chat", run_body("again", R"("messages":)" + boost::json::serialize(view.messages))));
    BOOST_TEST(view.messages.size() == 4U);
    BOOST_TEST(view.messages.back().at("content") == "You said u2");
    BOOST_TEST(view.messages.back().at("id") != value(first_answer));
    const value state = it.server.send("GET", "/threads/t1/state").json();
    BOOST_TEST(state.at("values").at("messages").as_array().size() == 4U);
    BOOST_TEST(state.at("values").at("count") == 2);
}

BOOST_AUTO_TEST_CASE(a_question_is_answered_in_another_life_of_the_server)
{
    test_loop loop;
    weft::memory_store store;
    auto first = std::make_unique<life>(loop, store, std::vector<weft::served_graph>{asking_graph()});
    (void)first->post("/ag-ui/asking", run_body("r1", user_says("u1", "go")));
    first->drain();
    first.reset();
    life second{loop, store, {asking_graph()}};
    const answer got = second.post("/ag-ui/asking", run_body("r2", R"("messages":[])"));
    const std::vector<object> events = agent_events_in(got.body);
    BOOST_TEST(disorder_in(events) == "", got.body);
    BOOST_TEST_REQUIRE(events.back().at("outcome").at("type") == "interrupt", got.body);
    agent_client_view view;
    view.take(events);
    BOOST_TEST(view.find("u1"));
    const std::string id{events.back().at("outcome").at("interrupts").at(0).at("id").as_string()};
    const std::string resume = R"("resume":[{"interruptId":")" + id + R"(","status":"resolved","payload":true}],)";
    const answer done = second.post("/ag-ui/asking", run_body("r3", resume + R"("messages":[])"));
    view.take(agent_events_in(done.body));
    BOOST_TEST(view.messages.back().at("content") == "Let me see. I do");
    BOOST_TEST(view.messages.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_cancelled_elsewhere_says_so_in_the_words_that_its_client_knows)
{
    for (const bool is_new : {true, false}) {
        bool gate = false;
        served it{{held_graph(gate)}};
        std::string body = run_body("r1", user_says("u1", "go"));
        if (!is_new) body.replace(body.find(R"("protocolVersion":"1.0",)"), 24, "");
        weft::http_request request = it.server.request_to("POST", "/ag-ui/held");
        request.body(std::move(body), "application/json");
        started following{it.loop, fetch(weft::http_client{}, std::move(request))};
        it.loop.run_until([&] {
            const answer runs = it.server.send("GET", "/threads/t1/runs");
            return runs.status == 200 && !runs.json().as_array().empty();
        });
        const value runs = it.server.send("GET", "/threads/t1/runs").json();
        const std::string run{runs.at(0).at("run_id").as_string()};
        BOOST_TEST(it.server.post("/threads/t1/runs/" + run + "/cancel", "{}").status == 202);
        const std::vector<object> events = agent_events_in(following.result().body);
        BOOST_TEST(disorder_in(events) == "");
        if (is_new) BOOST_TEST(events.back().at("outcome").at("type") == "cancelled");
        else BOOST_TEST(events.back().at("code") == "cancelled");
    }
}

BOOST_AUTO_TEST_CASE(refusals_have_the_form_of_the_protocol_and_the_place)
{
    served it{{chat_graph()}};
    struct row {
        const char* method;
        const char* target;
        std::string body;
        int status;
        const char* code;
        const char* place;
    };
    const row rows[]{
        {"POST", "/ag-ui/none", run_body("r", user_says("u", "x")), 404, "assistant_not_found", "chat"},
        {"POST", "/ag-ui/chat", "{", 422, "invalid_json", ""},
        {"POST", "/ag-ui/chat", R"({"runId":"r"})", 422, "invalid_body", "body.threadId"},
        {"POST", "/ag-ui/chat", run_body("r", R"("messages":[{"id":"u","role":"king","content":""}])"), 422,
         "invalid_body", "body.messages[0].role"},
        {"POST", "/ag-ui/chat", run_body("r", R"("messages":[{"id":"u","role":"user","content":[{"type":"audio"}]}])"),
         422, "invalid_body", "body.messages[0].content[0].type"},
        {"POST", "/ag-ui/chat", run_body("r", R"("state":{"nmae":1},)" + user_says("u", "x")), 422, "unknown_key",
         "body.state.nmae"},
        {"POST", "/ag-ui/chat", run_body("r", R"("state":{"count":"x"},)" + user_says("u", "x")), 422,
         "invalid_value", "body.state.count"},
        {"POST", "/ag-ui/chat", run_body("r", R"("resume":[{"interruptId":"q","status":"maybe"}],"messages":[])"), 422,
         "invalid_body", "body.resume[0].status"},
        {"GET", "/ag-ui/chat", "", 405, "method_not_allowed", "POST"},
        {"POST", "/ag-ui/chat/more", "{}", 404, "not_found", "more"},
    };
    for (const row& each : rows) {
        BOOST_TEST_CONTEXT(each.method << ' ' << each.target << ' ' << each.body) {
            const answer got = it.server.send(each.method, each.target, each.body);
            BOOST_TEST(got.status == each.status, got.body);
            const object told = got.json().as_object();
            BOOST_TEST(told.at("type") == "RUN_ERROR");
            BOOST_TEST(told.at("code") == each.code);
            BOOST_TEST(std::string{told.at("message").as_string()}.find(each.place) != std::string::npos, got.body);
        }
    }
    BOOST_TEST(it.server.send("GET", "/threads/t1").status == 404);  // what was refused has made nothing
    const answer plain = it.server.send("POST", "/ag-ui/chat", "x=1", "text/plain");
    BOOST_TEST(plain.status == 415);
}

BOOST_AUTO_TEST_SUITE_END()
