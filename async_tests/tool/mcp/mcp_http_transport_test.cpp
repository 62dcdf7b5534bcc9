#include <boost/test/unit_test.hpp>

#include "tool/mcp_http_server.hpp"

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(mcp_http_transport_test)

using namespace mcp_http_server;

namespace {

auto resumes_from(std::string id)
{
    return [id](const scripted_endpoint_request& r) { return r.method == "GET" && r.header("Last-Event-ID") == id; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_session_of_the_legacy_era_from_its_beginning_to_its_end)
{
    scripted_endpoint server{plain()};
    speak_legacy(server);
    have_no_stream(server);
    server.when(asks("POST", "tools/call")).reply(answer(R"({"content":[{"type":"text","text":"Booked"}]})"));
    weft::mcp_endpoint endpoint = at(server);
    endpoint.token = weft::secret_string{token};
    endpoint.headers["X-Team"] = "blue";
    const call_outcome got = call(std::move(endpoint));
    BOOST_REQUIRE_MESSAGE(got.result, got.text);
    BOOST_TEST(got.result->text() == "Booked");

    const auto first = requests_of(server, "POST", "initialize").at(0);
    BOOST_TEST(first.header("Mcp-Session-Id") == "");
    BOOST_TEST(first.header("MCP-Protocol-Version") == "");
    const auto called = requests_of(server, "POST", "tools/call").at(0);
    BOOST_TEST(called.header("Mcp-Session-Id") == "1868a90c");
    BOOST_TEST(called.header("MCP-Protocol-Version") == "2025-11-25");
    BOOST_TEST(called.header("Accept") == "application/json, text/event-stream");
    BOOST_TEST(called.header("Content-Type") == "application/json");
    BOOST_TEST(called.header("Authorization") == "Bearer " + std::string{token});
    BOOST_TEST(called.header("X-Team") == "blue");
    BOOST_TEST(called.header("Mcp-Method") == "");
    const auto end = requests_of(server, "DELETE").at(0);
    BOOST_TEST(end.header("Mcp-Session-Id") == "1868a90c");
    BOOST_TEST(requests_of(server, "POST", "notifications/initialized").size() == 1);
}

BOOST_AUTO_TEST_CASE(the_transcript_with_elicitation_and_resume)
{
    scripted_endpoint server{plain()};
    speak_legacy(server);
    server.when(asks("POST", "tools/call")).reply(stream(
        "id: s7-0\ndata:\n\nid: s7-1\n"
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"e1\",\"method\":\"elicitation/create\",\"params\":"
        "{\"mode\":\"form\",\"message\":\"How many seats?\",\"requestedSchema\":{\"type\":\"object\"}}}\n\n"));
    server.when(asks("POST")).reply_always(weft::testing::status(202).body(""));  // the answer of the client
    server.when(resumes_from("s7-1"))
        .reply(weft::testing::event_stream("id: s7-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":"
                                           "[{\"type\":\"text\",\"text\":\"Booked 2 seats\"}]}}\n\n"));
    have_no_stream(server);
    weft::mcp_client_options options;
    options.on_elicitation = two_seats;
    const call_outcome got = call(server, options);
    BOOST_REQUIRE_MESSAGE(got.result, got.text);
    BOOST_TEST(got.result->text() == "Booked 2 seats");
    bool is_answered = false;
    for (const auto& each : requests_of(server, "POST"))
        is_answered |= each.body == R"({"jsonrpc":"2.0","id":"e1","result":{"action":"accept","content":{"seats":2}}})";
    BOOST_TEST(is_answered);
    for (const auto& each : requests_of(server, "GET")) BOOST_TEST(each.header("Mcp-Session-Id") == "1868a90c");
}

BOOST_AUTO_TEST_CASE(a_stream_is_taken_up_again_a_bounded_number_of_times)
{
    scripted_endpoint server{plain()};
    speak_legacy(server);
    server.when(asks("POST", "tools/call")).reply(stream("id: a-1\nretry: 1\ndata:\n\n"));
    server.when(resumes_from("a-1"))
        .reply_always(weft::testing::event_stream(""));
    have_no_stream(server);
    weft::mcp_endpoint endpoint = at(server);
    endpoint.resumes_max = 3;
    const call_outcome got = call(std::move(endpoint));
    BOOST_TEST((got.code == errc::response_truncated));
    int resumes = 0;
    for (const auto& each : requests_of(server, "GET")) resumes += each.header("Last-Event-ID") == "a-1";
    BOOST_TEST(resumes == 3);
}

BOOST_AUTO_TEST_CASE(F8_an_answer_in_a_stream_that_cannot_be_read_ends_its_call)
{
    scripted_endpoint server{plain()};
    speak_legacy(server);
    have_no_stream(server);
    server.when(asks("POST", "tools/call"))
        .reply(stream("data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{oops}}\n\n"));
    const call_outcome got = call(server);
    BOOST_TEST((got.code == errc::invalid_mcp_message), got.text);
    BOOST_TEST(got.text.find("the answer cannot be read: line 1") != std::string::npos, got.text);
}

BOOST_AUTO_TEST_CASE(a_stream_without_ids_cannot_be_taken_up)
{
    scripted_endpoint server{plain()};
    speak_legacy(server);
    have_no_stream(server);
    server.when(asks("POST", "tools/call")).reply(stream(": nothing\n\n"));
    const call_outcome got = call(server);
    BOOST_TEST((got.code == errc::response_truncated));
    BOOST_TEST(got.text.find("is not known") != std::string::npos);
    BOOST_TEST(requests_of(server, "POST", "tools/call").size() == 1);
}

BOOST_AUTO_TEST_CASE(W1_a_tool_whose_call_loses_its_connection_has_run_once)
{
    scripted_endpoint server{plain()};
    speak_legacy(server);
    have_no_stream(server);
    server.when(asks("POST", "tools/call")).reply_always(weft::testing::hang_up());
    const call_outcome got = call(server);
    BOOST_TEST(!got.result);
    BOOST_TEST((got.code == errc::connection_lost));
    BOOST_TEST(requests_of(server, "POST", "tools/call").size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_session_that_is_gone_is_begun_anew)
{
    for (const bool is_by_the_book : {true, false}) {
        scripted_endpoint server{plain()};
        speak_legacy(server);
        have_no_stream(server);
        constexpr const char* words =
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session ID"}})";
        const auto gone =
            is_by_the_book ? weft::testing::status(404).body("") : weft::testing::status(400).body(words);
        server.when(asks("POST", "tools/call"))
            .reply(gone)
            .reply(answer(R"({"content":[{"type":"text","text":"again"}]})"));
        const call_outcome got = call(server);
        BOOST_REQUIRE_MESSAGE(got.result, got.text);
        BOOST_TEST(got.result->text() == "again");
        BOOST_TEST(requests_of(server, "POST", "initialize").size() == 2);
        BOOST_TEST(requests_of(server, "POST", "initialize").at(1).header("Mcp-Session-Id") == "");
        BOOST_TEST(requests_of(server, "POST", "server/discover").size() == 1);
    }
}

BOOST_AUTO_TEST_CASE(a_session_that_is_gone_again_and_again_is_an_error)
{
    scripted_endpoint server{plain()};
    speak_legacy(server);
    have_no_stream(server);
    server.when(asks("POST", "tools/call")).reply_always(weft::testing::status(404).body(""));
    const call_outcome got = call(server);
    BOOST_TEST((got.code == errc::mcp_refused));
    BOOST_TEST(requests_of(server, "POST", "tools/call").size() == 2);
}

BOOST_AUTO_TEST_CASE(messages_that_belong_to_no_request_come_on_a_stream_of_their_own)
{
    scripted_endpoint server{plain()};
    speak_legacy(server);
    server.when(asks("GET")).reply(
        weft::testing::event_stream("id: g-1\n"
                                    "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
                                    "{\"level\":\"info\",\"data\":\"hello\"}}\n\n").stall_after(1));
    server.when(asks("POST", "tools/call")).reply(weft::testing::silence());
    std::string heard;
    std::stop_source stop;
    weft::mcp_client_options options;
    options.on_log = [&](const weft::mcp_log_line& line) {
        heard = line.text;
        stop.request_stop();
    };
    const auto work = [](weft::mcp_endpoint endpoint, weft::mcp_client_options given) -> task<void> {
        mcp_client client{weft::mcp_http(weft::http_client{}, std::move(endpoint)), std::move(given)};
        const boost::json::object none;
        const auto result = co_await client.call_tool("a", none);
        static_cast<void>(result);
    };
    BOOST_CHECK_THROW(weft::run_blocking(work(at(server), options), stop.get_token()), weft::error);
    BOOST_TEST(heard == "hello");
    BOOST_TEST(requests_of(server, "GET").at(0).header("Accept") == "text/event-stream");
}

BOOST_AUTO_TEST_CASE(wrong_credentials_are_told_from_missing_ones_and_never_shown)
{
    for (const bool has_token : {false, true}) {
        scripted_endpoint server{plain()};
        server.when(asks("POST")).reply_always(weft::testing::status(401).body("").header(
            "WWW-Authenticate", "Bearer error=\"invalid_token\", token=\"" + std::string{token} + "\""));
        weft::mcp_endpoint endpoint = at(server);
        if (has_token) endpoint.token = weft::secret_string{token};
        const call_outcome got = call(std::move(endpoint));
        BOOST_TEST((got.code == errc::mcp_unauthorized));
        const char* const advice = has_token ? "renew the token" : "give it a token";
        BOOST_TEST(got.text.find(advice) != std::string::npos);
        BOOST_TEST(got.text.find("invalid_token") != std::string::npos);
        if (has_token) BOOST_TEST(got.text.find(token) == std::string::npos);
        BOOST_TEST(server.requests().size() == 1);
    }
}

BOOST_AUTO_TEST_CASE(what_is_no_mcp_server_is_told_as_such)
{
    struct wrong {
        scripted_reply reply;
        errc code;
        const char* words;
    };
    const wrong all[] = {
        {weft::testing::status(200).body("<html>").header("Content-Type", "text/html"), errc::invalid_configuration,
         "check its `url`"},
        {weft::testing::status(202).body("").header("Content-Type", ""), errc::invalid_mcp_message, "did not answer"},
        {document("[]"), errc::invalid_mcp_message, "batch"},
        {document(R"({"jsonrpc":"2.0","id":77,"result":{}})"), errc::invalid_mcp_message, "another request"},
        {weft::testing::status(307).body("").header("Location", "https://new.example/mcp"), errc::mcp_refused,
         "put the new address into `url`: https://new.example/mcp"},
        {weft::testing::status(503).body("down for maintenance"), errc::mcp_refused, "down for maintenance"},
    };
    for (const wrong& each : all) {
        scripted_endpoint server{plain()};
        server.when(asks("POST")).reply_always(each.reply);
        weft::mcp_client_options options;
        options.era = weft::mcp_era_choice::legacy_only;
        const call_outcome got = call(server, options);
        BOOST_TEST((got.code == each.code), got.text);
        BOOST_TEST(got.text.find(each.words) != std::string::npos, got.text);
    }
}

BOOST_AUTO_TEST_CASE(a_message_that_is_too_large_is_an_error)
{
    scripted_endpoint server{plain()};
    speak_legacy(server);
    have_no_stream(server);
    const std::string large(5000, 'x');
    server.when(asks("POST", "tools/call"))
        .reply(answer(R"({"content":[{"type":"text","text":")" + large + R"("}]})"))
        .reply(stream("data: " + large + "\n\n"));
    weft::mcp_endpoint endpoint = at(server);
    endpoint.message_bytes_max = 2000;
    for (int i = 0; i < 2; ++i) BOOST_TEST((call(endpoint).code == errc::response_too_large));
}

BOOST_AUTO_TEST_SUITE_END()
