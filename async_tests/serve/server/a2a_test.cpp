#include "hook_receiver.hpp"
#include "net/test_loop.hpp"
#include "serve/server/guarded_life.hpp"
#include "serve/server/server_life.hpp"

#include <weft/async/sleep.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/net/http_server.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(a2a_test)

using namespace std::chrono_literals;
using boost::json::object;
using boost::json::value;

inline constexpr weft::state_key<std::vector<weft::message>, weft::append> messages{"messages"};

/** Asks if it hears "ask", fails if it hears "fail", sleeps if it hears "sleep", else says what it heard. */
weft::task<void> talk(weft::node_context& ctx)
{
    std::string said = "You said: " + ctx.get(messages).back().text();
    if (said.ends_with("ask")) {
        weft::question question = weft::question::approval("Shall I?");
        const bool answer = co_await ctx.ask<bool>(std::move(question));
        said = answer ? "yes" : "no";
    }
    if (said.ends_with("fail")) throw weft::error{weft::errc::connection_lost, "stove", "it is cold"};
    if (said.ends_with("sleep")) co_await weft::sleep_for(1h);
    ctx.emit("output", said);
    ctx.set(messages, weft::message::assistant(said));
}

weft::graph talking_graph()
{
    return weft::graph_builder{"talk"}.state(messages).node("talk", talk).edge(weft::start, "talk").build();
}

std::string call_of(std::string_view method, std::string_view params)
{
    return R"({"jsonrpc":"2.0","id":7,"method":")" + std::string{method} + R"(","params":)" + std::string{params} + '}';
}

std::string message_of(std::string_view text, std::string_view more = {}, std::string_view configuration = "{}")
{
    static int count = 0;
    return R"({"message":{"messageId":"m)" + std::to_string(++count) + R"(","role":"ROLE_USER","parts":[{"text":")" +
           std::string{text} + "\"}]" + std::string{more} + R"(},"configuration":)" + std::string{configuration} + '}';
}

struct talking_life : life {
    explicit talking_life(test_loop& loop, weft::memory_store& store,
                          weft::server_options options = weft::server_options{})
        : life{loop, store, {talking_graph()}, std::move(options)}
    {
    }

    value rpc(std::string_view method, std::string_view params)
    {
        const answer got = post("/a2a/talk", call_of(method, params));
        BOOST_TEST_REQUIRE(got.status == 200, got.body);
        return got.json();
    }
    object send_text(std::string_view text, std::string_view more = {}, std::string_view configuration = "{}")
    {
        const value got = rpc("SendMessage", message_of(text, more, configuration));
        BOOST_TEST_REQUIRE(got.as_object().contains("result"), boost::json::serialize(got));
        return got.at("result").at("task").as_object();
    }
    std::int64_t code_of(std::string_view method, std::string_view params)
    {
        const value got = rpc(method, params);
        BOOST_TEST_REQUIRE(got.as_object().contains("error"), boost::json::serialize(got));
        return got.at("error").at("code").as_int64();
    }
};

std::string text_in(const value& task, std::string_view name) { return std::string{task.at(name).as_string()}; }
std::string state_in(const value& task) { return std::string{task.at("status").at("state").as_string()}; }
std::string about(const object& task)
{
    return R"(,"taskId":")" + text_in(task, "id") + R"(","contextId":")" + text_in(task, "contextId") + '"';
}

BOOST_AUTO_TEST_CASE(the_card_says_where_the_agent_is_and_has_a_tag)
{
    test_loop loop;
    weft::memory_store store;
    talking_life server{loop, store};
    const answer got = server.send("GET", "/.well-known/agent-card.json");
    const std::string url = "http://127.0.0.1:" + std::to_string(server.port()) + "/a2a/talk";
    BOOST_TEST(got.json().at("supportedInterfaces").at(0).at("url") == value(url));
    BOOST_TEST(got.json().at("url") == value(url));  // of clients of 0.3
    BOOST_TEST(got.json().at("name") == "talk");
    BOOST_TEST(!got.json().as_object().contains("securitySchemes"));
    BOOST_TEST(server.send("GET", "/a2a/talk/.well-known/agent-card.json").json() == got.json());
    weft::http_request again = server.request_to("GET", "/.well-known/agent-card.json");
    again.header("If-None-Match", got.headers.find("etag").value());
    BOOST_TEST(server.send(std::move(again)).status == 304);
    BOOST_TEST(server.send("GET", "/a2a/none/.well-known/agent-card.json").status == 404);
    weft::server_options elsewhere;
    elsewhere.public_url = "https://agents.example/weft/";
    talking_life behind{loop, store, std::move(elsewhere)};
    BOOST_TEST(behind.send("GET", "/.well-known/agent-card.json").json().at("url") ==
               "https://agents.example/weft/a2a/talk");
}

BOOST_AUTO_TEST_CASE(a_run_of_one_protocol_is_seen_answered_and_cancelled_in_the_other)
{
    test_loop loop;
    weft::memory_store store;
    talking_life server{loop, store};
    // Begun over A2A, answered over LangGraph's protocol.
    const object asked = server.send_text("ask");
    BOOST_TEST(state_in(asked) == "TASK_STATE_INPUT_REQUIRED");
    const std::string thread = "/threads/" + text_in(asked, "contextId");
    const answer run = server.send("GET", thread + "/runs/" + text_in(asked, "id"));
    BOOST_TEST(run.json().at("status") == "interrupted");
    const answer given = server.post(thread + "/runs/wait", R"({"assistant_id":"talk","command":{"resume":true}})");
    BOOST_TEST(given.status == 200);
    const value done = server.rpc("GetTask", R"({"id":")" + text_in(asked, "id") + "\"}").at("result");
    BOOST_TEST(state_in(done) == "TASK_STATE_COMPLETED");
    BOOST_TEST(done.at("artifacts").at(0).at("parts").at(0).at("text") == "yes");
    BOOST_TEST(server.code_of("SendMessage", message_of("yes", about(asked))) == -32004);
    // Begun over LangGraph's protocol, answered over A2A.
    const std::string input = R"({"assistant_id":"talk","if_not_exists":"create","input":{"messages":[{"role":"user",
        "content":")";
    BOOST_TEST(server.post("/threads/t/runs/wait", input + "ask\"}]}}").status == 200);
    const value listed = server.rpc("ListTasks", R"({"contextId":"t"})").at("result");
    BOOST_TEST(listed.at("totalSize").as_int64() == 1);
    const object waiting = listed.at("tasks").at(0).as_object();
    BOOST_TEST(state_in(waiting) == "TASK_STATE_INPUT_REQUIRED");
    const value answered = server.rpc("SendMessage", message_of("no", about(waiting))).at("result").at("task");
    BOOST_TEST(answered.at("artifacts").at(0).at("parts").at(0).at("text") == "no");
    // Cancelled over the other one.
    const object sleeping = server.send_text("sleep", {}, R"({"returnImmediately":true})");
    const std::string at = "/threads/" + text_in(sleeping, "contextId") + "/runs/" + text_in(sleeping, "id");
    BOOST_TEST(server.post(at + "/cancel?wait=true", "{}").status == 204);
    const value ended = server.rpc("GetTask", R"({"id":")" + text_in(sleeping, "id") + "\"}").at("result");
    BOOST_TEST(state_in(ended) == "TASK_STATE_CANCELED");
}

BOOST_AUTO_TEST_CASE(a_message_that_comes_again_begins_nothing)
{
    test_loop loop;
    weft::memory_store store;
    talking_life server{loop, store};
    const std::string message = message_of("hello");
    const std::string first = text_in(server.rpc("SendMessage", message).at("result").at("task"), "id");
    BOOST_TEST(text_in(server.rpc("SendMessage", message).at("result").at("task"), "id") == first);
    BOOST_TEST(server.rpc("ListTasks", "{}").at("result").at("totalSize").as_int64() == 1);
    // One that was refused may come again.
    const std::string stale = message_of("x", R"(,"taskId":"00000000-0000-7000-8000-000000000000")");
    BOOST_TEST(server.code_of("SendMessage", stale) == -32001);
    BOOST_TEST(server.code_of("SendMessage", stale) == -32001);
}

BOOST_AUTO_TEST_CASE(a_stream_tells_of_a_run_that_another_life_of_the_server_had)
{
    test_loop loop;
    weft::memory_store store;
    std::string id;
    {
        talking_life server{loop, store};
        id = text_in(server.send_text("ask"), "id");
        server.drain();
    }
    talking_life server{loop, store};
    const std::string stream = server.post("/a2a/talk", call_of("SubscribeToTask", R"({"id":")" + id + "\"}")).body;
    BOOST_TEST(stream.find("TASK_STATE_INPUT_REQUIRED") != stream.npos);
    BOOST_TEST(stream.find("Shall I?") != stream.npos);
    const std::string answer = message_of("yes", R"(,"taskId":")" + id + '"');
    const std::string told = server.post("/a2a/talk", call_of("SendStreamingMessage", answer)).body;
    BOOST_TEST(told.find("TASK_STATE_COMPLETED") != told.npos);
    BOOST_TEST(told.find("\"text\":\"yes\"") != told.npos);
}

BOOST_AUTO_TEST_CASE(errors_have_the_shape_of_their_binding)
{
    test_loop loop;
    weft::memory_store store;
    talking_life server{loop, store};
    BOOST_TEST(server.post("/a2a/talk", "{").json().at("error").at("code").as_int64() == -32700);
    BOOST_TEST(server.post("/a2a/talk", "[]").json().at("error").at("code").as_int64() == -32600);
    BOOST_TEST(server.post("/a2a/none", call_of("GetTask", R"({"id":"x"})")).json().at("error").at("code").as_int64() ==
               -32601);
    BOOST_TEST(server.code_of("GetExtendedAgentCard", "{}") == -32007);
    BOOST_TEST(server.code_of("GetTask", "{}") == -32602);
    const answer typed = server.send("POST", "/a2a/talk", "{}", "text/plain");
    BOOST_TEST(typed.status == 415);
    BOOST_TEST(typed.json().at("error").at("code").as_int64() == 415);
    weft::http_request later = server.request_to("POST", "/a2a/talk");
    later.body(call_of("ListTasks", "{}"), "application/json").header("A2A-Version", "2.0");
    BOOST_TEST(server.send(std::move(later)).json().at("error").at("code").as_int64() == -32009);
    const answer none = server.send("GET", "/a2a/talk/tasks/none");
    BOOST_TEST(none.status == 404);
    BOOST_TEST(none.json().at("error").at("details").at(0).at("reason") == "TASK_NOT_FOUND");
    BOOST_TEST(server.send("GET", "/a2a/talk/tasks?pageSize=x").status == 400);
    const answer lost = server.send("GET", "/a2a/talk/tasks?pageToken=nonsense");
    BOOST_TEST(lost.status == 400);
    BOOST_TEST(lost.body.find("pageToken: it is not one that a page gave") != std::string::npos, lost.body);
    BOOST_TEST(server.send("GET", "/a2a/talk/tasks?pageSize=1&includeArtifacts=true").status == 200);
    BOOST_TEST(server.send("DELETE", "/a2a/talk/tasks").json().at("error").at("code").as_int64() == 405);
    BOOST_TEST(server.send("GET", "/a2a/talk/nothing").json().at("error").at("code").as_int64() == 404);
    const answer sent = server.send("POST", "/a2a/talk/message:send", message_of("fail"), "application/a2a+json");
    BOOST_TEST(sent.status == 200);
    BOOST_TEST(state_in(sent.json().at("task")) == "TASK_STATE_FAILED");
}

BOOST_AUTO_TEST_CASE(a_caller_may_do_what_its_scopes_say_over_json_rpc_as_well)
{
    test_loop loop;
    weft::memory_store store;
    guarded_life server{loop, store};
    const std::string all = server.make_key("acme");
    const std::string reader = server.make_key("acme", R"(["threads:read"])");
    const std::string other = server.make_key("other");
    const std::string message = call_of("SendMessage", message_of("{\\\"name\\\":\\\"x\\\"}"));
    BOOST_TEST(server.as(reader, "POST", "/a2a/asking", message).status == 403);
    const answer sent = server.as(all, "POST", "/a2a/asking", message);
    const std::string id = text_in(sent.json().at("result").at("task"), "id");
    const std::string get = call_of("GetTask", R"({"id":")" + id + "\"}");
    BOOST_TEST(state_in(server.as(reader, "POST", "/a2a/asking", get).json().at("result")) ==
               "TASK_STATE_INPUT_REQUIRED");
    BOOST_TEST(server.as(other, "POST", "/a2a/asking", get).json().at("error").at("code").as_int64() == -32001);
    const std::string cancel = call_of("CancelTask", R"({"id":")" + id + "\"}");
    const answer refused = server.as(reader, "POST", "/a2a/asking", cancel);
    BOOST_TEST(refused.status == 403);
    BOOST_TEST(refused.json().at("error").at("data").at(0).at("reason") == "PERMISSION_DENIED");
    BOOST_TEST(server.send("POST", "/a2a/asking", get).json().at("error").at("code").as_int64() == 401);
    const answer card = server.send("GET", "/.well-known/agent-card.json");
    BOOST_TEST(card.json().at("securitySchemes").as_object().size() == 2u);
}

// Push notifications.

weft::server_options telling()
{
    weft::server_options options;
    options.webhooks.also_allowed = [](std::string_view address) { return address == "127.0.0.1"; };
    options.webhooks.poll_every = 5ms;
    return options;
}

BOOST_AUTO_TEST_CASE(what_a_task_comes_to_is_told_to_the_url_that_was_named)
{
    test_loop loop;
    weft::memory_store store;
    hook_receiver other{loop};
    talking_life server{loop, store, telling()};
    const std::string push = R"({"taskPushNotificationConfig":{"id":"p","url":")" + other.url() +
                             R"(","token":"t0ken","authentication":{"scheme":"Bearer","credentials":"cred"}}})";
    const object asked = server.send_text("ask", {}, push);
    const std::string id = text_in(asked, "id");
    loop.run_until([&] { return other.bodies.size() == 1; });
    BOOST_TEST(state_in(weft::parse_json(other.bodies[0]).at("task")) == "TASK_STATE_INPUT_REQUIRED");
    BOOST_TEST(other.headers[0].find("x-a2a-notification-token").value() == "t0ken");
    BOOST_TEST(other.headers[0].find("authorization").value() == "Bearer cred");
    // A second receiver, in the words of 0.3, which comes later.
    const std::string set = R"({"taskId":")" + id + R"(","pushNotificationConfig":{"id":"q","url":")" + other.url() +
                            "\"}}";
    BOOST_TEST(server.rpc("tasks/pushNotificationConfig/set", set).at("result").at("taskId") == value(id));
    loop.run_until([&] { return other.bodies.size() == 2; });
    BOOST_TEST(weft::parse_json(other.bodies[1]).at("kind") == "task");
    const value configs = server.rpc("ListTaskPushNotificationConfigs", R"({"taskId":")" + id + "\"}");
    BOOST_TEST(configs.at("result").at("configs").as_array().size() == 2u);
    const std::string second = R"({"taskId":")" + id + R"(","id":"q"})";
    BOOST_TEST(server.rpc("GetTaskPushNotificationConfig", second).at("result").at("url") == value(other.url()));
    BOOST_TEST(server.rpc("DeleteTaskPushNotificationConfig", second).at("result").as_object().empty());
    BOOST_TEST(server.code_of("GetTaskPushNotificationConfig", second) == -32001);
    (void)server.send_text("yes", about(asked));
    loop.run_until([&] { return other.bodies.size() == 3; });
    const value told = weft::parse_json(other.bodies[2]).at("task");
    BOOST_TEST(state_in(told) == "TASK_STATE_COMPLETED");
    BOOST_TEST(told.at("artifacts").at(0).at("parts").at(0).at("text") == "yes");
    const answer shown = server.send("GET", "/a2a/talk/tasks/" + id + "/pushNotificationConfigs/p");
    BOOST_TEST(shown.json().at("token") == "t0ken");
}

BOOST_AUTO_TEST_CASE(an_end_that_was_not_told_before_the_server_died_is_told_by_the_next_one)
{
    hand_clock clock{weft::clock::system_time_point{std::chrono::seconds{1'795'680'000}}};
    test_loop loop{clock};
    weft::memory_store store;
    hook_receiver other{loop};
    {
        talking_life server{loop, store, telling()};
        const std::string push = R"({"taskPushNotificationConfig":{"url":")" + other.url() + "\"}}";
        (void)server.rpc("SendMessage", message_of("hello", {}, push));
        server.kill();
    }
    BOOST_TEST(other.bodies.empty());
    talking_life server{loop, store, telling()};
    // The first one may have taken the message to tell it: it is told once that one's time is over.
    loop.advance(1min);
    loop.run_until([&] { return other.bodies.size() == 1; });
    BOOST_TEST(state_in(weft::parse_json(other.bodies[0]).at("task")) == "TASK_STATE_COMPLETED");
}

// Leases end by the clock of the store, which is not that of the process: a look may come a moment too early.
BOOST_AUTO_TEST_CASE(a_look_that_comes_too_early_is_followed_by_another_one_soon)
{
    hand_clock clock{weft::clock::system_time_point{std::chrono::seconds{1'795'680'000}}};
    test_loop loop{clock};
    weft::memory_store store;
    hook_receiver other{loop};
    talking_life server{loop, store, telling()};
    const object asked = server.send_text("ask");
    const std::string about_push = R"({"taskId":")" + text_in(asked, "id") + R"(","id":"p","url":")" + other.url() +
                                   "\"}";
    (void)server.rpc("CreateTaskPushNotificationConfig", about_push);
    loop.run_until([&] { return other.bodies.size() == 1; });
    loop.settle();
    // The lease of the last look ends a millisecond after the next one.
    weft::document_query pushes;
    pushes.kind = "a2a_push";
    const weft::document_page known = started{loop, store.service().documents().search(pushes)}.result();
    BOOST_TEST_REQUIRE(known.documents.size() == 1u);
    weft::document_change later{known.documents[0].key, known.documents[0].body};
    later.due = clock.system_now() + 6ms;
    std::vector<weft::document_change> changes{later};
    started writing{loop, store.service().documents().write(std::move(changes))};
    BOOST_TEST(writing.result());
    (void)server.send_text("yes", about(asked));
    loop.advance(5ms);
    loop.settle();
    BOOST_TEST(other.bodies.size() == 1u);
    loop.advance(5ms);
    loop.run_until([&] { return other.bodies.size() == 2; });
    BOOST_TEST(state_in(weft::parse_json(other.bodies[1]).at("task")) == "TASK_STATE_COMPLETED");
}

BOOST_AUTO_TEST_CASE(addresses_that_are_not_public_get_nothing)
{
    test_loop loop;
    weft::memory_store store;
    talking_life server{loop, store};
    const std::string push = R"({"taskPushNotificationConfig":{"url":"http://169.254.169.254/latest"}})";
    BOOST_TEST(server.code_of("SendMessage", message_of("x", {}, push)) == -32602);
    BOOST_TEST(server.rpc("ListTasks", "{}").at("result").at("totalSize").as_int64() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
