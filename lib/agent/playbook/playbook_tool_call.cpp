#include "playbook_tool_call.hpp"

#include "agent/core/tool_step.hpp"
#include "agent/node/watched.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/json/json_in_text.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/tool/call/tool_turn.hpp>

#include <boost/json/serialize.hpp>

#include <functional>
#include <utility>

namespace weft::agent_detail {

namespace {

tool_call call_of(const playbook_node& what, const node_context& node)
{
    const boost::json::value trigger = node.value_or(playbook_keys::trigger, {});
    tool_call wanted;
    wanted.id = what.id + "-" + std::to_string(node.visit());
    wanted.name = what.tool;
    wanted.arguments = boost::json::serialize(fill_playbook_json(what.arguments, {trigger, playbook_outputs(node)}));
    return wanted;
}

std::string repair_question(const playbook_node& what, const tool_call& wanted, const tool_entry& tool,
                            const std::string& fault)
{
    std::string text = "The step '" + what.name() + "' of the workflow calls the tool " + wanted.name +
                       " with arguments that do not fit.\n\n" + fault;
    text += "\n\nThe tool: " + tool.spec.description;
    text += "\nThe schema of its arguments: " + boost::json::serialize(tool.spec.parameters);
    text += "\nThe arguments: " + wanted.arguments;
    return text;
}

/** Has the arguments written anew. What is no JSON object leaves them as they are. */
task<tool_call> repaired(const compiled_playbook& own, const playbook_node& what, tool_call wanted, std::string fault,
                         node_context& node)
{
    const tool_entry& tool = *own.runner->tools().find(wanted.name);
    node.emit(agent_event::warning, "the model mends a call: " + fault);
    std::string question = repair_question(what, wanted, tool, fault) + "\n\n" + playbook_progress(node) +
                           "\n\nAnswer with arguments that fit, as one JSON object, and with nothing else.";
    chat_request request = playbook_request(own, node, std::move(question));
    request.output.emplace().name = "arguments";
    const std::string reply =
        co_await ask_playbook_model(own, std::move(request), node, playbook_question::choice);
    const auto any = [](const boost::json::object&) { return true; };
    if (const auto found = find_json_object(reply, any)) wanted.arguments = boost::json::serialize(*found);
    co_return wanted;
}

/** The call with arguments that fit, or with the last that were tried. */
task<tool_call> sound_call(const compiled_playbook& own, const playbook_node& what, node_context& node)
{
    tool_call wanted = call_of(what, node);
    const tool_entry* const tool = own.runner->tools().find(wanted.name);
    // Arguments come from templates, and what nodes left need not fit the schema: a model mends them before the call,
    // since a failed call may have had an effect.
    for (std::uint32_t repairs = 0; tool && own.model && repairs < own.options.repairs_max; ++repairs) {
        std::string fault = read_tool_arguments{wanted, *tool}.fault;
        if (fault.empty()) break;
        tool_call mended = co_await repaired(own, what, wanted, std::move(fault), node);
        wanted = std::move(mended);
    }
    co_return wanted;
}

}  // namespace

task<command> call_playbook_tool(const compiled_playbook& own, const playbook_node& what, node_context& node)
{
    tool_call wanted = co_await sound_call(own, what, node);
    std::vector<tool_call> calls;
    calls.push_back(std::move(wanted));
    const auto activity = std::make_shared<activity_flag>();
    task<std::vector<message>> work = tool_step_messages(*own.runner, std::move(calls), node, activity);
    std::function<void(std::uint32_t)> on_bump = [&node](std::uint32_t bump) {
        node.emit(agent_event::warning, "the tool is silent (" + std::to_string(bump) + ")");
    };
    const std::vector<message> answers =
        co_await watched(std::move(work), activity, own.options.watch, "node '" + what.id + "'", std::move(on_bump));
    const std::string text = answers.front().text();
    if (answers.front().is_error) co_return command::fail("the tool '" + what.tool + "' failed: " + text);
    keep_playbook_output(node, what, boost::json::string_view{text});
    co_return command::next();
}

}  // namespace weft::agent_detail
