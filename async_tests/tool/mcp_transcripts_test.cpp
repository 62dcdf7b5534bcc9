#include <weft/testing/async_test_case.hpp>

#include "scripted_mcp_server.hpp"

#include <map>
#include <string>

BOOST_AUTO_TEST_SUITE(mcp_transcripts_test)

using namespace scripted_mcp;
using namespace std::chrono_literals;
using weft::errc;
using weft::mcp_client;
using weft::task;

namespace {

task<boost::json::value> decline(boost::json::object)
{
    co_return weft::parse_json(R"({"action":"decline"})");
}

// What the server says to each request, by its id.
const std::map<std::string, std::string> lines{
        {"0", R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":
            {"tools":{"listChanged":true}},"serverInfo":{"name":"srv","version":"2.1"},
            "instructions":"Use add for sums."}})"},
        {"1", R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"add","description":"Add","inputSchema":
            {"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x","y"]},
            "outputSchema":
            {"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]},
            "annotations":{"readOnlyHint":true}}],"nextCursor":"p2"}})"},
        {"2", R"({"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"slow.job","inputSchema":{"type":"object"}}]}})"},
        {"3", R"({"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"sum\":3}"}],
            "structuredContent":{"sum":3},"isError":false}})"},
        {"4", R"({"jsonrpc":"2.0","method":"notifications/progress","params":
            {"progressToken":4,"progress":1,"total":10,"message":"step 1"}})"},
        {"5", R"({"jsonrpc":"2.0","id":5,"result":{"content":
            [{"type":"text","text":"invalid arguments: /x must be integer, /y is required"}],"isError":true}})"},
        {"6", R"({"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Unknown tool: nope"}})"}};

}  // namespace

WEFT_ASYNC_TEST_CASE(the_transcript_of_the_legacy_era)
{
    const auto script = std::make_shared<server_script>();
    script->on_message = [](const weft::mcp_outgoing& to) -> steps {
        if (!to.message.id()) return {};
        return {{{}, lines.at(weft::text_of(*to.message.id()))}};
    };
    weft::mcp_client_options options;
    options.era = weft::mcp_era_choice::legacy_only;
    options.identity = {"ours", "1.0"};
    options.on_elicitation = decline;
    mcp_client client{connected_to(script), options};
    co_await client.connect();
    BOOST_TEST(script->last("initialize")->text() ==
               R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
               R"("capabilities":{"elicitation":{}},"clientInfo":{"name":"ours","version":"1.0"}}})");
    BOOST_TEST(script->received.back().message.text() == R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    BOOST_TEST(client.agreement().version == "2025-06-18");
    BOOST_TEST(client.agreement().instructions == "Use add for sums.");
    const auto tools = co_await client.tools();
    BOOST_TEST(tools->size() == 2);
    BOOST_TEST(script->received.back().message.text() ==
               R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"p2"}})");
    const auto sum = co_await client.call_tool("add", object_of(R"({"x":1,"y":2})"));
    BOOST_TEST(sum.structured.at("sum").as_int64() == 3);
    std::string progress;
    weft::mcp_call_options watched;
    watched.timeout = 1s;
    watched.on_progress = [&](const weft::mcp_progress& step) { progress = step.message; };
    const auto slow = co_await error_of(client.call_tool("slow.job", object_of("{}"), watched));
    BOOST_TEST((slow == errc::timeout));
    BOOST_TEST(progress == "step 1");
    BOOST_TEST(script->last("notifications/cancelled")->params().at("requestId").as_int64() == 4);
    const auto wrong = co_await client.call_tool("add", object_of(R"({"x":"one"})"));
    BOOST_TEST(wrong.is_error);
    const auto unknown = co_await error_of(client.call_tool("nope", object_of("{}")));
    BOOST_TEST((unknown == errc::mcp_refused));
}

BOOST_AUTO_TEST_SUITE_END()
