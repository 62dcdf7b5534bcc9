#include <weft/agent/kinds/mcp_servers.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/base/error.hpp>

#include <boost/test/unit_test.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>

BOOST_AUTO_TEST_SUITE(mcp_servers_test)

namespace {

/** A server that offers `greet`, which answers with a variable of its environment, and `leave`. */
constexpr const char* script = R"(
any='"inputSchema":{"type":"object"}'
while read -r line; do
    id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"greet",'$any'},{"name":"leave",'$any'}]}' ;;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"'$GREETING'"}]}' ;;
    *'"notifications/'*) continue ;;
    *) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"unknown"}}'; continue ;;
    esac
    echo '{"jsonrpc":"2.0","id":'$id',"result":'$result'}'
done
)";

weft::mcp_spec shell(std::string text)
{
    weft::mcp_spec server;
    server.command = {"sh", "-c", std::move(text)};
    return server;
}

weft::mcp_servers_options with_variable(std::string name, std::string value)
{
    weft::mcp_servers_options options;
    options.environment = [name, value](const std::string& asked) {
        return asked == name ? std::optional{value} : std::nullopt;
    };
    return options;
}

weft::task<std::string> call(std::shared_ptr<weft::tool> what)
{
    weft::tool_invocation invocation;
    const weft::tool_result result = co_await what->call(std::move(invocation));
    co_return std::get<weft::text_part>(result.content.at(0)).text;
}

std::string refusal(const std::map<std::string, weft::mcp_spec>& which)
{
    try {
        const weft::mcp_servers servers{which, with_variable("SET", "x")};
        return "started";
    } catch (const weft::error& e) {
        return e.what();
    }
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_tool_is_called_by_the_name_of_its_server_on_another_loop)
{
    weft::mcp_spec polite = shell(script);
    polite.environment["GREETING"] = "hello ${WHO}";
    weft::mcp_spec rude = shell(script);
    rude.environment["GREETING"] = "oi";
    rude.tools = {{"greet"}};
    const weft::mcp_servers servers{{{"polite", polite}, {"rude", rude}}, with_variable("WHO", "Ada")};
    BOOST_TEST(servers.tools()->names() == "polite__greet, polite__leave, rude__greet");
    BOOST_TEST(weft::run_blocking(call(servers.tools()->find("polite__greet")->work)) == "hello Ada");
    BOOST_TEST(weft::run_blocking(call(servers.tools()->find("rude__greet")->work)) == "oi");
    BOOST_TEST(servers.tools()->find("rude__greet")->traits.is_destructive);
}

BOOST_AUTO_TEST_CASE(all_variables_that_are_missing_are_told_before_a_server_starts)
{
    weft::mcp_spec program = shell("exit 1");
    program.environment["KEY"] = "${NO_KEY}";
    weft::mcp_spec remote;
    remote.url = "https://${SET}.example";
    remote.headers["Authorization"] = "Bearer ${NO_TOKEN}";
    const std::string told = refusal({{"a", program}, {"b", remote}});
    BOOST_TEST(has(told, "$.mcp.a.environment.KEY: the environment variable NO_KEY is not set"), told);
    BOOST_TEST(has(told, "$.mcp.b.headers.Authorization: the environment variable NO_TOKEN is not set"), told);
}

BOOST_AUTO_TEST_CASE(M4_what_a_file_says_of_oauth_is_resolved_and_checked_before_a_server_is_asked)
{
    weft::mcp_spec server;
    server.url = "https://mcp.example/mcp";
    server.oauth.emplace();
    server.oauth->client_id = "${SET}";
    server.oauth->client_secret = "${NO_SECRET}";
    BOOST_TEST(has(refusal({{"s", server}}), "$.mcp.s.oauth.client_secret: the environment variable NO_SECRET is not"));
    server.oauth->client_secret = "${SET}";
    const std::string told = refusal({{"s", server}});
    BOOST_TEST(has(told, "MCP server 's'"), told);
    BOOST_TEST(has(told, "give issuer"), told);
}

BOOST_AUTO_TEST_CASE(a_server_that_does_not_start_is_named_and_the_others_end)
{
    const std::string told = refusal({{"good", shell(script)}, {"gone", shell("echo 'no licence' >&2; exit 3")}});
    BOOST_TEST(has(told, "MCP server 'gone'"), told);
    BOOST_TEST(has(told, "no licence"), told);
}

BOOST_AUTO_TEST_CASE(a_tool_that_a_file_counts_on_and_the_server_lacks_is_told)
{
    weft::mcp_spec server = shell(script);
    server.tools = {{"greet", "fly"}};
    BOOST_TEST(has(refusal({{"s", server}}), "MCP server 's': "));
    BOOST_TEST(has(refusal({{"s", server}}), "it has no tool 'fly'"));
}

BOOST_AUTO_TEST_SUITE_END()
