#include <boost/test/unit_test.hpp>

#include "mcp_http_server.hpp"

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(mcp_http_modern_test)

using namespace mcp_http_server;

BOOST_AUTO_TEST_CASE(the_transcript_of_the_modern_era)
{
    scripted_endpoint server{plain()};
    server.when(asks("POST", "server/discover"))
        .reply(answer(R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})"));
    server.when(asks("POST", "tools/list"))
        .reply(answer(R"({"resultType":"complete","tools":[{"name":"book","inputSchema":{"type":"object",
            "properties":{"day":{"type":"string","x-mcp-header":"Day"}}}}]})"));
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

BOOST_AUTO_TEST_SUITE_END()
