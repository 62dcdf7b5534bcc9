#pragma once

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/tool/tool_node.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <utility>

/** An agent without a model: it calls a tool of the server if it hears "add", one of the client if it hears "where",
 *  both if it hears both; then it says what the tools have said. Its first reply to "again" is void. */
namespace tool_talk {

inline constexpr weft::state_key<weft::list<weft::message>, weft::append> conversation{"messages"};

inline weft::tool_call call_of(std::string id, std::string name, std::string arguments)
{
    weft::tool_call call;
    call.id = std::move(id);
    call.name = std::move(name);
    call.arguments = std::move(arguments);
    return call;
}

inline weft::command think(weft::node_context& ctx)
{
    const weft::list<weft::message> all = ctx.get(conversation);
    const weft::message& last = all[all.size() - 1];
    const std::string suffix = std::to_string(all.size());
    const std::string heard = last.text();
    if (last.role == weft::role::user) {
        if (heard.find("again") != std::string::npos) {
            ctx.emit("output", "This is wrong");
            ctx.emit("retract", "");
        }
        ctx.emit("output", "One moment");
        weft::message said = weft::message::assistant("One moment");
        if (heard.find("add") != std::string::npos)
            said.tool_calls.push_back(call_of("add-" + suffix, "add", R"({"a":2,"b":3})"));
        if (heard.find("where") != std::string::npos)
            said.tool_calls.push_back(call_of("where-" + suffix, "locate", R"({"exact":true})"));
        const bool calls = !said.tool_calls.empty();
        ctx.set(conversation, std::move(said));
        return calls ? weft::command::go_to("tools") : weft::command::end();
    }
    std::string results;
    for (std::size_t i = all.size(); i-- > 0 && all[i].role == weft::role::tool;)
        results = all[i].text() + (results.empty() ? "" : " and ") + results;
    ctx.emit("output", "It is ");
    ctx.emit("output", results);
    ctx.set(conversation, weft::message::assistant("It is " + results));
    return weft::command::end();
}

inline weft::graph graph()
{
    weft::tool_set tools;
    const boost::json::object any{{"type", "object"}};
    tools.add("add", "Adds.", any, [](boost::json::object numbers) {
        return std::to_string(numbers.at("a").to_number<int>() + numbers.at("b").to_number<int>());
    });
    tools.add_remote("locate", "Where the user is.", any);
    return weft::graph_builder{"tools"}
        .state(conversation)
        .node("think", think, {.goes_to = {"tools"}})
        .node("tools", weft::tool_node{tools, {.remote = "posted"}}, {.goes_to = {"posted"}})
        .node("posted", weft::tool_node{tools, {.remote = "posted"}},
              {.goes_to = {"posted"}, .pauses = weft::pause_point::before})
        .edge(weft::start, "think")
        .edge("tools", "think")
        .edge("posted", "think")
        .build();
}

}  // namespace tool_talk
