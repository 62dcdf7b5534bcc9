#include "a2a_exchange.hpp"

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

object text_schema(std::string_view description) { return {{"type", "string"}, {"description", description}}; }

class remote_agent final : public tool {
public:
    explicit remote_agent(a2a_tool_options options)
        : name_{std::move(options.name)}, description_{std::move(options.description)},
          agent_{std::make_shared<const a2a_agent>(
              std::move(options.agent),
              std::make_shared<const agent_detail::http_program>(std::move(options.program)))}
    {
        if (name_.empty()) throw error{errc::invalid_configuration, "a2a_tool", "name: is empty"};
    }

    [[nodiscard]] tool_spec spec() const override
    {
        tool_spec spec;
        spec.name = name_;
        spec.description = description_;
        object properties;
        properties["message"] = text_schema("What the agent is asked, or the answer to what it has asked.");
        properties["task"] = text_schema("The task that has asked; leave it out for a new one.");
        properties["context"] = text_schema("The conversation to go on with; leave it out for a new one.");
        spec.parameters = {{"type", "object"}, {"properties", properties}, {"required", array{"message"}}};
        return spec;
    }
    [[nodiscard]] tool_traits traits() const override
    {
        tool_traits traits;
        traits.is_idempotent = true;  // by the id of the message
        return traits;
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
        words.id = around.idempotency_key.empty() ? invocation.call.id : around.idempotency_key;
        words.parts.push_back(object{{"text", argument(invocation.arguments, "message")}});
        words.task = argument(invocation.arguments, "task");
        words.context = argument(invocation.arguments, "context");
        words.skill = agent->settings.skill;
        // Its pieces are no words of the model that calls it.
        const auto tell = [&around](std::string_view kind, std::string_view text) {
            if (kind != "retract") around.emit(text);
        };
        a2a_exchange exchange{agent, "tool '" + around.tool + "'", around.node ? around.node->trace() : nullptr, tell};
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

    std::string name_;
    std::string description_;
    std::shared_ptr<const a2a_agent> agent_;
};

}  // namespace

std::shared_ptr<tool> a2a_tool(a2a_tool_options options) { return std::make_shared<remote_agent>(std::move(options)); }

}  // namespace weft
