#include "tool_turn_state.hpp"

#include <utility>

namespace weft {

tool_invocation tool_runner::turn_state::invocation_of(const tool_answer& answer, boost::json::object arguments) const
{
    tool_invocation invocation{answer.call, std::move(arguments)};
    invocation.context = shared;
    invocation.context.call_id = answer.call.id;
    invocation.context.idempotency_key = answer.call.id;
    invocation.context.tool = answer.call.name;
    return invocation;
}

task<void> tool_runner::turn_state::inspect_result(std::shared_ptr<const parts> self, tool_answer& answer,
                                                   tool_context shared)
{
    const task_context& context = co_await this_task::context();
    if (!self->options.inspect) co_return;
    tool_invocation invocation;
    invocation.call = answer.call;
    invocation.context = std::move(shared);
    invocation.context.call_id = answer.call.id;
    invocation.context.tool = answer.call.name;
    std::exception_ptr failed;
    try {
        co_await self->options.inspect(invocation, answer);
    } catch (...) {
        failed = std::current_exception();
    }
    if (!failed) co_return;
    const bool is_stopped = code_of(failed) == errc::cancelled && context.scope->stop_requested();
    if (is_of_turn(failed) || is_stopped) std::rethrow_exception(failed);
    refuse(answer, tool_status::runtime_failure, "the check of the result failed: " + text_of(failed));
}

task<void> tool_runner::turn_state::admit_all(turn_state& turn)
{
    const task_context& context = co_await this_task::context();
    scope children{context};
    for (std::size_t i = 0; i < turn.plan.items.size(); ++i)
        if (turn.plan.items[i].entry) children.spawn(admit(turn, i));
    try {
        co_await children.join();
    } catch (const error& e) {
        if (e.code() != errc::cancelled) throw;  // the answers say so themselves
    }
}

task<void> tool_runner::turn_state::admit(turn_state& turn, std::size_t index)
{
    const slot_limiter::slot slot = co_await turn.slots.acquire();
    tool_answer& answer = turn.plan.turn.answers[index];
    tool_plan::item& item = turn.plan.items[index];
    tool_invocation invocation = turn.invocation_of(answer, item.arguments);
    std::exception_ptr failed;
    std::optional<std::string> refusal;
    try {
        std::optional<std::string> said = co_await turn.own.options.admit(invocation, *item.entry);
        refusal = std::move(said);
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed && is_of_turn(failed)) std::rethrow_exception(failed);
    if (failed) refusal = "the check of the call failed: " + text_of(failed);
    if (refusal) {
        item.entry = nullptr;
        co_return refuse(answer, tool_status::policy_denied, "Denied: " + *refusal);
    }
    if (invocation.arguments == item.arguments) co_return;
    read_tool_arguments read{std::move(invocation.arguments), *item.entry};
    item.arguments = std::move(read.arguments);
    if (read.fault.empty()) co_return;
    item.entry = nullptr;
    refuse(answer, tool_status::invalid_arguments, std::move(read.fault));
}

}  // namespace weft
