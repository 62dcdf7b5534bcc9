#include "protocol_clients.hpp"

#include "serve/ag_ui/agent_stream.hpp"
#include "serve/openai/openai_ids.hpp"

#include <weft/async/sleep.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/net/sse_parser.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

using boost::json::array;
using boost::json::object;
using boost::json::value;

namespace {

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::vector<weft::message>, weft::append> talk_key{"messages"};

void answer_in_pieces(weft::node_context& ctx, const std::string& said)
{
    ctx.emit("output", said.substr(0, 4));
    ctx.emit("output", said.substr(4));
    ctx.set(talk_key, weft::message::assistant(said));
}

weft::graph talking_graph()
{
    const auto talk = [](weft::node_context& ctx) {
        answer_in_pieces(ctx, "You said " + ctx.get(talk_key).back().text());
    };
    return weft::graph_builder{"talking"}.state(talk_key).node("talk", talk).edge(weft::start, "talk").build();
}

weft::task<void> ask_first(weft::node_context& ctx)
{
    weft::question asked = weft::question::approval("Shall I?");
    const bool is_allowed = co_await ctx.ask<bool>(std::move(asked));
    answer_in_pieces(ctx, is_allowed ? "I do it" : "I do not");
}

weft::graph asking_graph_of_all()
{
    return weft::graph_builder{"asking"}.state(talk_key).node("ask", ask_first).edge(weft::start, "ask").build();
}

weft::graph held_graph_of_all(std::shared_ptr<bool> gate)
{
    const auto hold = [gate](weft::node_context& ctx) -> weft::task<void> {
        ctx.emit("output", "one ");
        while (!*gate) co_await weft::sleep_for(1ms);
        ctx.emit("output", "two");
        ctx.set(talk_key, weft::message::assistant("one two"));
    };
    return weft::graph_builder{"held"}.state(talk_key).node("hold", hold).edge(weft::start, "hold").build();
}

constexpr const char* words = "hello";

struct sse_frame_seen {
    std::string event;
    value data;
};

std::vector<sse_frame_seen> frames_in(std::string_view body)
{
    std::vector<sse_frame_seen> frames;
    weft::sse_parser parser;
    parser.feed(body);
    while (const weft::sse_event* const event = parser.next())
        frames.push_back({std::string{event->type}, weft::parse_json(event->data)});
    return frames;
}

/** The last message of an assistant in values. */
std::string last_said(const value& values)
{
    const object* const all = values.if_object();
    const value* const list = all ? all->if_contains("messages") : nullptr;
    if (!list || list->get_array().empty()) return {};
    const value& last = list->get_array().back();
    return last.at("type") == "ai" ? std::string{last.at("content").as_string()} : std::string{};
}

class langgraph_client final : public protocol_client {
public:
    std::string_view name() const noexcept override { return "LangGraph v1"; }
    weft::http_request begin(protocol_stage& at, const std::string& thread, const std::string& assistant) const override
    {
        const array messages{object{{"type", "human"}, {"content", words}}};
        const object body{{"assistant_id", assistant},
                          {"if_not_exists", "create"},
                          {"input", object{{"messages", messages}}}};
        return at.request_to("POST", "/threads/" + thread + "/runs", boost::json::serialize(body));
    }
    weft::http_request follow(protocol_stage& at, const std::string& thread, const std::string&) const override
    {
        return at.request_to("GET", "/threads/" + thread + "/runs/" + at.run_of(thread) + "/stream?stream_mode=values");
    }
    weft::http_request answer_yes(protocol_stage& at, const std::string& thread, const std::string& assistant,
                                  const std::string& question) const override
    {
        const object body{{"assistant_id", assistant}, {"command", object{{"resume", object{{question, true}}}}}};
        return at.request_to("POST", "/threads/" + thread + "/runs/wait", boost::json::serialize(body));
    }
    bool cancel(protocol_stage& at, const std::string& thread) const override
    {
        return at.send("POST", "/threads/" + thread + "/runs/" + at.run_of(thread) + "/cancel", "{}").status == 202;
    }
    heard read(protocol_stage& at, const std::string& thread, const answer& got) const override
    {
        heard result;
        for (const sse_frame_seen& frame : frames_in(got.body)) {
            if (frame.event != "values") continue;
            const value* const asked = frame.data.as_object().if_contains("__interrupt__");
            result.question = asked ? std::string{asked->at(0).at("id").as_string()} : std::string{};
            if (!asked) result.said = last_said(frame.data);
        }
        const value run = at.send("GET", "/threads/" + thread + "/runs/" + at.run_of(thread)).json();
        result.is_cancelled = run.at("status") == "interrupted" && result.question.empty();
        return result;
    }
    bool refuses(const answer& got) const override
    {
        return got.status == 422 && got.json().as_object().contains("code");
    }
};

class thread_protocol_client final : public protocol_client {
public:
    std::string_view name() const noexcept override { return "LangGraph v2"; }
    weft::http_request begin(protocol_stage& at, const std::string& thread, const std::string& assistant) const override
    {
        const array messages{object{{"type", "human"}, {"content", words}}};
        const object input{{"messages", messages}};
        return command(at, thread, "run.start", {{"assistant_id", assistant}, {"input", input}});
    }
    weft::http_request follow(protocol_stage& at, const std::string& thread, const std::string&) const override
    {
        return at.request_to("POST", "/threads/" + thread + "/stream/events",
                             R"({"channels":["lifecycle","input","values"],"namespaces":[[]]})");
    }
    weft::http_request answer_yes(protocol_stage& at, const std::string& thread, const std::string&,
                                  const std::string& question) const override
    {
        return command(at, thread, "input.respond", {{"interrupt_id", question}, {"response", true}});
    }
    bool is_whole(std::string_view body) const override
    {
        bool is_over = false;
        for (const sse_frame_seen& frame : frames_in(body)) {
            if (frame.event != "lifecycle") continue;
            is_over = frame.data.at("params").at("data").at("event") != "running";
        }
        return is_over;
    }
    heard read(protocol_stage&, const std::string&, const answer& got) const override
    {
        heard result;
        bool is_interrupted = false;
        for (const sse_frame_seen& frame : frames_in(got.body)) {
            const value& data = frame.data.at("params").at("data");
            if (frame.event == "values") result.said = last_said(data);
            if (frame.event == "input.requested") result.question = std::string{data.at("interrupt_id").as_string()};
            if (frame.event == "input.answered") result.question.clear();
            if (frame.event == "lifecycle") is_interrupted = data.at("event") == "interrupted";
        }
        result.is_cancelled = is_interrupted && result.question.empty();
        return result;
    }
    bool refuses(const answer& got) const override
    {
        return got.json().at("type") == "error" && got.json().at("error") == "no_such_interrupt";
    }

private:
    static weft::http_request command(protocol_stage& at, const std::string& thread, const char* method, object params)
    {
        const object body{{"id", 1}, {"method", method}, {"params", std::move(params)}};
        return at.request_to("POST", "/threads/" + thread + "/commands", boost::json::serialize(body));
    }
};

class agent_protocol_client final : public protocol_client {
public:
    std::string_view name() const noexcept override { return "AG-UI"; }
    weft::http_request begin(protocol_stage& at, const std::string& thread, const std::string& assistant) const override
    {
        const array messages{object{{"id", "u-" + thread}, {"role", "user"}, {"content", words}}};
        return run(at, thread, assistant, {{"messages", messages}});
    }
    weft::http_request follow(protocol_stage& at, const std::string& thread,
                              const std::string& assistant) const override
    {
        return run(at, thread, assistant, {{"messages", array{}}});
    }
    weft::http_request answer_yes(protocol_stage& at, const std::string& thread, const std::string& assistant,
                                  const std::string& question) const override
    {
        const object entry{{"interruptId", question}, {"status", "resolved"}, {"payload", true}};
        return run(at, thread, assistant, {{"messages", array{}}, {"resume", array{entry}}});
    }
    heard read(protocol_stage&, const std::string&, const answer& got) const override
    {
        heard result;
        agent_client_view view;
        const std::vector<object> events = agent_events_in(got.body);
        BOOST_TEST(disorder_in(events) == "");
        view.take(events);
        for (const value& one : view.messages)
            if (one.at("role") == "assistant") result.said = std::string{one.at("content").as_string()};
        const value* const outcome = events.back().if_contains("outcome");
        if (!outcome) return result;
        result.is_cancelled = outcome->at("type") == "cancelled";
        if (outcome->at("type") != "interrupt") return result;
        result.question = std::string{outcome->at("interrupts").at(0).at("id").as_string()};
        result.said.clear();
        return result;
    }
    bool refuses(const answer& got) const override
    {
        const std::vector<object> events = agent_events_in(got.body);
        return events.back().at("type") == "RUN_ERROR" && events.back().at("code") == "stale_interrupt";
    }

private:
    weft::http_request run(protocol_stage& at, const std::string& thread, const std::string& assistant,
                           object more) const
    {
        object body{{"threadId", thread}, {"runId", "r" + std::to_string(++runs_)}, {"protocolVersion", "1.0"}};
        for (auto& [name, member] : more) body[name] = std::move(member);
        return at.request_to("POST", "/ag-ui/" + assistant, boost::json::serialize(body));
    }

    mutable int runs_ = 0;
};

}  // namespace

bool protocol_client::cancel(protocol_stage&, const std::string&) const { return false; }

namespace {

/** Responses of OpenAI, in a conversation that is the thread. */
class responses_client final : public protocol_client {
public:
    std::string_view name() const noexcept override { return "OpenAI Responses"; }
    weft::http_request begin(protocol_stage& at, const std::string& thread, const std::string& assistant) const override
    {
        (void)at.send("POST", "/threads", boost::json::serialize(object{{"thread_id", thread}}));
        return respond(at, {{"model", assistant}, {"conversation", thread}, {"input", words}, {"stream", true}});
    }
    weft::http_request follow(protocol_stage& at, const std::string& thread, const std::string&) const override
    {
        return at.request_to("GET", response_of(at, thread) + "?stream=true");
    }
    weft::http_request answer_yes(protocol_stage& at, const std::string& thread, const std::string& assistant,
                                  const std::string& question) const override
    {
        const std::string call = call_of(at, thread, question);
        const object output{{"type", "function_call_output"}, {"call_id", call}, {"output", "true"}};
        return respond(at, {{"model", assistant}, {"conversation", thread}, {"input", array{output}}});
    }
    bool cancel(protocol_stage& at, const std::string& thread) const override
    {
        return at.send("POST", response_of(at, thread) + "/cancel", "{}").status == 200;
    }
    heard read(protocol_stage& at, const std::string& thread, const answer& got) const override
    {
        heard result;
        const std::vector<sse_frame_seen> frames = frames_in(got.body);
        const value& last = frames.back().data.at("response");
        result.is_cancelled = last.at("status") == "cancelled";
        for (const value& item : last.at("output").as_array()) {
            if (item.at("type") != "message") result.question = address_of(at, thread, item);
            else result.said = std::string{item.at("content").at(0).at("text").as_string()};
        }
        return result;
    }
    bool refuses(const answer& got) const override
    {
        return got.status == 400 && got.json().at("error").at("code") == "tool_call_not_found";
    }

private:
    static weft::http_request respond(protocol_stage& at, const object& body)
    {
        return at.request_to("POST", "/v1/responses", boost::json::serialize(body));
    }
    static std::string response_of(protocol_stage& at, const std::string& thread)
    {
        const auto run = weft::run_id::parse(at.run_of(thread));
        return "/v1/responses/" + weft::serve_detail::response_id{*run, 0}.text();
    }
    static std::string call_of(protocol_stage& at, const std::string& thread, const std::string& question)
    {
        return weft::serve_detail::question_call_id(*weft::run_id::parse(at.run_of(thread)), question);
    }
    /** The question of a call, by the name that the other protocols have for it. */
    static std::string address_of(protocol_stage& at, const std::string& thread, const value& call)
    {
        const value shown = at.send("GET", "/threads/" + thread).json();
        for (const auto& [address, asked] : shown.at("interrupts").as_object())
            if (call.at("call_id") == value(call_of(at, thread, address))) return address;
        return {};
    }
};

}  // namespace

std::vector<std::unique_ptr<protocol_client>> all_protocol_clients()
{
    std::vector<std::unique_ptr<protocol_client>> all;
    all.push_back(std::make_unique<langgraph_client>());
    all.push_back(std::make_unique<thread_protocol_client>());
    all.push_back(std::make_unique<agent_protocol_client>());
    all.push_back(std::make_unique<responses_client>());
    add_more_protocol_clients(all);
    add_mcp_protocol_clients(all);
    return all;
}

namespace {

/** Runs outlive the clients of each protocol; see graph_tool_server_test for what MCP has as its default. */
weft::server_options options_of_stage()
{
    weft::server_options options;
    options.mcp_disconnect = weft::mcp_on_disconnect::forsake;
    return options;
}

}  // namespace

protocol_stage::protocol_stage()
    : server{loop, store, {talking_graph(), asking_graph_of_all(), held_graph_of_all(gate)}, options_of_stage()}
{
}

weft::http_request protocol_stage::request_to(std::string_view method, std::string_view target, std::string body)
{
    weft::http_request request = server.request_to(std::string{method}, target);
    if (!body.empty()) request.body(std::move(body), "application/json");
    return request;
}

answer protocol_stage::send(std::string_view method, std::string_view target, std::string body)
{
    return server.send(request_to(method, target, std::move(body)));
}

std::string protocol_stage::run_of(const std::string& thread)
{
    for (int i = 0; i < 1000; ++i) {
        const answer runs = send("GET", "/threads/" + thread + "/runs");
        if (runs.status != 200 || runs.json().as_array().empty()) continue;
        BOOST_TEST(runs.json().as_array().size() == 1U, "one run, and no further one: " << runs.body);
        return std::string{runs.json().at(0).at("run_id").as_string()};
    }
    BOOST_FAIL("the run never came");
    return {};
}

weft::task<answer> fetch_for(weft::http_client client, weft::http_request request, const protocol_client* reader)
{
    weft::http_response response = co_await client.send(std::move(request));
    answer got;
    got.status = response.status();
    got.headers = response.head().headers;
    for (;;) {
        const std::string_view bytes = co_await response.read_some();
        if (bytes.empty()) break;
        got.body.append(bytes);
        if (reader && reader->is_whole(got.body)) break;
    }
    co_return got;
}
