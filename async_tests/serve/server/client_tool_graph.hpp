#pragma once

#include <weft/agent/react_agent.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/model/chat_model.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

/** An agent that offers its client's tools to its model. */
namespace client_tool_graph {

inline constexpr weft::state_key<weft::client_tools> tools{"client_tools"};

/** Calls all the tools that it is offered if a user speaks, with the place Paris; then it says what they have said. */
class calling_model final : public weft::chat_model {
public:
    [[nodiscard]] std::string_view label() const noexcept override { return "calling"; }

private:
    [[nodiscard]] weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink& sink) override
    {
        weft::chat_reply reply;
        const weft::message& last = request.messages.back();
        const bool may_call = request.tool_choice.how != weft::tool_choice::mode::none;
        if (last.role == weft::role::user && may_call && !request.tools.empty()) {
            reply.message = weft::message::assistant("");
            reply.message.content.clear();
            for (const weft::tool_spec& one : request.tools)
                reply.message.tool_calls.push_back(
                    {one.name + "_" + std::to_string(request.messages.size()), one.name, R"({"place":"Paris"})"});
            co_return reply;
        }
        std::string said;
        for (const weft::message& one : request.messages)
            if (one.role == weft::role::tool) said.append(said.empty() ? "" : ", ").append(one.text());
        said = said.empty() ? "You said " + last.text() : "I hear " + said;
        sink.on_text(said);
        reply.message = weft::message::assistant(said);
        co_return reply;
    }
};

inline weft::graph helper()
{
    weft::react_options options;
    options.name = "helper";
    options.settings.client_tools = true;
    options.keys = {weft::react_messages, weft::react_answer, tools};
    options.tools.add("height", "How high a place is.", {{"type", "object"}},
                      [](boost::json::object) { return std::string{"35 m"}; });
    const weft::react_agent agent{std::make_shared<calling_model>(), std::move(options)};
    return weft::graph_builder{"helper"}
        .state(weft::react_messages, weft::react_answer, tools)
        .node("help", agent.as_node())
        .edge(weft::start, "help")
        .build();
}

}  // namespace client_tool_graph
