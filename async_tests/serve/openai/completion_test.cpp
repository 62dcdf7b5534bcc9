#include <boost/test/unit_test.hpp>

#include "net/server/server_fixture.hpp"
#include "net/test_loop.hpp"
#include "openai_graphs.hpp"
#include "serve/server/server_life.hpp"

#include <boost/json/serialize.hpp>

#include <weft/base/error.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(completion_test)

namespace {

struct chat_life {
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, openai_graphs::all()};

    answer complete(std::string body) { return server.post("/v1/chat/completions", std::move(body)); }
};

/** The data of the events of a stream. */
std::vector<std::string> data_of(const std::string& stream)
{
    std::vector<std::string> result;
    for (std::size_t at = stream.find("data: "); at != stream.npos; at = stream.find("data: ", at)) {
        const std::size_t end = stream.find("\n\n", at);
        result.push_back(stream.substr(at + 6, end - at - 6));
        at = end;
    }
    return result;
}

std::string content_of(const std::vector<std::string>& chunks)
{
    std::string text;
    for (const std::string& chunk : chunks) {
        if (chunk == "[DONE]") continue;
        const boost::json::value json = weft::parse_json(chunk);
        for (const auto& choice : json.at("choices").as_array())
            if (const auto* const piece = choice.at("delta").as_object().if_contains("content");
                piece && piece->is_string())
                text.append(piece->as_string());
    }
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(graphs_are_models)
{
    chat_life chat;
    const boost::json::value list = chat.server.send("GET", "/v1/models").json();
    BOOST_TEST(list.at("object") == "list");
    BOOST_TEST_REQUIRE(list.at("data").as_array().size() == 4U);
    BOOST_TEST(chat.server.send("GET", "/v1/models/plain").json().at("id") == "plain");
    const answer none = chat.server.send("GET", "/v1/models/none");
    BOOST_TEST(none.status == 404);
    BOOST_TEST(none.json().at("error").at("code") == "model_not_found");
}

BOOST_AUTO_TEST_CASE(a_completion_has_text_and_usage)
{
    chat_life chat;
    const answer got = chat.complete(R"({"model":"chat","messages":[{"role":"user","content":"hello"}]})");
    BOOST_TEST_REQUIRE(got.status == 200, got.body);
    const boost::json::value json = got.json();
    BOOST_TEST(json.at("object") == "chat.completion");
    const boost::json::value& choice = json.at("choices").at(0);
    BOOST_TEST(choice.at("message").at("content") == "You said: hello (1)");
    BOOST_TEST(choice.at("finish_reason") == "stop");
    BOOST_TEST(json.at("usage").at("prompt_tokens") == 9);
    BOOST_TEST(json.at("usage").at("total_tokens") == 12);
    BOOST_TEST(json.at("usage").at("prompt_tokens_details").at("cached_tokens") == 2);
}

BOOST_AUTO_TEST_CASE(a_stream_says_the_same_in_pieces_and_ends_with_done)
{
    chat_life chat;
    const answer got = chat.complete(R"({"model":"chat","stream":true,"stream_options":{"include_usage":true},
        "messages":[{"role":"developer","content":"short"},
                    {"role":"user","content":[{"type":"text","text":"hello"}]}]})");
    BOOST_TEST_REQUIRE(got.status == 200, got.body);
    const std::vector<std::string> chunks = data_of(got.body);
    BOOST_TEST_REQUIRE(chunks.size() > 5U);
    BOOST_TEST(chunks.back() == "[DONE]");
    BOOST_TEST(content_of(chunks) == "You said: hello (2)");
    const boost::json::value first = weft::parse_json(chunks.front());
    BOOST_TEST(first.at("choices").at(0).at("delta").at("role") == "assistant");
    BOOST_TEST(first.at("usage").is_null());
    const boost::json::value last = weft::parse_json(chunks[chunks.size() - 2]);
    BOOST_TEST(last.at("choices").as_array().empty());
    BOOST_TEST(last.at("usage").at("completion_tokens") == 3);
    const boost::json::value finish = weft::parse_json(chunks[chunks.size() - 3]);
    BOOST_TEST(finish.at("choices").at(0).at("finish_reason") == "stop");
    BOOST_TEST(first.at("id") == last.at("id"));
}

BOOST_AUTO_TEST_CASE(a_graph_without_a_conversation_answers_as_well)
{
    chat_life chat;
    const std::string body = R"({"model":"plain","messages":[{"role":"user","content":"this"}])";
    const boost::json::value whole = chat.complete(body + "}").json();
    BOOST_TEST(whole.at("choices").at(0).at("message").at("content") == "worked on this");
    const answer streamed = chat.complete(body + R"(,"stream":true})");
    BOOST_TEST(content_of(data_of(streamed.body)) == "worked on this");
}

BOOST_AUTO_TEST_CASE(a_function_of_the_client_is_called_and_its_output_read)
{
    chat_life chat;
    const std::string tools = R"("tools":[{"type":"function","function":{"name":"get_weather","parameters":{}}}])";
    const std::string asked = R"({"role":"user","content":"the weather?"})";
    const boost::json::value called =
        chat.complete(R"({"model":"chat",)" + tools + R"(,"messages":[)" + asked + "]}").json();
    const boost::json::value& choice = called.at("choices").at(0);
    BOOST_TEST(choice.at("finish_reason") == "tool_calls");
    BOOST_TEST(choice.at("message").at("content").is_null());
    const boost::json::value& call = choice.at("message").at("tool_calls").at(0);
    BOOST_TEST(call.at("function").at("name") == "get_weather");
    BOOST_TEST(call.at("function").at("arguments") == R"({"location":"Paris"})");

    const std::string history = asked + "," + boost::json::serialize(choice.at("message")) +
                                R"(,{"role":"tool","tool_call_id":")" + std::string{call.at("id").as_string()} +
                                R"(","content":"sunny"})";
    const answer told = chat.complete(R"({"model":"chat",)" + tools + R"(,"messages":[)" + history + "]}");
    BOOST_TEST_REQUIRE(told.status == 200, told.body);
    BOOST_TEST(told.json().at("choices").at(0).at("message").at("content") == "The tool says sunny");

    const answer streamed =
        chat.complete(R"({"model":"chat","stream":true,)" + tools + R"(,"messages":[)" + asked + "]}");
    BOOST_TEST(streamed.body.find(R"("tool_calls":[{"index":0,"id":"call_1")") != streamed.body.npos);
    BOOST_TEST(streamed.body.find(R"("finish_reason":"tool_calls")") != streamed.body.npos);
}

BOOST_AUTO_TEST_CASE(a_question_is_a_call_of_a_reserved_name_and_is_answered_once)
{
    chat_life chat;
    const std::string head = R"({"model":"asking","metadata":{"thread_id":"t1"},"messages":[)";
    const std::string asked = R"({"role":"user","content":"order"})";
    const answer first = chat.complete(head + asked + "]}");
    BOOST_TEST_REQUIRE(first.status == 200, first.body);
    const boost::json::value message = first.json().at("choices").at(0).at("message");
    const boost::json::value& call = message.at("tool_calls").at(0);
    BOOST_TEST(call.at("function").at("name") == "weft_question");
    const boost::json::value arguments = weft::parse_json(call.at("function").at("arguments").as_string());
    BOOST_TEST(arguments.at("question") == "Which plan?");
    BOOST_TEST(arguments.at("answer_schema").at("enum").at(0) == "small");
    const auto answered = [&](std::string_view text) {
        return chat.complete(head + asked + "," + boost::json::serialize(message) +
                             R"(,{"role":"tool","tool_call_id":")" + std::string{call.at("id").as_string()} +
                             R"(","content":")" + std::string{text} + R"("}]})");
    };
    const answer wrong = answered("huge");
    BOOST_TEST(wrong.status == 400, wrong.body);
    BOOST_TEST(wrong.json().at("error").at("code") == "invalid_answer");
    BOOST_TEST(wrong.json().at("error").at("param") == "messages[2]");
    const answer missing = chat.complete(head + asked + R"(,{"role":"user","content":"well?"}]})");
    BOOST_TEST(missing.json().at("error").at("code") == "missing_tool_output", missing.body);
    const answer right = answered("large");
    BOOST_TEST_REQUIRE(right.status == 200, right.body);
    BOOST_TEST(right.json().at("choices").at(0).at("message").at("content") == "It is the large one");
    const answer late = answered("small");
    BOOST_TEST(late.status == 400);
    BOOST_TEST(late.json().at("error").at("code") == "tool_call_not_found", late.body);
}

BOOST_AUTO_TEST_CASE(a_question_without_a_thread_is_refused_with_what_to_do)
{
    chat_life chat;
    const std::string body = R"({"model":"asking","messages":[{"role":"user","content":"order"}])";
    const answer whole = chat.complete(body + "}");
    BOOST_TEST(whole.status == 409);
    BOOST_TEST(whole.json().at("error").at("code") == "question_without_thread");
    const answer streamed = chat.complete(body + R"(,"stream":true})");
    BOOST_TEST(streamed.body.find("question_without_thread") != streamed.body.npos, streamed.body);
}

BOOST_AUTO_TEST_CASE(a_tool_that_the_client_carries_out_for_the_graph_lets_its_run_go_on)
{
    chat_life chat;
    const std::string head = R"({"model":"remote","metadata":{"thread_id":"t2"},"messages":[)";
    const std::string asked = R"({"role":"user","content":"look"})";
    const answer first = chat.complete(head + asked + "]}");
    BOOST_TEST_REQUIRE(first.status == 200, first.body);
    const boost::json::value message = first.json().at("choices").at(0).at("message");
    BOOST_TEST(message.at("tool_calls").at(0).at("function").at("name") == "look_outside");
    const answer next = chat.complete(head + asked + "," + boost::json::serialize(message) +
                                      R"(,{"role":"tool","tool_call_id":"call_7","content":"rain"}]})");
    BOOST_TEST_REQUIRE(next.status == 200, next.body);
    BOOST_TEST(next.json().at("choices").at(0).at("message").at("content") == "Outside: rain");
}

BOOST_AUTO_TEST_CASE(a_thread_gets_only_what_is_new)
{
    chat_life chat;
    const std::string head = R"({"model":"chat","metadata":{"thread_id":"t3"},"messages":[)";
    std::string history = R"({"role":"user","content":"one"})";
    const boost::json::value first = chat.complete(head + history + "]}").json().at("choices").at(0).at("message");
    history += "," + boost::json::serialize(first) + R"(,{"role":"user","content":"two"})";
    const boost::json::value next = chat.complete(head + history + "]}").json();
    BOOST_TEST(next.at("choices").at(0).at("message").at("content") == "You said: two (3)");
    const boost::json::value state = chat.server.send("GET", "/threads/t3/state").json();
    BOOST_TEST(state.at("values").at("messages").as_array().size() == 4U);
}

BOOST_AUTO_TEST_CASE(bad_requests_are_refused_with_their_place)
{
    struct row {
        const char* body;
        const char* param;
    };
    const row rows[]{
        {R"({"messages":[]})", "model"},
        {R"({"model":"chat"})", "messages"},
        {R"({"model":"chat","messages":[]})", "messages"},
        {R"({"model":"chat","messages":"hi"})", "messages"},
        {R"({"model":"chat","messages":[{"role":"wizard","content":"x"}]})", "messages[0].role"},
        {R"({"model":"chat","messages":[{"role":"user","content":7}]})", "messages[0].content"},
        {R"({"model":"chat","messages":[{"role":"user","content":[{"type":"video"}]}]})",
         "messages[0].content[0].type"},
        {R"({"model":"chat","messages":[{"role":"tool","content":"x"}]})", "messages[0].tool_call_id"},
        {R"({"model":"chat","messages":[{"role":"tool","tool_call_id":"c","content":"x"}]})", "messages[0]"},
        {R"({"model":"chat","n":2,"messages":[{"role":"user","content":"x"}]})", "n"},
        {R"({"model":"chat","logprobs":true,"messages":[{"role":"user","content":"x"}]})", "logprobs"},
        {R"({"model":"chat","stream_options":{},"messages":[{"role":"user","content":"x"}]})", "stream_options"},
        {R"({"model":"chat","tools":[{"type":"x"}],"messages":[{"role":"user","content":"x"}]})", "tools[0].function"},
        {R"({"model":"chat","metadata":{"a":1},"messages":[{"role":"user","content":"x"}]})", "metadata"},
    };
    chat_life chat;
    for (const row& each : rows) {
        const answer got = chat.complete(each.body);
        BOOST_TEST(got.status == 400, each.body);
        const boost::json::value error = got.json().at("error");
        BOOST_TEST(error.at("param") == each.param, got.body);
        BOOST_TEST(error.at("type") == "invalid_request_error");
    }
    BOOST_TEST(chat.complete(R"({"model":"none","messages":[{"role":"user","content":"x"}]})").status == 404);
    const answer unknown = chat.server.send("GET", "/v1/files");
    BOOST_TEST(unknown.status == 404);
    BOOST_TEST(unknown.json().at("error").at("code") == "not_found");
    const answer method = chat.server.send("DELETE", "/v1/models");
    BOOST_TEST(method.status == 405);
    BOOST_TEST(method.json().at("error").at("code") == "method_not_allowed");
    BOOST_TEST(chat.server.send("POST", "/v1/chat/completions", "{}", "text/plain").status == 415);
    const answer broken = chat.complete("{");
    BOOST_TEST(broken.status == 400);
    BOOST_TEST(broken.json().at("error").at("code") == "invalid_json");
}

BOOST_AUTO_TEST_CASE(a_client_that_goes_away_ends_the_run_that_is_for_it_alone)
{
    std::size_t stopped = 0;
    const auto work = [&stopped](weft::node_context& ctx) -> weft::task<void> {
        ctx.emit("output", "begun");
        std::exception_ptr cut;
        try {
            co_await weft::sleep_for(std::chrono::hours{1});
        } catch (const weft::error&) {
            cut = std::current_exception();
        }
        ++stopped;
        if (cut) std::rethrow_exception(cut);
    };
    test_loop loop;
    weft::memory_store store;
    life server{loop, store,
                {weft::graph_builder{"long"}
                     .state(openai_graphs::messages)
                     .node("work", work)
                     .edge(weft::start, "work")
                     .build()}};
    for (const char* const more : {"", R"(,"stream":true)", R"(,"stream":true,"metadata":{"thread_id":"t"})"}) {
        const std::string body =
            std::string{R"({"model":"long","messages":[{"role":"user","content":"x"}])"}.append(more).append("}");
        const std::size_t before = stopped;
        {
            server_fixture::raw_client client{loop, server.port()};
            client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
            if (*more != 0) client.read_until("begun");
            else for (int i = 0; i < 50; ++i) (void)server.send("GET", "/ok");
        }
        loop.run_until([&] { return stopped > before; });
    }
    BOOST_TEST(stopped == 3U);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_kept_is_found_by_the_other_protocols)
{
    chat_life chat;
    const answer got = chat.complete(
        R"({"model":"chat","metadata":{"thread_id":"t4"},"messages":[{"role":"user","content":"hello"}]})");
    const std::string place{got.headers.find("content-location").value()};
    BOOST_TEST(place.starts_with("/threads/t4/runs/"));
    BOOST_TEST(chat.server.send("GET", place).json().at("status") == "success");
}

BOOST_AUTO_TEST_CASE(a_run_that_fails_is_an_error_with_its_name)
{
    chat_life chat;
    const std::string body = R"({"model":"chat","messages":[{"role":"user","content":"fail"}])";
    const answer whole = chat.complete(body + "}");
    BOOST_TEST(whole.status == 500);
    BOOST_TEST(whole.json().at("error").at("code") == "node_failed", whole.body);
    const answer streamed = chat.complete(body + R"(,"stream":true})");
    const std::vector<std::string> chunks = data_of(streamed.body);
    BOOST_TEST(weft::parse_json(chunks.back()).at("error").at("code") == "node_failed");
}

BOOST_AUTO_TEST_SUITE_END()
