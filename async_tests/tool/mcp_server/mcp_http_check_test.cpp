#include "tool/mcp_server/mcp_http_check.hpp"

#include <weft/tool/mcp_server/mcp_refusals.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(mcp_http_check_test)

using namespace weft::mcp_detail;
using weft::http_headers;
using weft::json_rpc_message;
using fields = std::vector<std::pair<std::string, std::string>>;

http_headers headers_of(const fields& all)
{
    http_headers headers;
    for (const auto& [name, value] : all) headers.add(name, value);
    return headers;
}

weft::http_request_head head_of(std::string host, std::string origin = {})
{
    weft::http_request_head head;
    head.method = "POST";
    head.host = std::move(host);
    if (!origin.empty()) head.headers.add("Origin", origin);
    return head;
}

BOOST_AUTO_TEST_CASE(names_of_other_machines_and_foreign_pages_are_refused)
{
    struct row {
        const char* host;
        const char* origin;
        std::vector<std::string> hosts;
        std::vector<std::string> origins;
        bool passes;
    };
    const std::vector<row> rows{
        {"localhost:8000", "", {}, {}, true},
        {"127.0.0.1", "", {}, {}, true},
        {"[::1]:8000", "", {}, {}, true},
        {"evil.example", "", {}, {}, false},
        {"localhost.evil.example:8000", "", {}, {}, false},
        {"mcp.example", "", {"mcp.example"}, {}, true},
        {"mcp.example", "", {"*"}, {}, true},
        {"localhost:8000", "http://localhost:8000", {}, {}, true},
        {"localhost:8000", "http://localhost:9000", {}, {}, false},
        {"localhost:8000", "http://evil.example", {}, {}, false},
        {"localhost:8000", "null", {}, {}, false},
        {"localhost:8000", "http://app.example", {}, {"http://app.example"}, true},
    };
    for (const row& each : rows) {
        const auto refused = check_caller_of(head_of(each.host, each.origin), each.hosts, each.origins);
        BOOST_TEST(!refused == each.passes, each.host << " " << each.origin);
        if (refused) BOOST_TEST(refused->status == 403);
    }
}

BOOST_AUTO_TEST_CASE(a_post_is_json_and_takes_both_forms_of_an_answer)
{
    const auto status = [](fields all) {
        const auto refused = check_post_head(headers_of(all));
        return refused ? refused->status : 200;
    };
    const std::pair<std::string, std::string> json{"Content-Type", "application/json"};
    BOOST_TEST(status({json, {"Accept", "application/json, text/event-stream"}}) == 200);
    BOOST_TEST(status({json}) == 200);
    BOOST_TEST(status({json, {"Accept", "*/*"}}) == 200);
    BOOST_TEST(status({json, {"Accept", "application/json"}}) == 406);
    BOOST_TEST(status({{"Content-Type", "text/plain"}}) == 415);
    BOOST_TEST(status({}) == 415);
}

json_rpc_message call_of(std::string_view more = R"("io.modelcontextprotocol/clientCapabilities":{})",
                         std::string_view version = "2026-07-28")
{
    return json_rpc_message::parse(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"täglich","arguments":{"region":"eu"},)"
        R"("_meta":{"io.modelcontextprotocol/protocolVersion":")" +
        std::string{version} + "\"" + (more.empty() ? "" : ",") + std::string{more} + "}}}");
}

fields modern_fields(std::string version = "2026-07-28")
{
    return {{"MCP-Protocol-Version", std::move(version)},
            {"Mcp-Method", "tools/call"},
            {"Mcp-Name", weft::mcp_header_value("täglich")}};
}

BOOST_AUTO_TEST_CASE(headers_of_the_modern_era_say_what_the_body_says)
{
    const auto code = [](const json_rpc_message& message, const fields& all) -> std::int64_t {
        const http_headers headers = headers_of(all);
        const modern_request read = read_modern_request(message, &headers);
        if (read.refused) BOOST_TEST(read.refused->status == 400);
        return read.refused ? read.refused->why.code : 0;
    };
    BOOST_TEST(code(call_of(), modern_fields()) == 0);
    fields wrong = modern_fields();
    wrong[1].second = "tools/list";
    BOOST_TEST(code(call_of(), wrong) == -32020);
    wrong = modern_fields();
    wrong[2].second = "other";
    BOOST_TEST(code(call_of(), wrong) == -32020);
    wrong[2].second = "=?base64?!!?=";
    BOOST_TEST(code(call_of(), wrong) == -32020);
    wrong = modern_fields();
    wrong.erase(wrong.begin());
    BOOST_TEST(code(call_of(), wrong) == -32020);
    BOOST_TEST(code(call_of("", "2026-07-28"), modern_fields()) == -32602);
    BOOST_TEST(code(call_of(R"("io.modelcontextprotocol/clientCapabilities":{})", "2030-01-01"),
                    modern_fields("2030-01-01")) == -32022);
    const modern_request read = read_modern_request(
        call_of(R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},)"
                R"("io.modelcontextprotocol/logLevel":"warning")"),
        nullptr);
    BOOST_TEST_REQUIRE(!read.refused);
    BOOST_TEST(read.client.elicits());
    BOOST_TEST(!read.client.samples());
    BOOST_TEST(read.client.hears("error"));
    BOOST_TEST(!read.client.hears("info"));
}

BOOST_AUTO_TEST_CASE(the_era_is_seen_in_headers_or_in_the_body)
{
    const json_rpc_message list = json_rpc_message::request(std::int64_t{1}, "tools/list", {});
    BOOST_TEST((era_of(headers_of({}), list) == weft::mcp_era::legacy));
    BOOST_TEST((era_of(headers_of({{"MCP-Protocol-Version", "2025-11-25"}}), list) == weft::mcp_era::legacy));
    BOOST_TEST((era_of(headers_of({{"MCP-Protocol-Version", "2026-07-28"}}), list) == weft::mcp_era::modern));
    BOOST_TEST((era_of(headers_of({}), call_of()) == weft::mcp_era::modern));
    BOOST_TEST((era_of(call_of()) == weft::mcp_era::modern));
}

BOOST_AUTO_TEST_CASE(headers_of_arguments_are_compared_with_them)
{
    const boost::json::value schema{
        {"type", "object"},
        {"properties", {{"region", {{"type", "string"}, {"x-mcp-header", "Region"}}}}}};
    std::string why;
    const auto rules = weft::mcp_argument_headers::read(schema, why);
    BOOST_TEST_REQUIRE(rules.has_value());
    BOOST_TEST(!check_argument_headers(headers_of({{"Mcp-Param-Region", "eu"}}), *rules, call_of()));
    BOOST_TEST(check_argument_headers(headers_of({{"Mcp-Param-Region", "us"}}), *rules, call_of())->why.code == -32020);
    BOOST_TEST(check_argument_headers(headers_of({}), *rules, call_of())->why.code == -32020);
    const json_rpc_message without = json_rpc_message::request(std::int64_t{1}, "tools/call", {});
    BOOST_TEST(check_argument_headers(headers_of({{"Mcp-Param-Region", "eu"}}), *rules, without)->why.code == -32020);
    BOOST_TEST(!check_argument_headers(headers_of({}), *rules, without));
}

BOOST_AUTO_TEST_CASE(a_handshake_agrees_on_a_revision)
{
    const auto version = [](std::string_view asked) {
        return read_initialize(boost::json::object{{"protocolVersion", asked}}).version;
    };
    BOOST_TEST(version("2025-06-18") == "2025-06-18");
    BOOST_TEST(version("1999-01-01") == "2025-11-25");
    BOOST_CHECK_THROW((void)read_initialize({}), weft::mcp_rejection);
    BOOST_TEST(!check_legacy_version(headers_of({})));
    BOOST_TEST(!check_legacy_version(headers_of({{"MCP-Protocol-Version", "2025-03-26"}})));
    BOOST_TEST(check_legacy_version(headers_of({{"MCP-Protocol-Version", "1999-01-01"}}))->status == 400);
}

BOOST_AUTO_TEST_SUITE_END()
