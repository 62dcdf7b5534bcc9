#include <weft/agent/guard/guard_tools.hpp>

#include "guard_checks.hpp"

#include <weft/base/json/json_reading.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/serialize.hpp>

#include <optional>
#include <string>
#include <utility>

namespace weft {

namespace {

using agent_detail::guard_outcome;
using agent_detail::guard_place;
using shared_guards = std::shared_ptr<const guardrails>;
using admit_function = decltype(tool_runner_options::admit);
using inspect_function = decltype(tool_runner_options::inspect);

guard_place place_of_tool(const tool_invocation& invocation)
{
    const std::string tool = "tool '" + invocation.call.name + "'";
    node_context* const node = invocation.context.node;
    return {node ? "node '" + std::string{node->node()} + "', " + tool : tool, node};
}

guard_subject subject_of_tool(guard_stage stage, std::string text, const tool_invocation& invocation)
{
    guard_subject subject{stage, std::move(text)};
    subject.call = invocation.call;
    return subject;
}

boost::json::object arguments_in(const std::string& text, const guard_place& place)
{
    std::optional<boost::json::value> read = try_parse_json(text);
    if (!read || !read->is_object())
        throw error{errc::unexpected_json, place.name, "a guardrail replaces the arguments by what is no JSON object"};
    return std::move(read->get_object());
}

task<std::optional<std::string>> check_call(shared_guards guards, admit_function before, tool_invocation& invocation,
                                            const tool_entry& entry)
{
    std::optional<std::string> refusal;
    if (before) {
        std::optional<std::string> said = co_await before(invocation, entry);
        refusal = std::move(said);
    }
    if (refusal) co_return refusal;
    const guard_place place = place_of_tool(invocation);
    guard_subject subject =
        subject_of_tool(guard_stage::tool_call, boost::json::serialize(invocation.arguments), invocation);
    guard_outcome passed = co_await pass_all_guards(guards->tool_call, std::move(subject), place);
    if (!passed.refusal.empty()) refusal = std::move(passed.refusal);
    else if (passed.is_replaced) invocation.arguments = arguments_in(passed.text, place);
    co_return refusal;
}

task<void> check_result(shared_guards guards, inspect_function before, const tool_invocation& invocation,
                        tool_answer& answer)
{
    if (before) {
        co_await before(invocation, answer);
    }
    const guard_place place = place_of_tool(invocation);
    guard_subject subject = subject_of_tool(guard_stage::tool_result, answer.result.readable(), invocation);
    guard_outcome passed = co_await pass_all_guards(guards->tool_result, std::move(subject), place);
    if (!passed.refusal.empty()) {
        answer.status = tool_status::policy_denied;
        answer.result = tool_result::error("The result is withheld: " + passed.refusal);
    } else if (passed.is_replaced) {
        answer.result.content.clear();
        answer.result.content.push_back(text_part{std::move(passed.text)});
    }
}

}  // namespace

tool_runner_options guard_tools(tool_runner_options options, guardrails guards)
{
    if (std::string fault = guards.fault(); !fault.empty())
        throw error{errc::invalid_configuration, "guard_tools", std::move(fault)};
    const shared_guards shared = std::make_shared<const guardrails>(std::move(guards));
    if (!shared->tool_call.empty())
        options.admit = [shared, before = std::move(options.admit)](tool_invocation& invocation,
                                                                    const tool_entry& entry) {
            return check_call(shared, before, invocation, entry);
        };
    if (!shared->tool_result.empty())
        options.inspect = [shared, before = std::move(options.inspect)](const tool_invocation& invocation,
                                                                        tool_answer& answer) {
            return check_result(shared, before, invocation, answer);
        };
    return options;
}

tool_runner_options guard_tools(tool_runner_options options, const tool_guards_settings& guards,
                                const std::shared_ptr<chat_model>& model)
{
    const std::shared_ptr<const guardrails> made = guards.make(model);
    return made ? guard_tools(std::move(options), *made) : options;
}

}  // namespace weft
