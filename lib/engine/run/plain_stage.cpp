#include "plain_stage.hpp"

#include "engine/visit/visit_start.hpp"
#include "node_reports.hpp"
#include "run_core.hpp"
#include "run_events.hpp"
#include "run_extras.hpp"
#include "stop_polling.hpp"

#include <exception>
#include <utility>

namespace weft {

plain_stage::plain_stage(run_core& core) noexcept : core_{core}, task_{&core.loop, this} {}

// Nothing stops a plain node, since it holds the loop, but it may ask.
bool plain_stage::is_due() const noexcept
{
    if (due_stop(core_, at_, timeout_at_) == stop_cause::none) return false;
    saw_stop_ = true;
    return true;
}

/** Whether there is nothing to say of the end of a node. */
inline bool plain_stage::ends_bare(const node_context& context) const noexcept
{
    return answer_.is_bare() && context.writes().empty() && !core_.extras && !core_.events && !saw_stop_;
}

const graph_node* plain_stage::run(branch_index branch, const graph_node& first, int& left)
{
    scheduler& scheduler = core_.scheduler();
    const run_branch& t = scheduler.at(branch);
    node_context context{core_, task_, scheduler.view_of(branch), visit_of(core_.graph, t)};
    if (has_past(t)) give_past(core_.graph, scheduler.where(), context, t);
    if (core_.events) core_.events->notify_node(run_event::kind::node_started, context, branch);
    const bool is_timed = first.options->timeout.count() > 0;
    const time_point began = is_timed ? core_.loop.now() : time_point{};
    at_ = branch;
    timeout_at_ = is_timed ? began + first.options->timeout : time_point::max();
    for (const graph_node* node = &first;;) {
        core_.loop.begin_step();
        try {
            node->body->run(context, answer_);
        } catch (...) {
            report_thrown(context);
            return nullptr;
        }
        if (!node->ends_straight || !ends_bare(context)) {
            if (is_timed || saw_stop_ || core_.events || !answer_.is_bare()) report(*node, context, began);
            else report_nothing(core_, branch, context);
            return nullptr;
        }
        const bool may_go_on = left > 0 && node->only_next != end_node;
        const graph_node* const next = may_go_on ? walk_on(scheduler, branch) : nullptr;
        if (!next) {
            report_bare(core_, branch);
            return nullptr;
        }
        if (next->body->is_coroutine()) return next;
        --left;
        node = next;
        context.begin_next(visit_of(core_.graph, scheduler.at(branch)));
    }
}

void plain_stage::report_thrown(node_context& context)
{
    answer_ = command{};
    if (core_.events) core_.nodes.note_step(context, core_.loop.end_step());
    if (!counts_as_stopped(context)) report_exception(core_, at_, context, std::current_exception(), true);
}

/** A plain node that asked whether it is to stop, and saw that it is, counts as stopped. */
bool plain_stage::counts_as_stopped(node_context& context)
{
    if (!std::exchange(saw_stop_, false)) return false;
    carry_out(core_, due_stop(core_, at_, time_point::max()), at_);
    if (!core_.scheduler().at(at_).is_stopping) return false;
    report_stopped(core_, at_, context);
    return true;
}

void plain_stage::report(const graph_node& node, node_context& context, time_point began)
{
    if (core_.events) core_.nodes.note_step(context, core_.loop.end_step());
    if (counts_as_stopped(context)) {
        answer_ = command{};
        return;
    }
    const bool is_timed = node.options->timeout.count() > 0;
    if (answer_.is_bare() && !is_timed) return report_nothing(core_, at_, context);  // in a watched run
    command given = std::exchange(answer_, command{});  // one object for all plain nodes, given back empty
    // A plain node holds its OS thread, so that its timeout can only be reported afterwards.
    if (is_timed && core_.loop.now() - began >= node.options->timeout)
        return report_failure(core_, at_, context,
                              make_failure(context, errc::node_timeout,
                                           "a plain node blocks its loop; make it a coroutine or use on_pool"),
                              true);
    report_answer(core_, at_, context, std::move(given));
}

}  // namespace weft
