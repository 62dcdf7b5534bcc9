#include "loop_tools.hpp"

#include "agent/prompt/answer_schema.hpp"
#include "agent/prompt/object_schema.hpp"
#include "agent/text/key_text.hpp"
#include "agent/text/names.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/base/text/joined_text.hpp>
#include <weft/base/utf8.hpp>
#include <weft/tool/call/tool_turn.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

using agent_detail::object_schema;
using agent_detail::one_of_schema;
using agent_detail::text_schema;

json::object options_schema()
{
    return {{"type", "array"}, {"items", json::object{{"type", "string"}}}, {"minItems", 2}, {"maxItems", 3},
            {"description", "Two or three proposals. Any other answer is possible too."}};
}

std::vector<std::string> names_of(const std::vector<named_text>& agents)
{
    std::vector<std::string> names;
    for (const named_text& agent : agents) names.push_back(agent.name);
    return names;
}

std::vector<std::string> names_of(const std::vector<event_loop_output>& outputs)
{
    std::vector<std::string> names;
    for (const event_loop_output& output : outputs) names.push_back(output.name);
    return names;
}

/** Whether the model must be told what the values of an output are; a text is a text. */
bool is_worth_telling(const event_loop_output& output)
{
    const json::value* const type = output.schema.if_contains("type");
    const bool is_any_text = type && *type == json::value("string") && !output.schema.contains("enum");
    return !output.schema.empty() && !is_any_text;
}

tool_spec set_output_spec(const std::vector<event_loop_output>& outputs)
{
    std::string keys = "The output.";
    for (const event_loop_output& output : outputs) {
        keys.append(" ").append(output.name);
        if (output.is_nullable) keys.append(" (optional)");
        if (!output.description.empty()) keys.append(": ").append(output.description);
        if (is_worth_telling(output))
            keys.append(output.description.empty() ? ": " : "; ").append(agent_detail::words_of_schema(output.schema));
        keys.append(keys.ends_with('.') ? "" : ".");
    }
    json::object value{{"description", "Its value: a text, or JSON that fits the output."}};
    return {"set_output",
            "Gives an output its value. Set each required output once you have it; setting it again replaces it.",
            object_schema({{"key", one_of_schema(names_of(outputs), keys)}, {"value", std::move(value)}},
                          {"key", "value"})};
}

tool_spec ask_user_spec()
{
    return {"ask_user",
            "Asks the person you work for, and waits for the answer, which is the next message. Ask only what you need "
            "to go on.",
            object_schema({{"question", text_schema("The question.")}, {"options", options_schema()}}, {"question"})};
}

tool_spec ask_user_multiple_spec()
{
    json::object question =
        object_schema({{"id", text_schema("A short name for the question.")},
                       {"prompt", text_schema("The question.")},
                       {"options", options_schema()}},
                      {"id", "prompt"});
    json::object questions{{"type", "array"}, {"items", std::move(question)}, {"minItems", 2}, {"maxItems", 8}};
    return {"ask_user_multiple", "Asks the person you work for two to eight questions at once.",
            object_schema({{"questions", std::move(questions)}}, {"questions"})};
}

tool_spec escalate_spec()
{
    return {"escalate",
            "Gives the task up, because somebody else must decide or help. Your work on it ends with this.",
            object_schema({{"reason", text_schema("Why you cannot go on.")},
                           {"context", text_schema("What whoever takes over must know.")}},
                          {"reason"})};
}

tool_spec delegate_spec(const std::vector<named_text>& agents)
{
    std::string who = "Who.";
    for (const named_text& agent : agents) who.append(" ").append(agent.name).append(": ").append(agent.text);
    return {"delegate_to_sub_agent",
            "Has a sub-agent do a task and gives you its result. It sees your inputs and outputs, not this "
            "conversation: the task says all that it needs. Several calls in one turn run side by side.",
            object_schema({{"agent_id", one_of_schema(names_of(agents), who)},
                           {"task", text_schema("What it is to do, and what it is to give back.")}},
                          {"agent_id", "task"})};
}

tool_spec report_spec()
{
    return {"report_to_parent", "Tells the agent that you work for how you stand.",
            object_schema({{"message", text_schema("What you found out, or did.")},
                           {"data", json::object{{"description", "The same as JSON, if that helps."}}},
                           {"wait_for_response",
                            json::object{{"type", "boolean"}, {"description", "Wait for an answer."}}},
                           {"mark_complete",
                            json::object{{"type", "boolean"}, {"description", "Your task is done with this."}}}},
                          {"message"})};
}

std::string text_at(const json::object& arguments, std::string_view name)
{
    const json::value* const found = arguments.if_contains(name);
    return found && found->is_string() ? std::string{std::string_view{found->get_string()}} : std::string{};
}

bool flag_at(const json::object& arguments, std::string_view name)
{
    const json::value* const found = arguments.if_contains(name);
    return found && found->is_bool() && found->get_bool();
}

std::vector<std::string> texts_at(const json::object& arguments, std::string_view name)
{
    std::vector<std::string> texts;
    const json::value* const found = arguments.if_contains(name);
    if (found && found->is_array())
        for (const json::value& one : found->get_array())
            if (one.is_string()) texts.emplace_back(std::string_view{one.get_string()});
    return texts;
}

loop_tool_answer refused_call(std::string words)
{
    loop_tool_answer answer;
    answer.result = tool_result::error(std::move(words));
    return answer;
}

loop_tool_answer done_call(std::string words)
{
    loop_tool_answer answer;
    answer.result = tool_result::text(std::move(words));
    return answer;
}

/** A text that is an object, a list, a number or another value of JSON as that value; else nothing. */
std::optional<json::value> json_in(const json::value& value)
{
    if (!value.is_string()) return std::nullopt;
    try {
        return parse_json(std::string_view{value.get_string()});
    } catch (const error&) {
        return std::nullopt;
    }
}

constexpr std::string_view internal_answer =
    "You are an internal node and talk with no person. Decide yourself with what you have, or call escalate if you "
    "cannot go on.";

}  // namespace

loop_tools::loop_tools(loop_tool_options options) : options_{std::move(options)}
{
    if (!options_.outputs.empty()) add(set_output_spec(options_.outputs), &loop_tools::set_output);
    add(ask_user_spec(), &loop_tools::ask_user, options_.faces_client);
    add(ask_user_multiple_spec(), &loop_tools::ask_user_multiple, options_.faces_client);
    if (options_.is_sub_agent) {
        add(report_spec(), &loop_tools::report);
        return;
    }
    add(escalate_spec(), &loop_tools::escalate);
    if (!options_.agents.empty()) add(delegate_spec(options_.agents), &loop_tools::delegate);
}

void loop_tools::add(tool_spec spec, function work, bool is_offered)
{
    if (is_offered) offered_.push_back(spec);
    own_tool made{{}, work};
    made.entry.schema.emplace(spec.parameters);
    made.entry.spec = std::move(spec);
    tools_.push_back(std::move(made));
}

const loop_tools::own_tool* loop_tools::find(std::string_view name) const noexcept
{
    const auto found =
        std::find_if(tools_.begin(), tools_.end(), [&](const own_tool& one) { return one.entry.spec.name == name; });
    return found == tools_.end() ? nullptr : &*found;
}

loop_tool_answer loop_tools::call(const tool_call& call, event_loop_memory& memory) const
{
    const own_tool* const found = find(call.name);
    if (!found) return refused_call("There is no tool '" + call.name + "'.");
    // An unknown key gets words of its own, better than those of the schema.
    if (call.name == "set_output" || call.name == "delegate_to_sub_agent") {
        try {
            const json::object arguments = parse_arguments(call);
            const bool is_key = call.name == "set_output";
            const std::string name = text_at(arguments, is_key ? "key" : "agent_id");
            const std::vector<std::string> known = is_key ? names_of(options_.outputs) : names_of(options_.agents);
            if (!name.empty() && !agent_detail::contains(known, name))
                return refused_call((is_key ? "Invalid output key '" : "There is no sub-agent '") + name +
                                    "'. Valid: " + joined_text(known) + ".");
        } catch (const error&) {
            // What is wrong with the arguments is told below.
        }
    }
    read_tool_arguments read{call, found->entry};
    if (!read.fault.empty()) return refused_call(std::move(read.fault));
    return (this->*found->work)(call, read.arguments, memory);
}

json::value loop_tools::spilled_output(const event_loop_output& output, json::value value) const
{
    if (!options_.spill) return value;
    const std::string text = agent_detail::readable_text(value);
    const std::size_t length = count_code_points(text);
    if (length <= options_.output_chars_max) return value;
    // The model sees the beginning and a reference: an output of a megabyte in each prompt would push all else out.
    constexpr std::size_t preview_bytes = 200;
    std::string short_text{truncated_utf8(text, preview_bytes)};
    const std::string reference = options_.spill->put(text);
    short_text += "… [" + std::to_string(length) + " characters; the whole: read_result(\"" + reference + "\")]";
    json::value replaced(json::string_view{short_text});  // braces would make a list of it
    return output.fault_of && !output.fault_of(replaced).empty() ? value : replaced;
}

loop_tool_answer loop_tools::set_output(const tool_call&, json::object& arguments, event_loop_memory& memory) const
{
    const std::string key = text_at(arguments, "key");
    const auto output = std::find_if(options_.outputs.begin(), options_.outputs.end(),
                                     [&](const event_loop_output& one) { return one.name == key; });
    json::value value = std::move(arguments["value"]);
    const auto fault_of = [&](const json::value& of) {
        return output->fault_of ? output->fault_of(of) : std::string{};
    };
    if (value.is_null() && !output->is_nullable)
        return refused_call("The output '" + key + "' is required and cannot be null.");
    std::string fault = value.is_null() ? std::string{} : fault_of(value);
    // Models write JSON into texts: it counts if it is more than a text, or if only it fits.
    if (std::optional<json::value> inside = json_in(value)) {
        // "12" for an output that takes texts stays a text; "{…}" is hardly ever meant as one.
        const bool is_structure = inside->is_object() || inside->is_array();
        const bool may_replace = is_structure || !fault.empty();
        if (may_replace && fault_of(*inside).empty()) {
            value = std::move(*inside);
            fault.clear();
        }
    }
    if (!fault.empty()) return refused_call("The value does not fit the output '" + key + "': " + fault + ".");
    try {
        memory.outputs[key] = spilled_output(*output, std::move(value));
    } catch (const error& e) {
        return refused_call("The output '" + key + "' could not be kept: " + e.detail());
    }
    memory.turn.set_outputs = true;
    loop_tool_answer answer = done_call("Output '" + key + "' is set.");
    answer.event = agent_event::output_key_set;
    answer.event_text = key;
    return answer;
}

loop_tool_answer loop_tools::ask(loop_ask asked, event_loop_memory& memory) const
{
    if (!options_.faces_client) {
        loop_tool_answer answer = done_call(std::string{internal_answer});
        answer.event = agent_event::input_blocked;
        answer.event_text = std::move(asked.text);
        return answer;
    }
    if (!memory.asks.empty())
        return refused_call("A question to the person is open already: ask several at once with ask_user_multiple.");
    memory.asks.push_back(std::move(asked));
    return done_call("The person is asked; the answer is the next message.");
}

loop_tool_answer loop_tools::ask_user(const tool_call& call, json::object& arguments, event_loop_memory& memory) const
{
    loop_ask asked;
    asked.call_id = call.id;
    asked.text = text_at(arguments, "question");
    asked.options = texts_at(arguments, "options");
    if (is_blank(asked.text)) return refused_call("The question is blank: write it.");
    return ask(std::move(asked), memory);
}

loop_tool_answer loop_tools::ask_user_multiple(const tool_call& call, json::object& arguments,
                                               event_loop_memory& memory) const
{
    loop_ask asked;
    asked.call_id = call.id;
    asked.text = "Several questions:";
    std::set<std::string, std::less<>> ids;
    for (const json::value& one : arguments["questions"].as_array()) {
        const json::object& question = one.as_object();
        loop_field field{text_at(question, "id"), text_at(question, "prompt"), texts_at(question, "options")};
        if (is_blank(field.id) || is_blank(field.prompt)) return refused_call("A question is blank: write it.");
        if (!ids.insert(field.id).second) return refused_call("Two questions have the id '" + field.id + "'.");
        asked.fields.push_back(std::move(field));
    }
    return ask(std::move(asked), memory);
}

loop_tool_answer loop_tools::escalate(const tool_call&, json::object& arguments, event_loop_memory& memory) const
{
    std::string reason = text_at(arguments, "reason");
    if (is_blank(reason)) return refused_call("The reason is blank: write it.");
    const std::string context = text_at(arguments, "context");
    if (!is_blank(context)) reason.append(" — ").append(context);
    memory.escalation = reason;
    loop_tool_answer answer = done_call("Others take over.");
    answer.event = agent_event::escalation_requested;
    answer.event_text = std::move(reason);
    return answer;
}

loop_tool_answer loop_tools::delegate(const tool_call& call, json::object& arguments, event_loop_memory& memory) const
{
    loop_delegation made{call.id, text_at(arguments, "agent_id"), text_at(arguments, "task")};
    if (is_blank(made.task)) return refused_call("The task is blank: write what the sub-agent is to do.");
    memory.delegations.push_back(std::move(made));
    loop_tool_answer answer;
    answer.is_open = true;
    return answer;
}

loop_tool_answer loop_tools::report(const tool_call& call, json::object& arguments, event_loop_memory& memory) const
{
    loop_report made;
    made.message = text_at(arguments, "message");
    if (const json::value* const data = arguments.if_contains("data")) made.data = *data;
    if (flag_at(arguments, "mark_complete")) memory.is_marked_complete = true;
    loop_tool_answer answer = done_call("Reported.");
    answer.event = agent_event::subagent_report;
    answer.event_text = made.message;
    if (flag_at(arguments, "wait_for_response") && !memory.is_marked_complete) {
        loop_ask asked;
        asked.call_id = call.id;
        asked.text = made.message;
        asked.answers_call = true;
        memory.asks.push_back(std::move(asked));
        answer.is_open = true;
    }
    memory.reports.push_back(std::move(made));
    return answer;
}

}  // namespace weft
