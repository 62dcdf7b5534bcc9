#include "node_reports.hpp"

#include "engine/scheduler/command_mistake.hpp"
#include "engine/visit/node_answer.hpp"
#include "run_core.hpp"
#include "run_events.hpp"
#include "run_extras.hpp"

#include <weft/base/error.hpp>

#include <utility>

namespace weft {

namespace {

/** A node has asked for a branch for each item of its answer. */
void report_items(run_core& core, branch_index index, node_context& context, command&& answer)
{
    sent_items items;
    try {
        items = resolve_items(core.graph, answer);
    } catch (const error&) {
        return report_exception(core, index, context, std::current_exception(), false);
    }
    if (core.events) core.events->notify_node(run_event::kind::node_succeeded, context, index);
    const std::string visit = visit_to_settle(core, index);
    core.scheduler().node_sent(index, std::move(context.writes()), std::move(items));
    settle_visit(core, visit);
}

/** Why the outputs of a node do not pass its checks; null if they do. */
failure_ptr check_outputs(const node_context& context, const graph_node& node)
{
    std::string faults = output_faults(context, node);
    return faults.empty() ? nullptr : make_failure(context, errc::invalid_output, std::move(faults));
}

}  // namespace

void report_answer(run_core& core, branch_index index, node_context& context, command&& answer)
{
    if (core.extras && !core.extras->inner.is_empty())
        if (auto paused = core.extras->inner.take_paused(index))
            return core.scheduler().node_paused(index, std::move(paused));
    if (answer.which() == command::kind::fail)
        return report_failure(core, index, context, make_failure(context, errc::node_failed, answer.text()), false);
    try {
        for (state_update::item& item : answer.update().items())
            context.write({context.layout().require(item.key, context.node()), item.is_overwrite, false,
                           std::move(item.value)});
    } catch (const error&) {
        return report_exception(core, index, context, std::current_exception(), false);
    }
    const graph_node& node = core.graph.node(core.scheduler().at(index).node);
    if (names_a_place(answer))
        if (auto wrong = mistake_of(core.graph, node, answer))
            return report_failure(core, index, context, make_failure(context, wrong->code, std::move(wrong->text)),
                                  false);
    if (node.owes_outputs)
        if (failure_ptr cause = check_outputs(context, node)) return report_failure(core, index, context, cause, true);
    if (node.joins_conversation) {
        try {
            core.graph.conversation()->leave(context);
        } catch (const std::exception&) {
            return report_exception(core, index, context, std::current_exception(), false);
        }
    }
    if (core.events) {
        run_request::writes_rest rest;
        try {
            rest = core.events->amend_writes(context, index);
        } catch (const std::exception&) {
            return report_exception(core, index, context, std::current_exception(), false);
        }
        if (rest) return core.nodes.amend(index, context, std::move(answer), std::move(rest));
    }
    report_success(core, index, context, std::move(answer));
}

namespace {

const command no_answer;

}  // namespace

// Nothing that `report_answer` looks at is there in most runs, so that both come to the same.
void report_nothing(run_core& core, branch_index index, node_context& context)
{
    const graph_node& node = core.graph.node(core.scheduler().at(index).node);
    if (core.extras || core.events || node.owes_outputs || node.joins_conversation)
        return report_answer(core, index, context, command{});
    core.scheduler().node_succeeded(index, std::move(context.writes()), no_answer);
}

void report_bare(run_core& core, branch_index index) { core.scheduler().node_succeeded(index, {}, no_answer); }

void report_success(run_core& core, branch_index index, node_context& context, command&& answer)
{
    if (answer.which() == command::kind::fan_out) return report_items(core, index, context, std::move(answer));
    if (core.events) core.events->notify_node(run_event::kind::node_succeeded, context, index);
    const std::string visit = visit_to_settle(core, index);
    core.scheduler().node_succeeded(index, std::move(context.writes()), answer);
    settle_visit(core, visit);
}

void report_stopped(run_core& core, branch_index index, node_context& context)
{
    if (core.events)
        core.events->notify_node(run_event::kind::node_failed, context, index, std::string{run_event::stopped});
    if (core.extras) static_cast<void>(core.extras->inner.take_paused(index));
    const std::string visit = visit_to_settle(core, index);
    core.scheduler().node_stopped(index, std::move(context.writes()));
    if (!core.scheduler().at(index).is_visited_again()) settle_visit(core, visit);
}

void report_failure(run_core& core, branch_index index, node_context& context, failure_ptr cause, bool may_retry)
{
    if (core.events) core.events->notify_node(run_event::kind::node_failed, context, index, cause->message);
    if (core.extras) static_cast<void>(core.extras->inner.take_paused(index));
    const std::string visit = visit_to_settle(core, index);
    core.scheduler().node_failed(index, std::move(cause), core.loop.random().uniform(), may_retry);
    if (!core.scheduler().at(index).is_visited_again()) settle_visit(core, visit);
}

void report_exception(run_core& core, branch_index index, node_context& context, const std::exception_ptr& cause,
                      bool may_retry)
{
    report_failure(core, index, context, make_failure(context, code_of(cause), typed_text_of(cause), cause), may_retry);
}

failure_ptr make_failure(const node_context& context, errc code, std::string detail, std::exception_ptr cause)
{
    failure result;
    result.code = code;
    result.node = context.node();
    result.visit = context.visit();
    result.attempt = context.attempt();
    result.message = "node '" + result.node + "', visit " + std::to_string(result.visit) + ", attempt " +
                     std::to_string(result.attempt) + ": ";
    // The text of an error already says its sentence.
    if (!cause) result.message.append(describe(code)).append(detail.empty() ? "" : ": ");
    result.message += detail;
    result.cause = std::move(cause);
    return std::make_shared<const failure>(std::move(result));
}

}  // namespace weft
