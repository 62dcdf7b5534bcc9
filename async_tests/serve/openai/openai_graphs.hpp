#pragma once

#include <weft/agent/core/agent_event.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/serve/server_options.hpp>
#include <weft/tool/tool_node.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/json/array.hpp>

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/** Graphs that talk as models do, for clients of OpenAI's protocols: in unit tests and beside the official clients. */
namespace openai_graphs {

inline constexpr weft::state_key<weft::list<weft::message>, weft::append> messages{"messages"};
inline constexpr weft::state_key<boost::json::array> tools{"tools"};
inline constexpr weft::state_key<std::string> instructions{"instructions"};
inline constexpr weft::state_key<std::string> input{"input"};
inline constexpr weft::state_key<std::string> output{"output"};

inline weft::message call_of(std::string id, std::string name, std::string arguments)
{
    weft::message calling = weft::message::assistant("");
    calling.content.clear();
    calling.tool_calls.push_back({std::move(id), std::move(name), std::move(arguments)});
    return calling;
}

inline weft::task<void> say(weft::node_context& ctx, std::string text)
{
    for (std::size_t at = 0; at < text.size(); at += 6) ctx.emit("output", text.substr(at, 6));
    ctx.emit("usage", R"({"input":9,"output":3,"cached":2,"reasoning":1})");
    ctx.set(messages, weft::message::assistant(std::move(text)));
    co_return;
}

inline std::string counted(std::string_view last)
{
    int count = 0;
    std::from_chars(last.data(), last.data() + last.size(), count);
    std::string result;
    for (int i = 1; i <= count; ++i) result.append(std::to_string(i)).append(" ");
    return result;
}

/** Calls the client's function `get_weather` if it hears of the weather, counts if it hears `count N`, waits if it
 *  hears `wait N` milliseconds, fails if it hears `fail`, else says what it heard, and how many messages there are. */
inline weft::task<void> talk(weft::node_context& ctx)
{
    const weft::list<weft::message> all = ctx.get(messages);
    const weft::message& newest = all[all.size() - 1];
    const std::string last = newest.text();
    const boost::json::array* const given = ctx.find(tools);
    if (newest.role == weft::role::tool) {
        co_await say(ctx, "The tool says " + last);
    } else if (given && !given->empty() && last.find("weather") != last.npos) {
        ctx.set(messages, call_of("call_" + std::to_string(all.size()), "get_weather", R"({"location":"Paris"})"));
    } else if (last == "fail") {
        throw std::runtime_error{"it broke"};
    } else if (last.starts_with("count ")) {
        co_await say(ctx, counted(std::string_view{last}.substr(6)));
    } else if (last.starts_with("wait ")) {
        ctx.emit("output", "waiting ");
        int ms = 0;
        std::from_chars(last.data() + 5, last.data() + last.size(), ms);
        co_await weft::sleep_for(std::chrono::milliseconds{ms});
        ctx.emit("output", "is over");
        ctx.emit("usage", R"({"input":9,"output":3})");
        ctx.set(messages, weft::message::assistant("waiting is over"));
    } else {
        const std::string* const told = ctx.find(instructions);
        const std::string as = told && !told->empty() ? *told + ": " : std::string{};
        co_await say(ctx, as + "You said: " + last + " (" + std::to_string(all.size()) + ")");
    }
}

inline weft::graph chat()
{
    return weft::graph_builder{"chat"}
        .describe("Talks as a model does")
        .state(messages, tools, instructions)
        .node("talk", talk, {.retry = {.attempts_max = 1}})
        .edge(weft::start, "talk")
        .build();
}

inline weft::task<void> ask(weft::node_context& ctx)
{
    weft::question which = weft::question::selection("Which plan?", {"small", "large"});
    const std::string plan = co_await ctx.ask<std::string>(std::move(which));
    co_await say(ctx, "It is the " + plan + " one");
}

/** Asks which plan, and says it. */
inline weft::graph asking()
{
    return weft::graph_builder{"asking"}.state(messages).node("ask", ask).edge(weft::start, "ask").build();
}

/** Has no conversation: a text in, a text out. */
inline weft::graph plain()
{
    return weft::graph_builder{"plain"}
        .state(input, output)
        .node("work", [](weft::node_context& ctx) { ctx.set(output, "worked on " + ctx.get(input)); })
        .edge(weft::start, "work")
        .build();
}

/** Has a tool of its own that its client carries out: the run waits for the result. */
inline weft::graph remote()
{
    weft::tool_set set;
    set.add_remote("look_outside", "Looks out of the window", {{"type", "object"}});
    const weft::tool_node node{set, {.remote = "posted"}};
    return weft::graph_builder{"remote"}
        .state(messages)
        .node("plan", [](weft::node_context& ctx) { ctx.set(messages, call_of("call_7", "look_outside", "{}")); })
        .node("tools", node, {.goes_to = {"posted"}})
        .node("posted", node, {.goes_to = {"posted"}, .pauses = weft::pause_point::before})
        .node("tell", [](weft::node_context& ctx) -> weft::task<void> {
            const weft::list<weft::message> all = ctx.get(messages);
            return say(ctx, "Outside: " + all[all.size() - 1].text());
        })
        .edge(weft::start, "plan")
        .edge("plan", "tools")
        .edge("tools", "tell")
        .edge("posted", "tell")
        .build();
}

inline std::vector<weft::served_graph> all() { return {chat(), asking(), plain(), remote()}; }

}  // namespace openai_graphs
