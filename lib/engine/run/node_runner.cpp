#include "node_runner.hpp"

#include "engine/visit/visit_start.hpp"
#include "node_reports.hpp"
#include "plain_stage.hpp"
#include "run_core.hpp"
#include "run_events.hpp"
#include "run_extras.hpp"
#include "run_routing.hpp"
#include "stop_polling.hpp"

#include <weft/async/task/yield_now.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory/free_list.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace weft {

node_runner::node_runner(run_core& core) noexcept : core_{core} {}

node_run& node_runner::make(branch_index index)
{
    const run_branch& t = core_.scheduler().at(index);
    node_run*& place = place_of(index);
    place = new (*this) node_run{core_, index, core_.scheduler().view_of(index), visit_of(core_.graph, t)};
    return *place;
}

node_run*& node_runner::place_of(branch_index branch)
{
    if (branch == 0) return first_;
    // Slots of branches are used again, so that this grows with the branches at once and not with the run.
    if (others_.size() < branch) others_.resize(branch);
    return others_[branch - 1];
}

namespace {

// Sanitizers see the whole life of what is a block of its own.
const bool lies_in_run = count_blocks().is_caching;

}  // namespace

void* node_runner::take_place()
{
    if (!lies_in_run || is_place_taken_) return allocate_block(sizeof(node_run));
    is_place_taken_ = true;
    return place_;
}

void node_runner::give_back(void* place) noexcept
{
    if (place != place_) return free_block(place, sizeof(node_run));
    is_place_taken_ = false;
}

void node_runner::start(branch_index index, int& left)
{
    const graph_node* node = &core_.graph.node(core_.scheduler().at(index).node);
    if (core_.extras && core_.extras->outer.run) note_progress(index);
    do {
        --left;
        node = node->body->is_coroutine() ? start_coroutine(index, *node, left > 0) : stage_->run(index, *node, left);
    } while (node);
}

/** @return  The node that begins behind it, if it may go on and has ended bare. */
const graph_node* node_runner::start_coroutine(branch_index index, const graph_node& node, bool may_go_on)
{
    node_run& work = make(index);
    node_context& context = work.context();
    const run_branch& t = core_.scheduler().at(index);
    if (has_past(t)) give_past(core_.graph, core_.scheduler().where(), context, t);
    if (core_.events) core_.events->notify_node(run_event::kind::node_started, context, index);
    core_.loop.begin_step();
    // Most coroutine nodes that do not wait end in this call; then no timer is armed for them.
    bool has_ended = true;
    try {
        has_ended = work.start(node.body->make(context));
    } catch (...) {  // the callable threw before it made its coroutine
        const std::exception_ptr cause = std::current_exception();
        place_of(index) = nullptr;
        const std::unique_ptr<node_run> owned{&work};
        report_exception(core_, index, context, cause, true);
        return nullptr;
    }
    if (has_ended && may_go_on && node.ends_straight && ends_bare(work)) {
        destroy(index);
        if (const graph_node* const next = walk_on(core_.scheduler(), index)) return next;
        report_bare(core_, index);
    } else if (has_ended) {
        report_end(work);
    } else {
        // The clock is read only here, for nodes that wait.
        work.begin_wait(timeout_of(node));
        if (node.options->idle_max.count() <= 0) return nullptr;
        has_idle_limits_ = true;
        work.limit_idleness(node.options->idle_max);
    }
    return nullptr;
}

/** Whether there is nothing to say of the end of a coroutine. */
bool node_runner::ends_bare(const node_run& ended) const noexcept
{
    return ended.ends_bare() && !core_.extras && !core_.events && !core_.scheduler().at(ended.branch()).is_stopping;
}

void node_runner::decide(branch_index index)
{
    node_run& work = make(index);
    if (work.start(node_task{ask_decider(core_, index)})) return report_decision(work);
    const graph_node& node = core_.graph.node(core_.scheduler().at(index).node);
    work.begin_wait(node.decision->timeout);
}

namespace {

/** What is left of changing the writes of a node, and then its answer. */
task<command> amend_rest(node_context& context, command answer, run_request::writes_rest rest)
{
    bool is_done = false;
    while (!is_done) {
        co_await yield_now();
        is_done = rest(context.writes());
    }
    co_return answer;
}

}  // namespace

void node_runner::amend(branch_index index, node_context& ended, command&& answer, run_request::writes_rest rest)
{
    node_run& work = make(index);
    work.note_amending();
    work.context().writes() = std::move(ended.writes());
    if (work.start(node_task{amend_rest(work.context(), std::move(answer), std::move(rest))})) return report_end(work);
    work.begin_wait({});
}

void node_runner::stop(branch_index branch)
{
    // Nothing is running when a plain node stops its own run.
    node_run* const work = find(branch);
    if (work && core_.scheduler().at(branch).is_stopping) work->stop(stop_grace());
}

void node_runner::destroy(branch_index branch) { delete std::exchange(place_of(branch), nullptr); }

void node_runner::destroy_all()
{
    core_.forget_wake_up();
    for (branch_index branch = 0; branch < places(); ++branch) delete std::exchange(place_of(branch), nullptr);
}

bool node_runner::begin_times()
{
    for (branch_index branch = 0; branch < places(); ++branch)
        if (node_run* const work = find(branch)) work->begin_time();
    return find_deadline();
}

void node_runner::end_times_due()
{
    if (!begin_times()) return;
    const time_point now = core_.loop.now();
    // Each may end the run, and start or destroy others.
    for (branch_index branch = 0; branch < places(); ++branch)
        if (node_run* const work = find(branch); work && work->deadline() <= now) work->end_time();
    find_deadline();
}

time_point node_runner::note_time(std::chrono::nanoseconds left)
{
    // Most runs have one node at work, whose time the wake-up takes from the clock: it is read once for both.
    if (core_.wake_after(left)) return core_.deadline();
    const time_point deadline = deadline_after(left);
    core_.wake_until(deadline);
    return deadline;
}

time_point node_runner::deadline_after(std::chrono::nanoseconds left) const noexcept
{
    const time_point now = core_.loop.now();
    return now + std::clamp<std::chrono::nanoseconds>(left, std::chrono::nanoseconds{1}, time_point::max() - now);
}

bool node_runner::find_deadline()
{
    // What waits for the end of the turn finds it then.
    if (core_.is_time_open) return false;
    time_point earliest = time_point::max();
    for (branch_index branch = 0; branch < places(); ++branch)
        if (const node_run* const work = find(branch)) earliest = std::min(earliest, work->deadline());
    core_.forget_wake_up();
    if (earliest != time_point::max()) core_.wake_until(earliest);
    return earliest != time_point::max();
}

branch_index node_runner::branch_of(const node_context& context) const noexcept
{
    // Plain nodes have no place: at most one runs, and it stands on the stage.
    const branch_index found = find_place(context);
    return found == places() && stage_ ? stage_->branch() : found;
}

branch_index node_runner::find_place(const node_context& context) const noexcept
{
    branch_index branch = 0;
    for (; branch < places(); ++branch)
        if (node_run* const work = find(branch); work && &work->context() == &context) break;
    return branch;
}

node_run& node_runner::work_of(const node_context& context) const
{
    if (node_run* const found = find(find_place(context))) return *found;
    throw error{errc::invalid_configuration, "node '" + std::string{context.node()} + "'",
                "a plain node cannot wait: make it a coroutine"};
}

void node_runner::note_progress(branch_index branch)
{
    // A graph without idle limits, which most are, pays one comparison for each piece of output.
    if (node_run* const work = has_idle_limits_ ? find(branch) : nullptr) work->note_progress();
    if (core_.extras && core_.extras->outer.run)
        core_.extras->outer.run->nodes.note_progress(core_.extras->outer.branch);
}

void node_runner::note_output(const node_context& from)
{
    if (has_idle_limits_ || (core_.extras && core_.extras->outer.run)) note_progress(branch_of(from));
}

// A coroutine node has ended, whatever way.
void node_runner::report_end(node_run& ended)
{
    const branch_index index = ended.branch();
    // A branch that asks a model for its way has a coroutine, too.
    if (core_.scheduler().at(index).phase == branch_phase::deciding) return report_decision(ended);
    const bool is_amending = ended.is_amending();
    if (core_.events && !ended.was_destroyed() && !is_amending) note_step(ended.context(), core_.loop.end_step());
    // The node has acted on a stop that the loop has not carried out yet. It must be carried out first, or the node
    // would count as one that ended by itself.
    if (ended.saw_stop() && !core_.scheduler().at(index).is_stopping && !ended.has_timed_out())
        carry_out(core_, due_stop(core_, index, ended.timeout_at()), index);
    const std::unique_ptr<node_run> owned{&ended};
    place_of(index) = nullptr;
    node_context& context = ended.context();
    end_parking(core_, ended);
    if (core_.scheduler().at(index).is_stopping) return report_stopped(core_, index, context);
    if (ended.has_timed_out()) {
        std::string detail = "its coroutine was stopped";
        if (ended.was_idle()) detail = "it made no progress for the `idle_max` of the node and was stopped";
        if (ended.was_destroyed()) detail = "it did not stop within the grace period and was destroyed";
        return report_failure(core_, index, context, make_failure(context, errc::node_timeout, std::move(detail)),
                              true);
    }
    if (const std::exception_ptr& cause = ended.work().exception())
        return report_exception(core_, index, context, cause, !is_amending);
    if (is_amending) return report_success(core_, index, context, ended.work().take());
    if (ended.work().gives_nothing()) return report_nothing(core_, index, context);
    report_answer(core_, index, context, ended.work().take());
}

// The model has answered, or failed, or was stopped, or there is none to ask.
void node_runner::report_decision(node_run& ended)
{
    const std::unique_ptr<node_run> owned{&ended};
    const branch_index index = ended.branch();
    place_of(index) = nullptr;
    const graph_node& node = core_.graph.node(core_.scheduler().at(index).node);
    const route_choice choice = choose_route(core_.graph, node, ended);
    if (core_.events) core_.events->notify_route(choice, node);
    core_.scheduler().decided(index, choice.target);
}

std::chrono::nanoseconds node_runner::limit_of(branch_index branch) const noexcept
{
    const graph_node& node = core_.graph.node(core_.scheduler().at(branch).node);
    return core_.scheduler().at(branch).phase == branch_phase::deciding ? node.decision->timeout : timeout_of(node);
}

void node_runner::ended(node_run& ended)
{
    const intrusive_ptr<run_core> alive{&core_};
    report_end(ended);
    core_.go_on();
}

void node_runner::timed_out(node_run& late) { late.stop(stop_grace()); }

void node_runner::will_be_destroyed()
{
    // Its coroutine takes the runs inside it along; where they stand is needed for a resume.
    if (core_.extras) core_.extras->inner.note_places();
}

void node_runner::did_not_stop(node_run& stuck)
{
    const intrusive_ptr<run_core> alive{&core_};
    core_.extra().unresponsive.emplace_back(stuck.context().node());
    report_end(stuck);
    core_.go_on();
}

void node_runner::note_step(const node_context& node, std::chrono::nanoseconds held)
{
    const std::chrono::nanoseconds limit = core_.request.limits().warn_blocked_after();
    if (limit.count() <= 0 || held < limit) return;
    const auto held_ms = std::chrono::duration_cast<std::chrono::milliseconds>(held).count();
    core_.emit(node, "warning",
               "node '" + std::string{node.node()} + "' held its loop for " + std::to_string(held_ms) +
                   " ms, in which no other run, socket or timer of it went on: let it wait with co_await, or use "
                   "on_pool");
}

std::chrono::nanoseconds node_runner::stop_grace() const
{
    return core_.extras && core_.extras->grace ? *core_.extras->grace : core_.request.limits().stop_grace();
}

std::chrono::nanoseconds node_runner::timeout_of(const graph_node& node) const
{
    return node.options->timeout.count() > 0 ? node.options->timeout : core_.request.limits().node_timeout();
}

}  // namespace weft
