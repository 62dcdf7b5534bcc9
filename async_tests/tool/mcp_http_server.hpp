#pragma once

#include <weft/async/run_blocking.hpp>
#include <weft/base/json.hpp>
#include <weft/testing/scripted_endpoint.hpp>
#include <weft/tool/mcp/mcp_http_transport.hpp>
#include <weft/tool/mcp_client.hpp>

#include <boost/json/serialize.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/** MCP servers over HTTP that say what a test wants, and one call of a tool of theirs. */
namespace mcp_http_server {

using namespace std::chrono_literals;
using weft::errc;
using weft::mcp_client;
using weft::task;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_endpoint_request;
using weft::testing::scripted_reply;

inline constexpr std::string_view token = "TEST-0123456789abcdef";

inline boost::json::object object_of(std::string_view json) { return weft::parse_json(json).get_object(); }

/** Requests with this HTTP method and, of a POST, this method of the protocol. */
inline auto asks(std::string http_method, std::string method = {})
{
    return [http_method, method](const scripted_endpoint_request& request) {
        if (request.method != http_method) return false;
        const auto* in = request.json.if_object();
        return method.empty() || (in && in->contains("method") && in->at("method").as_string() == method);
    };
}

inline std::string id_of(const scripted_endpoint_request& request)
{
    return boost::json::serialize(request.json.at("id"));
}

inline scripted_reply document(std::string body)
{
    return weft::testing::status(200).body(std::move(body));
}

inline std::function<scripted_reply(const scripted_endpoint_request&)> answer(std::string json)
{
    return [json](const scripted_endpoint_request& request) {
        return document(R"({"jsonrpc":"2.0","id":)" + id_of(request) + R"(,"result":)" + json + "}");
    };
}

/** A stream whose events may name the id of the request as `ID`. */
inline std::function<scripted_reply(const scripted_endpoint_request&)> stream(std::string body)
{
    return [body](const scripted_endpoint_request& request) {
        std::string whole = body;
        if (const std::size_t at = whole.find("ID"); at != std::string::npos) whole.replace(at, 2, id_of(request));
        return weft::testing::event_stream(whole);
    };
}

inline constexpr const char* legacy_answer =
    R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}})";

/** What every server of the legacy era says, but for the calls of tools. */
inline void speak_legacy(scripted_endpoint& server, std::string session = "1868a90c")
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

inline void have_no_stream(scripted_endpoint& server)
{
    server.when(asks("GET")).reply_always(weft::testing::status(405).body(""));
}

inline weft::testing::scripted_endpoint_options plain()
{
    return weft::testing::scripted_endpoint_options{}.transport(weft::testing::scripted_transport::plain);
}

inline weft::mcp_endpoint at(const scripted_endpoint& server)
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

inline task<call_outcome> call_once(mcp_client& client, std::string name)
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

inline task<call_outcome> call_and_close(weft::mcp_endpoint endpoint, weft::mcp_client_options options)
{
    mcp_client client{weft::mcp_http(weft::http_client{}, std::move(endpoint)), std::move(options)};
    call_outcome outcome = co_await call_once(client, "book");
    co_await client.close();
    co_return outcome;
}

inline call_outcome call(weft::mcp_endpoint endpoint, weft::mcp_client_options options = {})
{
    return weft::run_blocking(call_and_close(std::move(endpoint), std::move(options)));
}

inline call_outcome call(const scripted_endpoint& server, weft::mcp_client_options options = {})
{
    return call(at(server), std::move(options));
}

inline std::vector<scripted_endpoint_request> requests_of(const scripted_endpoint& server, std::string http_method,
                                                          std::string method = {})
{
    std::vector<scripted_endpoint_request> found;
    for (const auto& each : server.requests())
        if (asks(http_method, method)(each)) found.push_back(each);
    return found;
}

inline task<boost::json::value> two_seats(boost::json::object)
{
    co_return weft::parse_json(R"({"action":"accept","content":{"seats":2}})");
}

}  // namespace mcp_http_server
