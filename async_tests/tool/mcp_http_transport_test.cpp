#include <boost/test/unit_test.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/json.hpp>
#include <weft/testing/scripted_endpoint.hpp>
#include <weft/tool/mcp_client.hpp>
#include <weft/tool/mcp_http_transport.hpp>

#include <boost/json/serialize.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(mcp_http_transport_test)

using namespace std::chrono_literals;
using weft::errc;
using weft::mcp_client;
using weft::task;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_endpoint_request;
using weft::testing::scripted_reply;

namespace {

constexpr std::string_view token = "TEST-0123456789abcdef";

boost::json::object object_of(std::string_view json) { return weft::parse_json(json).get_object(); }

/** Requests with this HTTP method and, of a POST, this method of the protocol. */
auto asks(std::string http_method, std::string method = {})
{
    return [http_method, method](const scripted_endpoint_request& request) {
        if (request.method != http_method) return false;
        const auto* in = request.json.if_object();
        return method.empty() || (in && in->contains("method") && in->at("method").as_string() == method);
    };
}

std::string id_of(const scripted_endpoint_request& request)
{
    return boost::json::serialize(request.json.at("id"));
}

scripted_reply document(std::string body)
{
    return weft::testing::status(200).body(std::move(body));
}

std::function<scripted_reply(const scripted_endpoint_request&)> answer(std::string json)
{
    return [json](const scripted_endpoint_request& request) {
        return document(R"({"jsonrpc":"2.0","id":)" + id_of(request) + R"(,"result":)" + json + "}");
    };
}

/** A stream whose events may name the id of the request as `ID`. */
std::function<scripted_reply(const scripted_endpoint_request&)> stream(std::string body)
{
    return [body](const scripted_endpoint_request& request) {
        std::string whole = body;
        if (const std::size_t at = whole.find("ID"); at != std::string::npos) whole.replace(at, 2, id_of(request));
        return weft::testing::event_stream(whole);
    };
}

constexpr const char* legacy_answer =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}})";

/** What every server of the legacy era says, but for the calls of tools. */
void speak_legacy(scripted_endpoint& server, std::string session = "1868a90c")
{
    const auto initialize = [session](const scripted_endpoint_request& request) {
        return answer(legacy_answer)(request).header("Mcp-Session-Id", session);
    };
    server.when(asks("POST", "server/discover")).reply_always(weft::testing::status(400).body(
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}})"));
    server.when(asks("POST", "initialize")).reply_always(initialize);
    server.when(asks("POST", "notifications/initialized")).reply_always(weft::testing::status(202).body(""));
    server.when(asks("POST", "notifications/cancelled")).reply_always(weft::testing::status(202).body(""));
    server.when(asks("DELETE")).reply_always(weft::testing::status(204).body(""));
}

void have_no_stream(scripted_endpoint& server)
{
    server.when(asks("GET")).reply_always(weft::testing::status(405).body(""));
}

weft::testing::scripted_endpoint_options plain()
{
    return weft::testing::scripted_endpoint_options{}.transport(weft::testing::scripted_transport::plain);
}

weft::mcp_endpoint at(const scripted_endpoint& server)
{
    weft::mcp_endpoint endpoint{server.url()};
    endpoint.resume_delay = 1ms;
    return endpoint;
}

struct call_outcome {
    std::optional<weft::mcp_call_result> result;
    std::optional<errc> code;
    std::string text;
};

task<call_outcome> call_once(mcp_client& client, std::string name)
{
    call_outcome outcome;
    try {
        const boost::json::object arguments = object_of(R"({"day":"Mon"})");
        weft::mcp_call_result got = co_await client.call_tool(name, arguments);
        outcome.result = std::move(got);
    } catch (const weft::error& e) {
        outcome.code = e.code();
        outcome.text = e.what();
    }
    co_return outcome;
}

task<call_outcome> call_and_close(weft::mcp_endpoint endpoint, weft::mcp_client_options options)
{
    mcp_client client{weft::mcp_http(weft::http_client{}, std::move(endpoint)), std::move(options)};
    call_outcome outcome = co_await call_once(client, "book");
    co_await client.close();
    co_return outcome;
}

call_outcome call(weft::mcp_endpoint endpoint, weft::mcp_client_options options = {})
{
    return weft::run_blocking(call_and_close(std::move(endpoint), std::move(options)));
}

call_outcome call(const scripted_endpoint& server, weft::mcp_client_options options = {})
{
    return call(at(server), std::move(options));
}

std::vector<scripted_endpoint_request> requests_of(const scripted_endpoint& server, std::string http_method,
                                                   std::string method = {})
{
    std::vector<scripted_endpoint_request> found;
    for (const auto& each : server.requests())
        if (asks(http_method, method)(each)) found.push_back(each);
    return found;
}

task<boost::json::value> two_seats(boost::json::object)
{
    co_return weft::parse_json(R"({"action":"accept","content":{"seats":2}})");
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
        "id: s7-0\ndata:\n\nid: s7-1\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"e1\",\"method\":\"elicitation/create\",\"params\":"
        "{\"mode\":\"form\",\"message\":\"How many seats?\",\"requestedSchema\":{\"type\":\"object\"}}}\n\n"));
    server.when(asks("POST")).reply_always(weft::testing::status(202).body(""));  // the answer of the client
    server.when([](const scripted_endpoint_request& r) { return r.method == "GET" && r.header("Last-Event-ID") == "s7-1"; })
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
    server.when([](const scripted_endpoint_request& r) { return r.method == "GET" && r.header("Last-Event-ID") == "a-1"; })
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

BOOST_AUTO_TEST_CASE(a_session_that_is_gone_is_begun_anew)
{
    for (const bool is_by_the_book : {true, false}) {
        scripted_endpoint server{plain()};
        speak_legacy(server);
        have_no_stream(server);
        const auto gone = is_by_the_book
                              ? weft::testing::status(404).body("")
                              : weft::testing::status(400).body(
                                    R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session ID"}})");
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
        weft::testing::event_stream("id: g-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
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

BOOST_AUTO_TEST_CASE(the_transcript_of_the_modern_era)
{
    scripted_endpoint server{plain()};
    server.when(asks("POST", "server/discover"))
        .reply(answer(R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})"));
    server.when(asks("POST", "tools/list")).reply(answer(R"({"resultType":"complete","tools":[{"name":"book","inputSchema":
        {"type":"object","properties":{"day":{"type":"string","x-mcp-header":"Day"}}}}]})"));
    server.when(asks("POST", "tools/call"))
        .reply(answer(R"({"resultType":"input_required","inputRequests":{"seats":{"method":"elicitation/create",
            "params":{"mode":"form","message":"How many seats?"}}},"requestState":"v1.b64.hmac"})"))
        .reply(stream(": keep-alive\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                      "{\"progressToken\":2,\"progress\":1}}\n\n"
                      "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"resultType\":\"complete\",\"content\":"
                      "[{\"type\":\"text\",\"text\":\"Booked 2 seats\"}]}}\n\n"));
    weft::mcp_client_options options;
    options.on_elicitation = two_seats;
    const call_outcome got = call(server, options);
    BOOST_REQUIRE_MESSAGE(got.result, got.text);
    BOOST_TEST(got.result->text() == "Booked 2 seats");
    BOOST_TEST(requests_of(server, "POST", "initialize").empty());
    BOOST_TEST(requests_of(server, "GET").empty());
    BOOST_TEST(requests_of(server, "DELETE").empty());
    const auto calls = requests_of(server, "POST", "tools/call");
    BOOST_REQUIRE(calls.size() == 2);
    BOOST_TEST(calls[1].json.at("params").at("requestState").as_string() == "v1.b64.hmac");
    BOOST_TEST(id_of(calls[0]) != id_of(calls[1]));
    for (const auto& each : calls) {
        BOOST_TEST(each.header("MCP-Protocol-Version") == "2026-07-28");
        BOOST_TEST(each.header("Mcp-Method") == "tools/call");
        BOOST_TEST(each.header("Mcp-Name") == "book");
        BOOST_TEST(each.header("Mcp-Param-Day") == "Mon");
        BOOST_TEST(each.header("Mcp-Session-Id") == "");
    }
}

BOOST_AUTO_TEST_CASE(a_header_mismatch_asks_for_the_definition_again_once)
{
    scripted_endpoint server{plain()};
    server.when(asks("POST", "server/discover"))
        .reply(answer(R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})"));
    server.when(asks("POST", "tools/list")).reply_always(answer(R"({"tools":[]})"));
    server.when(asks("POST", "tools/call")).reply_always(weft::testing::status(400).body(
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch"}})"));
    const call_outcome got = call(server);
    BOOST_TEST((got.code == errc::mcp_refused));
    BOOST_TEST(requests_of(server, "POST", "tools/list").size() == 2);
    BOOST_TEST(requests_of(server, "POST", "tools/call").size() == 2);
}

BOOST_AUTO_TEST_CASE(a_stream_of_the_modern_era_that_breaks_is_an_error)
{
    scripted_endpoint server{plain()};
    server.when(asks("POST", "server/discover"))
        .reply(answer(R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})"));
    server.when(asks("POST", "tools/list")).reply_always(answer(R"({"tools":[]})"));
    server.when(asks("POST", "tools/call")).reply(weft::testing::event_stream(
        "id: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":2,"
        "\"progress\":5}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"res\n\n").cut_after(1));
    const call_outcome got = call(server);
    BOOST_TEST((got.code == errc::response_truncated));
    BOOST_TEST(requests_of(server, "POST", "tools/call").size() == 1);
    BOOST_TEST(requests_of(server, "GET").empty());
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
        BOOST_TEST(got.text.find(has_token ? "renew mcp_endpoint::token" : "set mcp_endpoint::token") != std::string::npos);
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
         "mcp_endpoint::url"},
        {weft::testing::status(202).body("").header("Content-Type", ""), errc::invalid_mcp_message, "did not answer"},
        {document("[]"), errc::invalid_mcp_message, "batch"},
        {document(R"({"jsonrpc":"2.0","id":77,"result":{}})"), errc::invalid_mcp_message, "another request"},
        {weft::testing::status(307).body("").header("Location", "https://new.example/mcp"), errc::mcp_refused,
         "https://new.example/mcp"},
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
