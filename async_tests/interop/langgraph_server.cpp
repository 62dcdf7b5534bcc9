// The server that LangGraph's clients talk to in the tests interop.langgraph_*: graphs that echo, talk, ask, fail,
// wait, and one that chats as assistants do.
// usage: langgraph_server <port> [<loops> [tools]]
//   tools: with one that calls tools, of the server and of its client

#include "serve/ag_ui/tool_talk.hpp"
#include "serve/server/client_tool_graph.hpp"

#include "interop_server.hpp"

#include <weft/async/sleep.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>

#include <boost/json/parse.hpp>

#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using weft::graph;
using weft::graph_builder;
using weft::node_context;

inline constexpr weft::state_key<std::string> input{"input"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> steps{"steps"};
inline constexpr weft::state_key<std::vector<weft::message>, weft::append> messages{"messages"};
inline constexpr weft::state_key<int> delay_ms{"delay_ms"};
inline constexpr weft::state_key<std::string> decision{"decision"};

graph echo_graph()
{
    return graph_builder{"echo"}
        .describe("Says what it is given, in two steps")
        .state(input, steps)
        .node("first", [](node_context& ctx) { ctx.set(steps, "first " + ctx.get(input)); })
        .node("second", [](node_context& ctx) { ctx.set(steps, "second"); })
        .edge(weft::start, "first")
        .edge("first", "second")
        .build();
}

weft::task<void> talk(node_context& ctx)
{
    const std::string heard = ctx.get(messages).back().text();
    for (const std::string& word : {std::string{"You "}, std::string{"said: "}, heard}) {
        ctx.emit("output", word);
        // Slow enough for the SDK in JavaScript: over event streams it gives up the messages of a run that ends before
        // it has asked for them.
        co_await weft::sleep_for(40ms);
    }
    ctx.emit("progress", R"({"done":true})");
    ctx.set(messages, weft::message::assistant("You said: " + heard));
}

graph chat_graph()
{
    return graph_builder{"chat"}.state(messages).node("talk", talk).edge(weft::start, "talk").build();
}

weft::task<void> ask(node_context& ctx)
{
    weft::question question = weft::question::approval("Send " + ctx.get(input) + "?");
    const bool answer = co_await ctx.ask<bool>(std::move(question));
    ctx.set(decision, answer ? "sent" : "dropped");
}

graph approval_graph()
{
    return graph_builder{"approval"}.state(input, decision).node("review", ask).edge(weft::start, "review").build();
}

graph failing_graph()
{
    return graph_builder{"failing"}
        .state(input)
        .node("break", [](node_context&) { throw std::runtime_error{"it broke"}; }, {.retry = {.attempts_max = 1}})
        .edge(weft::start, "break")
        .build();
}

weft::task<void> wait(node_context& ctx)
{
    co_await weft::sleep_for(std::chrono::milliseconds{ctx.get(delay_ms)});
    ctx.set(steps, "waited");
}

graph slow_graph()
{
    return graph_builder{"slow"}.state(delay_ms, steps).node("wait", wait).edge(weft::start, "wait").build();
}

std::string counted(int count)
{
    std::string result;
    for (int i = 1; i <= count; ++i) result.append(std::to_string(i)).append(" ");
    return result;
}

/** Asks as agents do that LangChain's agent inbox shows. */
weft::task<std::string> review_mail(node_context& ctx)
{
    weft::question question = weft::question::structured("Send it?", {{"type", "object"}});
    question.about = boost::json::parse(R"({"action_requests": [{"name": "send_mail", "args": {"to": "ada"}}],
        "review_configs": [{"action_name": "send_mail", "allowed_decisions": ["approve", "reject"]}]})");
    const boost::json::value answer = co_await ctx.interrupt(std::move(question));
    const bool is_sent = answer.at("decisions").at(0).at("type") == "approve";
    co_return is_sent ? "It is sent" : "It is dropped";
}

/** Counts if it hears "count N", asks if it hears "ask" or "review", else says what it heard. */
weft::task<void> answer_chat(node_context& ctx)
{
    const std::string heard = ctx.get(messages).back().text();
    std::string said = "You said: " + heard;
    if (heard.starts_with("count ")) said = counted(std::stoi(heard.substr(6)));
    if (heard.starts_with("ask")) {
        weft::question question = weft::question::approval("Shall I?");
        const bool answer = co_await ctx.ask<bool>(std::move(question));
        said = answer ? "You say yes" : "You say no";
    }
    if (heard.starts_with("review")) said = co_await review_mail(ctx);
    // Words are written like people read them: a browser shows each of them.
    for (std::size_t begin = 0; begin < said.size();) {
        const std::size_t end = std::min(said.find(' ', begin), said.size() - 1) + 1;
        ctx.emit("output", said.substr(begin, end - begin));
        begin = end;
        co_await weft::sleep_for(40ms);
    }
    ctx.set(messages, weft::message::assistant(said));
}

graph assistant_graph()
{
    return graph_builder{"assistant"}.state(messages).node("answer", answer_chat).edge(weft::start, "answer").build();
}

}  // namespace

int main(int count, char** arguments)
{
    std::vector<weft::served_graph> graphs{echo_graph(),    chat_graph(), approval_graph(),
                                           failing_graph(), slow_graph(), assistant_graph()};
    if (count > 3) {
        graphs.emplace_back(tool_talk::graph());
        graphs.emplace_back(client_tool_graph::helper());
    }
    return serve_until_stopped(count, arguments, std::move(graphs));
}
