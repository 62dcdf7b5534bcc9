// The tools of a client, in all protocols: offered to the model of a graph, called there, answered by the client.

#include "client_tool_graph.hpp"
#include "net/test_loop.hpp"
#include "serve/ag_ui/agent_stream.hpp"
#include "serve/server/server_life.hpp"

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(client_tools_test)

using boost::json::array;
using boost::json::object;
using boost::json::value;

namespace {

struct stage {
    test_loop loop;
    weft::memory_store store;
    std::unique_ptr<life> server = std::make_unique<life>(loop, store, graphs());

    static std::vector<weft::served_graph> graphs() { return {client_tool_graph::helper()}; }
    void kill_and_begin_again()
    {
        server->kill();
        server = std::make_unique<life>(loop, store, graphs());
    }
    answer post(std::string_view target, const value& body)
    {
        return server->post(target, boost::json::serialize(body));
    }
    value good(std::string_view target, const value& body)
    {
        const answer got = post(target, body);
        BOOST_TEST_REQUIRE(got.status == 200, got.body);
        return got.json();
    }
    std::vector<object> ag_ui(const object& more, std::string_view run, std::string_view thread = "t1")
    {
        object body{{"threadId", thread}, {"runId", run}, {"protocolVersion", "1.0"}, {"context", array{}},
                    {"forwardedProps", object{}}};
        for (const auto& [name, member] : more) body[name] = member;
        const answer got = post("/ag-ui/helper", body);
        BOOST_TEST_REQUIRE(got.status == 200, got.body);
        std::vector<object> events = agent_events_in(got.body);
        BOOST_TEST(disorder_in(events) == "", got.body);
        return events;
    }
};

/** As chat completions have it. */
object function_tool(std::string_view name)
{
    return {{"type", "function"}, {"function", object{{"name", name}, {"parameters", object{{"type", "object"}}}}}};
}

/** As Responses have it. */
object flat_tool(std::string_view name)
{
    return {{"type", "function"}, {"name", name}, {"parameters", object{{"type", "object"}}}};
}

object user_says(std::string_view text) { return {{"id", "u1"}, {"role", "user"}, {"content", text}}; }

object result_of(std::string_view call, std::string_view text)
{
    return {{"role", "tool"}, {"tool_call_id", call}, {"content", text}};
}

const value& choice_of(const value& completion) { return completion.at("choices").at(0); }

/** A completion in a thread in which the model has called `locate`. */
value called_in_thread(stage& at, array tools = {function_tool("locate")})
{
    return at.good("/v1/chat/completions", object{{"model", "helper"},
                                                  {"tools", std::move(tools)},
                                                  {"metadata", object{{"thread_id", "t1"}}},
                                                  {"messages", array{user_says("where?")}}});
}

answer answered_in_thread(stage& at, array messages)
{
    return at.post("/v1/chat/completions", object{{"model", "helper"},
                                                  {"metadata", object{{"thread_id", "t1"}}},
                                                  {"messages", std::move(messages)}});
}

void check_error(const answer& got, std::string_view code, std::string_view part)
{
    BOOST_TEST(got.status == 400, got.body);
    const value wrong = got.json();
    BOOST_TEST(wrong.at("error").at("code") == value(code), got.body);
    BOOST_TEST(got.body.find(part) != got.body.npos, got.body);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_completion_calls_a_tool_of_the_client_and_reads_its_result_without_a_thread)
{
    stage at;
    object body{{"model", "helper"}, {"tools", array{function_tool("locate")}}, {"messages", array{user_says("x")}}};
    const value called = at.good("/v1/chat/completions", body);
    BOOST_TEST(choice_of(called).at("finish_reason") == "tool_calls");
    const array& calls = choice_of(called).at("message").at("tool_calls").as_array();
    // The tool of the server is carried out there.
    BOOST_TEST_REQUIRE(calls.size() == 1u);
    BOOST_TEST(calls[0].at("function").at("name") == "locate");
    BOOST_TEST(calls[0].at("function").at("arguments") == R"({"place":"Paris"})");
    array& messages = body["messages"].as_array();
    messages.push_back(choice_of(called).at("message"));
    messages.push_back(result_of(calls[0].at("id").as_string(), "here"));
    const value told = at.good("/v1/chat/completions", body);
    BOOST_TEST(choice_of(told).at("message").at("content") == "I hear here");
    BOOST_TEST(choice_of(told).at("finish_reason") == "stop");
}

BOOST_AUTO_TEST_CASE(a_run_of_a_thread_goes_on_with_the_result_and_keeps_those_of_the_server)
{
    stage at;
    const value called = called_in_thread(at);
    const std::string id{choice_of(called).at("message").at("tool_calls").at(0).at("id").as_string()};
    at.kill_and_begin_again();
    const answer told = answered_in_thread(at, {result_of(id, "here")});
    BOOST_TEST_REQUIRE(told.status == 200, told.body);
    BOOST_TEST(choice_of(told.json()).at("message").at("content") == "I hear 35 m, here");
    // Answered once.
    check_error(answered_in_thread(at, {result_of(id, "there")}), "tool_call_not_found", id);
}

BOOST_AUTO_TEST_CASE(all_calls_of_a_turn_are_answered_together)
{
    stage at;
    const value called = called_in_thread(at, {function_tool("locate"), function_tool("look")});
    const array& calls = choice_of(called).at("message").at("tool_calls").as_array();
    BOOST_TEST_REQUIRE(calls.size() == 2u);
    const std::string one{calls[0].at("id").as_string()};
    const std::string other{calls[1].at("id").as_string()};
    check_error(answered_in_thread(at, {result_of(one, "here")}), "missing_tool_output", other);
    check_error(answered_in_thread(at, {result_of("call_0", "here")}), "tool_call_not_found", "call_0");
    check_error(answered_in_thread(at, {user_says("never mind")}), "missing_tool_output", one);
    const answer told = answered_in_thread(at, {result_of(other, "a tree"), result_of(one, "here")});
    BOOST_TEST_REQUIRE(told.status == 200, told.body);
    BOOST_TEST(choice_of(told.json()).at("message").at("content") == "I hear 35 m, here, a tree");
}

BOOST_AUTO_TEST_CASE(wrong_tools_are_refused_with_their_place)
{
    stage at;
    object tool = function_tool("locate");
    tool["function"].as_object()["parameters"] = object{{"type", "list"}};
    const answer got = at.post("/v1/chat/completions", object{{"model", "helper"}, {"tools", array{tool}},
                                                              {"messages", array{user_says("x")}}});
    check_error(got, "invalid_value", "tools[0].function.parameters.type");
    const answer chosen = at.post("/v1/chat/completions",
                                  object{{"model", "helper"}, {"tools", array{function_tool("locate")}},
                                         {"tool_choice", object{{"type", "function"},
                                                                {"function", object{{"name", "other"}}}}},
                                         {"messages", array{user_says("x")}}});
    check_error(chosen, "invalid_value", "tool_choice");
    const answer values = at.post("/runs/wait", object{{"assistant_id", "helper"},
                                                       {"input", object{{"client_tools", array{object{}}}}}});
    BOOST_TEST(values.status == 422);
    BOOST_TEST(values.body.find("[0].name") != values.body.npos, values.body);
}

BOOST_AUTO_TEST_CASE(a_tool_with_the_name_of_one_of_the_graph_is_refused_with_its_place)
{
    stage at;
    const array tools{function_tool("locate"), function_tool("height")};
    check_error(at.post("/v1/chat/completions",
                        object{{"model", "helper"}, {"tools", tools}, {"messages", array{user_says("x")}}}),
                "invalid_value", "tools[1].function.name");
    check_error(at.post("/v1/responses",
                        object{{"model", "helper"}, {"input", "x"}, {"tools", array{flat_tool("height")}}}),
                "invalid_value", "tools[0].name");
    const answer page = at.post("/ag-ui/helper", object{{"threadId", "t1"}, {"runId", "r1"},
                                                        {"tools", array{flat_tool("height")}},
                                                        {"messages", array{user_says("x")}}});
    BOOST_TEST(page.status == 422);
    BOOST_TEST(page.body.find("body.tools[0].name") != page.body.npos, page.body);
    const object message{{"messageId", "m1"}, {"role", "ROLE_USER"}, {"parts", array{object{{"text", "where?"}}}},
                         {"metadata", object{{"tools", array{flat_tool("height")}}}}};
    const answer agent = at.post("/a2a/helper/message:send", object{{"message", message}});
    BOOST_TEST(agent.body.find("message.metadata.tools[0].name") != agent.body.npos, agent.body);
    const answer values = at.post("/runs/wait", object{{"assistant_id", "helper"},
                                                       {"input", object{{"client_tools", tools}}}});
    BOOST_TEST(values.status == 422);
    BOOST_TEST(values.body.find("body.input.client_tools[1].function.name") != values.body.npos, values.body);
    const answer whole = at.post("/runs/wait", object{{"assistant_id", "helper"},
                                                      {"input", object{{"client_tools", object{{"tools", tools}}}}}});
    BOOST_TEST(whole.body.find("body.input.client_tools.tools[1].function.name") != whole.body.npos, whole.body);
}

BOOST_AUTO_TEST_CASE(a_run_of_langgraph_without_tools_has_none_of_the_run_before)
{
    stage at;
    BOOST_TEST_REQUIRE(at.post("/threads", object{{"thread_id", "t1"}}).status == 200);
    const auto run = [&](object input) {
        input["messages"] = array{user_says("hello")};
        return at.good("/threads/t1/runs/wait", object{{"assistant_id", "helper"}, {"input", std::move(input)}});
    };
    const value with = run({{"client_tools", object{{"tools", array{flat_tool("locate")}}, {"tool_choice", "none"}}}});
    BOOST_TEST(with.at("client_tools").at("tools").as_array().size() == 1u);
    const value without = run({});
    BOOST_TEST(!without.as_object().contains("client_tools"), boost::json::serialize(without));
}

BOOST_AUTO_TEST_CASE(models_and_assistants_say_that_a_graph_takes_tools)
{
    stage at;
    const array all{"tools", "tool_choice", "parallel_tool_calls"};
    const value one = at.server->send("GET", "/v1/models/helper").json();
    BOOST_TEST(one.at("supported_parameters").as_array() == all);
    const value models = at.server->send("GET", "/v1/models").json();
    BOOST_TEST(models.at("data").at(0).at("supported_parameters").as_array() == all);
    const value found = at.good("/assistants/search", object{{"metadata", object{{"client_tools", true}}}});
    BOOST_TEST(found.as_array().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_choice_of_none_calls_nothing)
{
    stage at;
    const value told = at.good("/v1/chat/completions", object{{"model", "helper"},
                                                              {"tools", array{function_tool("locate")}},
                                                              {"tool_choice", "none"},
                                                              {"messages", array{user_says("hello")}}});
    BOOST_TEST(choice_of(told).at("message").at("content") == "You said hello");
}

BOOST_AUTO_TEST_CASE(a_response_has_the_call_as_an_item)
{
    stage at;
    const value called = at.good("/v1/responses",
                                 object{{"model", "helper"}, {"input", "x"}, {"tools", array{flat_tool("locate")}}});
    const array& output = called.at("output").as_array();
    BOOST_TEST_REQUIRE(output.size() == 1u);
    BOOST_TEST(output[0].at("type") == "function_call");
    BOOST_TEST(output[0].at("name") == "locate");
    at.kill_and_begin_again();
    object result{{"type", "function_call_output"}, {"call_id", output[0].at("call_id")}, {"output", "here"}};
    const object next{{"model", "helper"}, {"previous_response_id", called.at("id")}, {"input", array{result}}};
    const value told = at.good("/v1/responses", next);
    BOOST_TEST(told.at("output").at(0).at("content").at(0).at("text") == "I hear 35 m, here");
    BOOST_TEST(at.post("/v1/responses", next).status == 400);
}

BOOST_AUTO_TEST_CASE(a_page_of_ag_ui_carries_its_tool_out)
{
    stage at;
    const object tool{{"name", "locate"}, {"description", "Where."}, {"parameters", object{{"type", "object"}}}};
    agent_client_view view;
    view.messages.push_back(user_says("where?"));
    std::vector<object> events = at.ag_ui({{"tools", array{tool}}, {"messages", view.messages}}, "r1");
    view.take(events);
    const value& outcome = events.back().at("outcome");
    BOOST_TEST(outcome.at("type") == "success");
    BOOST_TEST_REQUIRE(outcome.at("pendingToolCallIds").as_array().size() == 1u);
    const std::string id{outcome.at("pendingToolCallIds").at(0).as_string()};
    // The state that the client sends back has no tools in it.
    BOOST_TEST(!view.state.as_object().contains("client_tools"));
    const object wrong{{"id", "m1"}, {"role", "tool"}, {"toolCallId", "call_0"}, {"content", "here"}};
    const auto refused = at.ag_ui({{"messages", array{user_says("where?"), wrong}}}, "r2");
    BOOST_TEST(refused.back().at("code") == "unknown_tool_call");
    view.messages.push_back(object{{"id", "m1"}, {"role", "tool"}, {"toolCallId", id}, {"content", "here"}});
    at.kill_and_begin_again();
    events = at.ag_ui({{"tools", array{tool}}, {"messages", view.messages}}, "r3");
    BOOST_TEST(events.back().at("type") == "RUN_FINISHED");
    BOOST_TEST(!events.back().at("outcome").as_object().contains("pendingToolCallIds"));
    view.take(events);
    BOOST_TEST(view.messages.back().at("content") == "I hear 35 m, here");
}

BOOST_AUTO_TEST_CASE(ag_ui_refuses_wrong_tools_with_their_place)
{
    stage at;
    const answer got = at.post("/ag-ui/helper", object{{"threadId", "t1"}, {"runId", "r1"},
                                                       {"tools", array{object{{"name", "a b"}}}},
                                                       {"messages", array{user_says("x")}}});
    BOOST_TEST(got.status == 422);
    BOOST_TEST(got.body.find("tools[0].name") != got.body.npos, got.body);
}

BOOST_AUTO_TEST_CASE(a_call_that_began_in_one_protocol_is_answered_in_another)
{
    stage at;
    const value called = called_in_thread(at);
    const std::string id{choice_of(called).at("message").at("tool_calls").at(0).at("id").as_string()};
    // LangGraph's clients see an interrupt, whose value is the call.
    const value state = at.server->send("GET", "/threads/t1/state").json();
    const value& interrupt = state.at("tasks").at(0).at("interrupts").at(0);
    BOOST_TEST(interrupt.at("value").at("name") == "locate");
    BOOST_TEST(interrupt.at("value").at("id") == value(id));
    // A2A: the task wants input, and a message with data gives it by the id of the call.
    const object params{{"tenant", ""}};
    const std::string run{at.server->send("GET", "/threads/t1/runs").json().at(0).at("run_id").as_string()};
    const object data{{"data", object{{"answers", object{{id, "by another agent"}}}}}};
    const object message{{"messageId", "m1"}, {"role", "ROLE_USER"}, {"taskId", run}, {"parts", array{data}}};
    const answer sent = at.post("/a2a/helper/message:send", object{{"message", message}});
    BOOST_TEST_REQUIRE(sent.status == 200, sent.body);
    BOOST_TEST(sent.body.find("I hear 35 m, by another agent") != sent.body.npos, sent.body);
}

BOOST_AUTO_TEST_CASE(a2a_brings_tools_as_metadata_and_langgraph_answers)
{
    stage at;
    const object message{{"messageId", "m1"}, {"role", "ROLE_USER"}, {"contextId", "t1"},
                         {"parts", array{object{{"text", "where?"}}}},
                         {"metadata", object{{"tools", array{flat_tool("locate")}}}}};
    const value sent = at.good("/a2a/helper/message:send", object{{"message", message}});
    const value& status = sent.at("task").at("status");
    BOOST_TEST(status.at("state") == "TASK_STATE_INPUT_REQUIRED");
    const std::string told = boost::json::serialize(status);
    BOOST_TEST(told.find(R"("about":{"type":"tool_call")") != told.npos, told);
    const object resume{{"resume", object{{"content", "it is dark"}, {"is_error", true}}}};
    const value values =
        at.good("/threads/t1/runs/wait", object{{"assistant_id", "helper"}, {"command", resume}});
    BOOST_TEST(values.at("answer") == "I hear 35 m, it is dark");
    const array& said = values.at("messages").as_array();
    BOOST_TEST(said.at(said.size() - 2).at("status") == "error");
}

BOOST_AUTO_TEST_SUITE_END()
