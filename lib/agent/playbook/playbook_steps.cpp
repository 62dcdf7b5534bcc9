#include "playbook_steps.hpp"

#include "agent/core/model_call.hpp"
#include "agent/guard/guard_checks.hpp"
#include "agent/text/key_text.hpp"
#include "playbook_choice.hpp"
#include "playbook_tool_call.hpp"

#include <weft/agent/conversation/conversation_view.hpp>
#include <weft/agent/core/agent_event.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft::agent_detail {

namespace {

std::int64_t wall_milliseconds(const node_context& node)
{
    const auto now = node.loop().clock().system_now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

task<command> answer_playbook_prompt(const compiled_playbook& own, const playbook_node& what, node_context& node)
{
    std::string question = fill_in_node(node, what.prompt);
    const std::string answer = co_await ask_playbook_model(own, std::move(question), node, playbook_question::work);
    keep_playbook_output(node, what, boost::json::string_view{answer});
    co_return command::next();
}

/** Waits until a moment that is written down, so that a wait that is begun again is no longer for that. */
task<command> wait_in_playbook(const playbook_node& what, node_context& node)
{
    const std::int64_t span = what.span().value_or(std::chrono::milliseconds{0}).count();
    const auto choose_end = [&node, span]() -> std::int64_t { return wall_milliseconds(node) + span; };
    const std::int64_t until = co_await node.once("until", choose_end);
    const std::int64_t left = std::clamp(until - wall_milliseconds(node), std::int64_t{0}, span);
    if (left > 0) co_await sleep_for(std::chrono::milliseconds{left});
    keep_playbook_output(node, what, what.amount);
    co_return command::next();
}

task<command> ask_playbook_human(const playbook_node& what, node_context& node)
{
    question asked{fill_in_node(node, what.prompt)};
    boost::json::value said = co_await node.interrupt(std::move(asked));
    keep_playbook_output(node, what, std::move(said));
    co_return command::next();
}

command tell_in_playbook(const playbook_node& what, node_context& node, agent_event_name kind)
{
    const std::string text = fill_in_node(node, what.prompt);
    node.emit(kind, text);
    keep_playbook_output(node, what, boost::json::string_view{text});
    if (kind == agent_event::response) node.set(playbook_keys::response, text);
    return command::next();
}

command transfer_from_playbook(const playbook_node& what, node_context& node)
{
    playbook_transfer to;
    to.workflow = what.workflow;
    to.payload = fill_in_node(node, what.prompt);
    keep_playbook_output(node, what, boost::json::string_view{to.workflow});
    node.set(playbook_keys::transfer, std::move(to));
    return command::end();
}

/** Tells what the branches left and which of them failed. */
command merge_in_playbook(const compiled_playbook& own, const playbook_node& what, node_context& node)
{
    boost::json::object results =
        playbook_results_before(own, what.id, node, [](const std::string&) { return true; });
    boost::json::array failed;
    for (const branch_result& branch : node.branches()) {
        if (!branch.error) continue;
        failed.push_back(boost::json::string_view{branch.error->message});
        node.emit(agent_event::warning, "a branch failed: " + branch.error->message);
    }
    if (!failed.empty()) results["failed"] = std::move(failed);
    keep_playbook_output(node, what, std::move(results));
    return command::next();
}

/** The nodes that do not wait. */
command do_at_once(const compiled_playbook& own, const playbook_node& what, node_context& node)
{
    using enum playbook_subtype;
    switch (playbook_subtype_named(what.subtype).value_or(parallel)) {
    case trigger: keep_playbook_output(node, what, node.value_or(playbook_keys::trigger, {})); break;
    case response: return tell_in_playbook(what, node, agent_event::response);
    case desktop_notification: return tell_in_playbook(what, node, agent_event::notification);
    case merge: return merge_in_playbook(own, what, node);
    case transfer: return transfer_from_playbook(what, node);
    default: break;
    }
    return command::next();
}

}  // namespace

const boost::json::object& playbook_outputs(const node_context& node)
{
    static const boost::json::object none;
    const boost::json::object* const outputs = node.find(playbook_keys::outputs);
    return outputs ? *outputs : none;
}

std::string fill_in_node(const node_context& node, std::string_view text)
{
    const boost::json::value* const trigger = node.find(playbook_keys::trigger);
    const boost::json::value nothing;
    return fill_playbook_text(text, {trigger ? *trigger : nothing, playbook_outputs(node)});
}

void keep_playbook_output(node_context& node, const playbook_node& of, boost::json::value result,
                          const std::string& thread)
{
    boost::json::object record;
    record["nodeId"] = of.id;
    record["label"] = of.name();
    record["subtype"] = of.subtype;
    record["result"] = std::move(result);
    if (!thread.empty()) record["threadId"] = thread;
    record["completedAt"] = wall_milliseconds(node);
    boost::json::object update;
    update[of.name()] = std::move(record);
    node.set(playbook_keys::outputs, std::move(update));
}

std::string playbook_progress(const node_context& node)
{
    constexpr std::size_t value_bytes_max = 2'000;
    constexpr std::size_t whole_bytes_max = 16'000;
    const boost::json::object& outputs = playbook_outputs(node);
    std::string results;
    for (auto one = outputs.end(); one != outputs.begin() && results.size() < whole_bytes_max;) {
        --one;  // the newest have room first
        const boost::json::value* const result = one->value().as_object().if_contains("result");
        if (!result || result->is_null()) continue;
        std::string line = "\n- " + std::string{one->key()} + ": ";
        results.insert(0, line.append(shortened(readable_text(*result), value_bytes_max)));
    }
    const boost::json::value* const trigger = node.find(playbook_keys::trigger);
    std::string text = "The workflow was started with: ";
    text += trigger && !trigger->is_null() ? shortened(readable_text(*trigger), value_bytes_max) : "nothing";
    return results.empty() ? text : text + "\nWhat its steps have brought:" + results;
}

chat_request playbook_request(const compiled_playbook& own, const node_context& node, std::string question)
{
    constexpr const char* lead = "You lead a workflow. Answer with exactly what you are asked for.";
    chat_request request;
    if (const conversation* const history = node.find(playbook_keys::conversation)) {
        view_options view;
        view.system = std::string{lead} + " The workflow belongs to the conversation that follows.";
        view.budget = std::min(own.options.agent.budget, tokens{own.options.agent.context_max.count() / 10 * 7});
        view.has_tools = false;
        request.messages = view_of(*history, view).messages;
    } else {
        request.system(lead);
    }
    request.user(std::move(question));
    return request;
}

task<std::string> ask_playbook_model(const compiled_playbook& own, chat_request request, node_context& node,
                                     playbook_question what_for)
{
    model_call_options how;
    if (what_for != playbook_question::choice) how.guards = own.options.agent.guards.get();
    if (how.guards && what_for == playbook_question::work) how.input = request.messages.back().text();
    request.model = own.options.agent.sampling.model;
    request.temperature = 0;
    how.text_event = agent_event::delta;
    how.limit = own.options.watch.orchestrator_max;
    model_call asking{*own.model, std::move(request), node, how};
    const chat_reply& reply = co_await asking;
    co_return reply.message.text();
}

task<std::string> ask_playbook_model(const compiled_playbook& own, std::string question, node_context& node,
                                     playbook_question what_for)
{
    return ask_playbook_model(own, playbook_request(own, node, std::move(question)), node, what_for);
}

task<command> do_playbook_step(std::shared_ptr<const compiled_playbook> own, std::size_t index, node_context& node)
{
    refuse_trip(node);
    const playbook_node& what = own->of.nodes[index];
    task<command> work;
    if (what.calls_tool()) work = call_playbook_tool(*own, what, node);
    else if (what.is(playbook_subtype::condition)) work = decide_playbook_condition(*own, what, node);
    else if (what.is(playbook_subtype::router)) work = choose_playbook_route(*own, what, node);
    else if (what.is(playbook_subtype::orchestrator_prompt)) work = answer_playbook_prompt(*own, what, node);
    else if (what.is(playbook_subtype::wait)) work = wait_in_playbook(what, node);
    else if (what.is(playbook_subtype::user_input)) work = ask_playbook_human(what, node);
    if (!work) co_return do_at_once(*own, what, node);
    co_return co_await std::move(work);
}

subgraph playbook_inside(std::shared_ptr<const compiled_playbook> playbook, std::size_t index, graph inner)
{
    const auto first = [playbook, index](const node_context& outer) {
        refuse_trip(outer);
        state_update values;
        const std::string payload = fill_in_node(outer, playbook->of.nodes[index].prompt);
        values.set(playbook_keys::trigger, boost::json::value(boost::json::string_view{payload}));
        if (const conversation* const history = outer.find(playbook_keys::conversation))
            values.set(playbook_keys::conversation, *history);
        return values;
    };
    const auto last = [playbook, index](const state& left, node_context& outer) {
        const std::string* const said = left.find(playbook_keys::response);
        boost::json::value result;
        if (said) result = boost::json::string_view{*said};
        else if (const boost::json::object* const outputs = left.find(playbook_keys::outputs)) result = *outputs;
        keep_playbook_output(outer, playbook->of.nodes[index], std::move(result));
        const playbook_transfer* const to = left.find(playbook_keys::transfer);
        if (!to || to->workflow.empty()) return command::next();
        outer.set(playbook_keys::transfer, *to);  // what is around it ends as well
        return command::end();
    };
    return subgraph{.graph = std::move(inner),
                    .shares_keys = false,
                    .make_inputs = first,
                    .take_outputs = last,
                    .steps_max = playbook_steps_max};
}

}  // namespace weft::agent_detail
