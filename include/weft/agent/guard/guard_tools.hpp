#pragma once

#include <weft/agent/guard/guard_settings.hpp>
#include <weft/agent/guard/guardrail.hpp>
#include <weft/tool/tool_runner.hpp>

#include <memory>

namespace weft {

/** Has guardrails look at the calls of tools and at their results.
 *
 *      weft::guardrails guards;
 *      guards.tool_call.push_back(weft::make_guardrail("small sums", allows_small_sums));
 *      builder.node("tools", weft::tool_node{tools, {}, weft::guard_tools({}, std::move(guards))})
 *
 *  All calls of a message are looked at before the first of them is made, side by side: what a guardrail trips on has
 *  no effect, nor have the calls beside it. A result is looked at before a model, a store or the state gets it. A
 *  guardrail may also refuse, which tells the model why, and one that comes first may replace: the arguments by another
 *  JSON object, which the tool's schema must accept; the result by a text.
 *
 *  Results of remote tools come from elsewhere: those that others post stand in the conversation first, and are looked
 *  at by the `tool_node` that waits for them, when all are there and before it leads on; those of a supervisor's
 *  workers before they join it.
 *
 *  @param options   Of the runner; what they have for `admit` and `inspect` comes first.
 *  @param guards    Of them `tool_call` and `tool_result`.
 *
 *  @par Errors      `errc::invalid_configuration`. Of a run of tools that trips: `guardrail_error`. */
[[nodiscard]] tool_runner_options guard_tools(tool_runner_options options, guardrails guards);
/** The same with the guardrails of a graph file; the options as they are if there are none.
 *  @param model   That rules are checked by; null: those cannot be checked, and trip. */
[[nodiscard]] tool_runner_options guard_tools(tool_runner_options options, const tool_guards_settings& guards,
                                              const std::shared_ptr<chat_model>& model);

}  // namespace weft
