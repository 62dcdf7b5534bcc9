#include <weft/tool/call/tool_turn.hpp>

#include <weft/base/text/ascii_text.hpp>

#include <algorithm>
#include <set>

namespace weft {

namespace json = boost::json;

namespace {

constexpr std::size_t mistakes_told_max = 8;

void answer_with(tool_answer& answer, tool_status status, std::string words)
{
    answer.status = status;
    answer.result = tool_result::error(std::move(words));
}

/** Some servers begin with `{}` and stream the arguments after it; a tool without arguments may get no text at all. */
std::string_view without_leftovers(std::string_view arguments)
{
    const auto blanks_end = [](std::string_view text) {
        return std::min(text.find_first_not_of(ascii_blanks), text.size());
    };
    std::string_view text = arguments;
    text.remove_prefix(blanks_end(text));
    if (text.empty()) return "{}";
    if (!text.starts_with("{}")) return arguments;
    text.remove_prefix(2);
    text.remove_prefix(blanks_end(text));
    return text.starts_with('{') ? text : arguments;
}

json::object arguments_in(const tool_call& call)
{
    const std::string_view text = without_leftovers(call.arguments);
    if (text == call.arguments) return parse_arguments(call);
    tool_call mended;
    mended.name = call.name;
    mended.arguments = text;
    return parse_arguments(mended);
}

}  // namespace

std::string_view name_of(tool_status status) noexcept
{
    static constexpr std::string_view names[] = {"success",       "runtime_failure", "invalid_arguments",
                                                 "unknown_tool",  "timeout",         "policy_denied",
                                                 "cancelled",     "skipped",         "limit_reached",
                                                 "remote"};
    return names[static_cast<std::size_t>(status)];
}

message tool_answer::to_message() const
{
    message answer = result.is_error ? message::tool_error(call.id, result.readable())
                                     : message::tool_result(call.id, result.readable());
    for (const tool_content& part : result.content)
        if (const image_part* const picture = std::get_if<image_part>(&part)) answer.content.emplace_back(*picture);
    return answer;
}

std::string tool_turn::hand_over() const
{
    for (const tool_answer& answer : answers)
        if (!answer.result.go_to.empty()) return answer.result.go_to;
    return {};
}

read_tool_arguments::read_tool_arguments(const tool_call& call, const tool_entry& entry)
{
    if (entry.spec.input == tool_input::text) return;
    try {
        arguments = arguments_in(call);
    } catch (const error& e) {
        fault = "The arguments of " + call.name + " are not a JSON object: " + e.detail() +
                ". Nothing was done; call it again with one JSON object.";
        return;
    }
    check(entry);
}

read_tool_arguments::read_tool_arguments(json::object rewritten, const tool_entry& entry)
    : arguments{std::move(rewritten)}
{
    check(entry);
}

void read_tool_arguments::check(const tool_entry& entry)
{
    if (!entry.schema) return;
    json::value whole(std::move(arguments));
    const std::vector<schema_mistake> mistakes = entry.schema->mistakes(whole, mistakes_told_max);
    if (!mistakes.empty())
        fault = "The arguments of " + entry.spec.name + " do not fit: " + text_of(mistakes) +
                ". Nothing was done; call it again with arguments that fit.";
    arguments = std::move(whole.get_object());
}

tool_plan::tool_plan(const tool_set& tools, std::vector<tool_call> calls, const tool_call_limits& limits)
{
    turn.answers.reserve(calls.size());  // the ids that were seen are those of the answers, which stay where they are
    std::set<std::string_view> seen;
    for (tool_call& call : calls) {
        if (seen.contains(call.id)) {
            turn.warnings.push_back("two tool calls have the id '" + call.id + "': the second one is left out");
            continue;
        }
        turn.answers.emplace_back(std::move(call));
        if (calls.size() > 1) seen.insert(turn.answers.back().call.id);
    }
    items.resize(turn.answers.size());
    if (turn.answers.size() > limits.soft)
        turn.warnings.push_back(std::to_string(turn.answers.size()) + " tool calls in one turn, more than " +
                                std::to_string(limits.soft));
    std::size_t hand_over = items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
        tool_answer& answer = turn.answers[i];
        const tool_entry* const entry = tools.find(answer.call.name);
        if (i >= limits.hard) {
            answer_with(answer, tool_status::limit_reached,
                        "Not done: a turn may have " + std::to_string(limits.hard) +
                            " tool calls. Call it again in the next turn if it is still needed.");
        } else if (!entry) {
            answer_with(answer, tool_status::unknown_tool,
                        "Unknown tool: " + tools.explain_unknown(answer.call.name) + ".");
        } else if (read_tool_arguments read{answer.call, *entry}; !read.fault.empty()) {
            answer_with(answer, tool_status::invalid_arguments, std::move(read.fault));
        } else {
            items[i] = {entry, std::move(read.arguments)};
            if (entry->traits.hands_over) hand_over = std::min(hand_over, i);
        }
    }
    if (hand_over == items.size()) return;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i == hand_over || !items[i].entry) continue;
        answer_with(turn.answers[i], tool_status::skipped,
                    "Not done: " + turn.answers[hand_over].call.name + " was called in the same turn and goes first.");
        items[i].entry = nullptr;
    }
}

std::size_t tool_plan::end_of_group(std::size_t first) const noexcept
{
    const auto is_alone = [&](std::size_t i) { return items[i].entry && !items[i].entry->traits.is_parallel; };
    if (is_alone(first)) return first + 1;
    std::size_t end = first + 1;
    while (end < items.size() && !is_alone(end)) ++end;
    return end;
}

}  // namespace weft
