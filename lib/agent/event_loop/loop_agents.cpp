#include "loop_steps.hpp"

#include "agent/text/key_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft::agent_detail {

namespace {

std::int64_t now_in_milliseconds(const node_context& node)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(node.loop().now().time_since_epoch()).count();
}

/** What a sub-agent begins with: its task, and a snapshot of what the loop knows. */
state_update task_of_agent(const loop_definition& own, const node_context& outer)
{
    const loop_delegation& given = outer.get(loop_assignment);
    const loop_brief& parent = outer.get(loop_start);
    loop_brief brief;
    brief.node = given.agent;
    brief.visit = outer.visit();
    brief.inputs = parent.inputs;
    for (const auto& [key, value] : outer.get(loop_state).outputs) {
        const std::string name{key};
        const auto same = [&](const named_text& one) { return one.name == name; };
        // An output that the loop has set stands for the input of the same name: it is newer.
        std::erase_if(brief.inputs, same);
        brief.inputs.push_back({name, readable_text(value)});
    }
    brief.focus = own.system().fill(outer).text;
    brief.opening = "Task:\n" + given.task;
    if (!brief.inputs.empty()) brief.opening += "\n\nWhat is known (you cannot change it):\n" + lines_of(brief.inputs);
    note_time(brief, outer);
    state_update first;
    first.set(loop_start, std::move(brief));
    return first;
}

/** Puts a result of a sub-agent into the conversation of the loop, as that of the call. */
void give_result(loop_visit& visit, const boost::json::object& result, bool is_error)
{
    tool_result made = tool_result::text(to_json_text(result, json_spacing::written));
    made.is_error = is_error;
    shorten_result(made, visit.loop.limits().result_chars_max, visit.loop.options().spill.get());
    visit.say(message_of_result(visit.node.get(loop_assignment).call_id, made), message_author::tool);
}

boost::json::object result_object(std::string message, boost::json::object data, boost::json::array reports,
                                  boost::json::object metadata)
{
    return {{"message", std::move(message)},
            {"data", std::move(data)},
            {"reports", std::move(reports)},
            {"metadata", std::move(metadata)}};
}

command take_agent_result(const loop_definition& parent, const state& inner, node_context& outer)
{
    const event_loop_memory& memory = inner.get(loop_state);
    const std::string& agent = outer.get(loop_assignment).agent;
    const bool is_done = memory.outcome == loop_outcome::accepted;
    std::string text = is_done ? memory.turn.reply : "The sub-agent failed: " + memory.why;
    if (text.empty()) text = "Sub-agent '" + agent + "' has done its task.";
    boost::json::array reports;
    for (const loop_report& report : memory.reports)
        reports.push_back(boost::json::object{{"message", report.message}, {"data", report.data}});
    const std::int64_t elapsed = now_in_milliseconds(outer) - inner.get(loop_start).began;
    boost::json::object metadata{{"agent_id", agent},
                                 {"success", is_done},
                                 {"tokens_used", memory.used.count()},
                                 {"latency_ms", std::max<std::int64_t>(elapsed, 0)},
                                 {"report_count", memory.reports.size()}};
    loop_visit visit{parent, outer};
    give_result(visit, result_object(std::move(text), memory.outputs, std::move(reports), std::move(metadata)),
                !is_done);
    return command::next();
}

}  // namespace

std::string agent_node_name(std::string_view agent) { return "agent_" + std::string{agent}; }

subgraph make_agent_node(const loop_ptr& parent, const sub_agent& agent)
{
    event_loop_options how = agent.how;
    how.settings.faces_client = false;
    how.settings.conversation.clear();
    how.settings.hand_offs.clear();
    how.settings.mode = conversation_mode::isolated;
    how.mailbox = nullptr;
    // It reports to the loop. Only a report that waits for a response reaches a person.
    how.whom = parent->options().whom;
    const loop_place where{.is_sub_agent = true};
    const auto own = std::make_shared<const loop_definition>(parent->source(), std::move(how), where);
    subgraph::input_function first = [own](const node_context& outer) { return task_of_agent(*own, outer); };
    subgraph::output_function last = [parent](const state& inner, node_context& outer) {
        return take_agent_result(*parent, inner, outer);
    };
    return subgraph{.graph = make_loop_graph(own),
                    .shares_keys = false,
                    .make_inputs = std::move(first),
                    .take_outputs = std::move(last),
                    .steps_max = 0};
}

command note_failed_agent(loop_visit& visit)
{
    node_context& node = visit.node;
    // A guardrail that trips ends the whole node. Any other failure of a sub-agent is a result for the model.
    refuse_trip(node);
    const std::string agent = node.get(loop_assignment).agent;
    std::string why = node.previous_failure() ? node.previous_failure()->message : std::string{"unknown"};
    give_result(visit,
                result_object("The sub-agent failed: " + why, {}, {},
                              {{"agent_id", agent}, {"success", false}, {"report_count", 0}}),
                true);
    return command::next();
}

}  // namespace weft::agent_detail
