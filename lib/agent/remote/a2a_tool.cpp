#include "a2a_exchange.hpp"
#include "remote_agent.hpp"

#include <weft/agent/remote/a2a_node.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft {

namespace {

using agent_detail::a2a_agent;
using agent_detail::a2a_exchange;
using agent_detail::a2a_outgoing;
using boost::json::array;
using boost::json::object;
using boost::json::value;

std::string argument(const object& from, std::string_view name)
{
    const value* const found = from.if_contains(name);
    return found && found->is_string() ? std::string{found->get_string()} : std::string{};
}

class remote_agent final : public agent_detail::remote_agent_tool {
public:
    explicit remote_agent(a2a_tool_options options)
        : remote_agent_tool{"a2a_tool",
                            std::move(options.name),
                            std::move(options.description),
                            {{"task", "The task that has asked; leave it out for a new one."},
                             {"context", "The conversation to go on with; leave it out for a new one."}}},
          agent_{std::make_shared<const a2a_agent>(
              std::move(options.agent),
              std::make_shared<const agent_detail::http_program>(std::move(options.program)))}
    {
    }

    [[nodiscard]] task<tool_result> call(tool_invocation invocation) override
    {
        return ask(agent_, std::move(invocation));
    }

private:
    static task<tool_result> ask(std::shared_ptr<const a2a_agent> agent, tool_invocation invocation)
    {
        a2a_outgoing words;
        const tool_context& around = invocation.context;
        words.id = key_of(invocation);
        words.parts.push_back(object{{"text", argument(invocation.arguments, "message")}});
        words.task = argument(invocation.arguments, "task");
        words.context = argument(invocation.arguments, "context");
        words.skill = agent->settings.skill;
        // Its pieces are no words of the model that calls it.
        const auto tell = [&around](std::string_view kind, std::string_view text) {
            if (kind != "retract") around.emit(text);
        };
        a2a_exchange exchange{agent, place_of(invocation), around.node ? around.node->trace() : nullptr, tell};
        const object left = co_await exchange.perform(std::move(words));
        if (argument(left, "state") == "input-required") {
            object asked{{"asks", left.at("said")}, {"task", left.at("task")}, {"context", left.at("context")}};
            if (const value* const questions = left.if_contains("questions")) asked["questions"] = *questions;
            co_return tool_result::json(std::move(asked));
        }
        const value& output = left.at("output");
        if (output.is_string()) co_return tool_result::text(std::string{output.get_string()});
        co_return tool_result::json(output);
    }

    std::shared_ptr<const a2a_agent> agent_;
};

}  // namespace

std::shared_ptr<tool> a2a_tool(a2a_tool_options options) { return std::make_shared<remote_agent>(std::move(options)); }

}  // namespace weft
