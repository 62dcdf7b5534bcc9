#include "protocol_clients.hpp"

#include <weft/net/sse_parser.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <string>
#include <utility>
#include <vector>

using boost::json::array;
using boost::json::object;
using boost::json::value;

namespace {

/** The messages of an answer, which is JSON or a stream. */
std::vector<value> rpc_messages_in(std::string_view body)
{
    if (body.starts_with('{')) return {weft::parse_json(body)};
    std::vector<value> all;
    weft::sse_parser parser;
    parser.feed(body);
    while (const weft::sse_event* const event = parser.next())
        if (!event->data.empty()) all.push_back(weft::parse_json(event->data));
    return all;
}

/** MCP: a run is the call of a tool. A call that names a run in `requestState` follows it, whichever protocol has begun
 *  it. What a client of one era does in its own way is in the classes below. */
class mcp_protocol_client : public protocol_client {
public:
    weft::http_request begin(protocol_stage& at, const std::string& thread, const std::string& assistant) const override
    {
        const array messages{object{{"role", "user"}, {"content", "hello"}}};
        return call(at, assistant, {{"arguments", object{{"messages", messages}}}}, {{"weft/thread_id", thread}});
    }
    weft::http_request follow(protocol_stage& at, const std::string& thread,
                              const std::string& assistant) const override
    {
        return call(at, assistant, {{"requestState", at.run_of(thread)}}, {{"progressToken", 1}});
    }
    /** Progress tells of nodes. */
    bool hears_text() const noexcept override { return false; }
    heard read(protocol_stage&, const std::string&, const answer& got) const override
    {
        heard result;
        int steps = 0;
        for (const value& one : rpc_messages_in(got.body)) {
            const object& message = one.as_object();
            if (const value* const method = message.if_contains("method")) steps += *method == "notifications/progress";
            const value* const done = message.if_contains("result");
            take_question(result, message);
            if (!done || !done->as_object().contains("content")) continue;
            const std::string text{done->at("content").at(0).at("text").as_string()};
            const value* const failed = done->as_object().if_contains("isError");
            const bool is_error = failed && failed->as_bool();
            result.is_cancelled = is_error && text == "the run was cancelled";
            if (!is_error) result.said = text;
        }
        BOOST_TEST((steps > 0 || got.body.starts_with('{')), "nodes are progress: " << got.body);
        return result;
    }

protected:
    virtual void take_question(heard& result, const object& message) const = 0;
    virtual weft::http_request send(protocol_stage& at, const std::string& assistant, object message) const = 0;

    weft::http_request call(protocol_stage& at, const std::string& assistant, object params, object meta) const
    {
        params["name"] = assistant;
        params["_meta"] = std::move(meta);
        return send(at, assistant,
                    {{"jsonrpc", "2.0"}, {"id", ++calls_}, {"method", "tools/call"}, {"params", std::move(params)}});
    }
    static weft::http_request posted(protocol_stage& at, const object& message)
    {
        weft::http_request request = at.request_to("POST", "/mcp", boost::json::serialize(message));
        request.header("Accept", "application/json, text/event-stream");
        return request;
    }

    mutable int calls_ = 0;
};

/** Sessions: questions are requests on the stream of a call, and a call is cancelled by a message. */
class mcp_session_client final : public mcp_protocol_client {
public:
    std::string_view name() const noexcept override { return "MCP 2025-11-25"; }
    weft::http_request answer_yes(protocol_stage& at, const std::string&, const std::string&,
                                  const std::string& question) const override
    {
        const object said{{"action", "accept"}, {"content", object{{"answer", true}}}};
        return send(at, {}, {{"jsonrpc", "2.0"}, {"id", question}, {"result", said}});
    }
    bool cancel(protocol_stage& at, const std::string& thread) const override
    {
        started following{at.loop, fetch_for(weft::http_client{}, follow(at, thread, "held"), this)};
        for (int i = 0; i < 10; ++i) at.loop.settle();
        const object params{{"requestId", calls_}};
        const object message{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", params}};
        return at.server.send(in_session(at, message)).status == 202;
    }
    bool is_whole(std::string_view body) const override { return body.find("elicitation/create") != body.npos; }
    bool refuses(const answer& got) const override
    {
        return got.status == 400 && got.body.find("stale_answer") != got.body.npos;
    }

private:
    weft::http_request send(protocol_stage& at, const std::string&, object message) const override
    {
        open(at);
        return in_session(at, message);
    }
    weft::http_request in_session(protocol_stage& at, const object& message) const
    {
        weft::http_request request = posted(at, message);
        request.header("Mcp-Session-Id", session_).header("MCP-Protocol-Version", "2025-11-25");
        return request;
    }
    /** A session of its own for each request: what it says of a run need not come by the one that asked. */
    void open(protocol_stage& at) const
    {
        const object me{{"name", "t"}, {"version", "1"}};
        const object params{{"protocolVersion", "2025-11-25"},
                            {"capabilities", object{{"elicitation", object{}}}},
                            {"clientInfo", me}};
        const answer met = at.server.send(
            posted(at, {{"jsonrpc", "2.0"}, {"id", 0}, {"method", "initialize"}, {"params", params}}));
        session_ = met.headers.find("Mcp-Session-Id").value_or("");
        BOOST_TEST_REQUIRE(!session_.empty());
        (void)at.server.send(in_session(at, {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}));
    }
    void take_question(heard& result, const object& message) const override
    {
        const value* const method = message.if_contains("method");
        if (method && *method == "elicitation/create") result.question = std::string{message.at("id").as_string()};
    }

    mutable std::string session_;
};

/** Requests that stand for themselves: a question is a result, and the request is made again with the answer. */
class mcp_request_client final : public mcp_protocol_client {
public:
    std::string_view name() const noexcept override { return "MCP 2026-07-28"; }
    weft::http_request answer_yes(protocol_stage& at, const std::string& thread, const std::string& assistant,
                                  const std::string& question) const override
    {
        const object said{{"action", "accept"}, {"content", object{{"answer", true}}}};
        return call(at, assistant,
                    {{"requestState", at.run_of(thread)}, {"inputResponses", object{{question, said}}}}, {});
    }
    bool refuses(const answer& got) const override
    {
        const std::vector<value> all = rpc_messages_in(got.body);
        const value* const error = all.empty() ? nullptr : all.back().as_object().if_contains("error");
        return error && error->at("message").as_string().starts_with("stale_answer");
    }

private:
    weft::http_request send(protocol_stage& at, const std::string& assistant, object message) const override
    {
        object& meta = message["params"].as_object()["_meta"].as_object();
        meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
        meta["io.modelcontextprotocol/clientInfo"] = object{{"name", "t"}, {"version", "1"}};
        meta["io.modelcontextprotocol/clientCapabilities"] = object{{"elicitation", object{}}};
        weft::http_request request = posted(at, message);
        request.header("MCP-Protocol-Version", "2026-07-28").header("Mcp-Method", "tools/call");
        request.header("Mcp-Name", assistant);
        return request;
    }
    void take_question(heard& result, const object& message) const override
    {
        const value* const done = message.if_contains("result");
        const value* const asked = done ? done->as_object().if_contains("inputRequests") : nullptr;
        if (asked && !asked->as_object().empty()) result.question = std::string{asked->as_object().begin()->key()};
    }
};

}  // namespace

void add_mcp_protocol_clients(std::vector<std::unique_ptr<protocol_client>>& to)
{
    to.push_back(std::make_unique<mcp_session_client>());
    to.push_back(std::make_unique<mcp_request_client>());
}
