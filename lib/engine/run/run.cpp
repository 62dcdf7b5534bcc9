#include "run_rare_part.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/state/finite_value.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft {

run::pump_item::pump_item(run* owner) noexcept
    : ready_item{[](ready_item& self) {
          const intrusive_ptr<run> kept{static_cast<pump_item&>(self).owner};
          if (kept->has_begun_)
              kept->pump();
          else
              kept->begin_now();
      }},
      owner{owner}
{
}

namespace {

bool is_failure(step_limit_action action)
{
    return action == step_limit_action::fail || action == step_limit_action::raise;
}

schedule_limits limits_of(const run_options& options, const graph& what)
{
    schedule_limits limits;
    limits.steps_max = options.steps_max();
    limits.steps_reserve = options.reserve().steps;
    const row_limit in_a_row = row_limit_of(options, what);
    limits.in_a_row_max = in_a_row.visits;
    limits.fails_at_limit = is_failure(options.at_limit());
    limits.fails_in_a_row = is_failure(in_a_row.action);
    limits.in_flight_max = options.in_flight_max();
    limits.saves = options.on_save() != nullptr;
    if (options.kept()) add_saves(limits, *options.kept());
    return limits;
}

}  // namespace

frontier run::first_frontier()
{
    frontier first = request_.resumed_from() ? frontier{*request_.resumed_from()} : frontier{state{graph_.layout()}};
    try {
        if (request_.json_values()) first.root->root().assign_json(*request_.json_values());
        if (state_update* const values = request_.first_values()) {
            write_set writes;
            for (state_update::item& item : values->items()) {
                const std::uint32_t slot = graph_.layout()->require(item.key, "input");
                require_finite(item.value, (*graph_.layout())[slot]);
                writes.push_back({slot, item.is_overwrite, false, std::move(item.value)});
            }
            first.root->commit(std::move(writes));
        }
    } catch (...) {
        failure wrong;
        wrong.code = code_of(std::current_exception());
        wrong.message = "input: " + text_of(std::current_exception());
        wrong.cause = std::current_exception();
        rare().mistake = std::make_shared<const failure>(std::move(wrong));
    }
    return first;
}

run::run(graph of, serial_loop& loop, run_request&& request)
    : graph_{std::move(of)}, loop_{loop}, request_{std::move(request)},
      scheduler_{graph_, first_frontier(),
                 limits_of(request_.limits(), graph_)},
      started_{loop.now()}
{
    identity_ = request_.identity();
    if (const auto& from = request_.resumed_from(); from && identity_.id.is_nil() && from->extras &&
                                                    !from->extras->identity.id.is_nil())
        identity_ = {from->extras->identity.id, from->extras->identity.part + 1};
    if (request_.resumed_from()) {
        // Values that joined where it goes on are kept before they are used.
        const state_update* const first = request_.first_values();
        const bool has_input = (first && !first->is_empty()) || request_.json_values();
        if (has_input) scheduler_.changed(checkpoint_kind::node_start, no_node);
    }
    request_.drop_first_values();
    if (request_.watcher()) {
        watch_ = std::make_unique<watch_part>(loop_);
        scheduler_.give_notices();
    }
}

run::~run()
{
    for (node_run* node : at_work_) delete node;
    if (watch_ && watch_->may_hold)
        for (const auto& subscriber : watch_->subscribers)
            if (const auto queue = subscriber.lock()) queue->on_room(nullptr, nullptr);
    if (is_waiting_) loop_.remove_work();
}

void run::begin(done_function done, void* waiter)
{
    done_ = done;
    waiter_ = waiter;
    intrusive_ptr_add_ref(this);  // its own reference, given back by `finish` or `abandon`
    begin_now();
}

void run::begin_now()
{
    has_begun_ = true;
    open_ledger();
    if (request_.limits().kept()) open_saving();
    open_questions();
    watch_outside();
    if (is_watched()) {
        run_event event;
        event.what = run_event::kind::run_started;
        tell(std::move(event));
    }
    if (rare_ && rare_->mistake) scheduler_.stop(rare_->mistake);
    // The bridges of the tokens tell it later; until then nodes would start.
    if (request_.stop_token().stop_requested()) scheduler_.stop();
    else if (request_.pause_token().stop_requested()) scheduler_.pause();
    pump();
}

void run::begin_later(done_function done, void* waiter)
{
    done_ = done;
    waiter_ = waiter;
    loop_.add_work();
    is_waiting_ = true;
    intrusive_ptr_add_ref(this);
    loop_.defer(pump_later_);
}

/** What plain nodes need while they run, one after another, and the answer of nodes that give none. */
struct run::plain_stage : outer_stop_scope {
    explicit plain_stage(run& owner) noexcept
        : outer_stop_scope{&plain_stage::is_stop_due}, task{&owner.loop_, this}, owner{owner}
    {
    }
    /** Nothing stops a plain node, since it holds the loop, but it may ask. */
    static bool is_stop_due(const outer_stop_scope& self) noexcept
    {
        const auto& stage = static_cast<const plain_stage&>(self);
        if (!stage.owner.is_stop_due(stage.at, stage.timeout_at)) return false;
        stage.saw_stop = true;
        return true;
    }

    task_context task;
    command answer;  // bare between nodes
    run& owner;
    token_index at = no_index;
    mutable bool saw_stop = false;
    time_point timeout_at = time_point::max();
};

std::size_t run::cancel_branches(const node_context& from, const branch_choice& which)
{
    token_index own = token_of(from);
    if (own >= at_work_.size()) own = plain_nodes_->at;
    const std::size_t count = scheduler_.cancel_branches(own, which);
    if (!is_pumping_ && !pump_later_.is_queued()) loop_.defer(pump_later_);
    return count;
}

void run::pump()
{
    if (is_pumping_) return;  // stays so after the end
    is_pumping_ = true;
    // A bounded batch: a graph of plain nodes that loops must not keep the loop from sockets, timers and stops.
    constexpr int batch = 512;
    int done = 0;
    plain_stage stage{*this};
    plain_nodes_ = &stage;
    // A pause that is asked for while a plain node runs must keep the next one from starting.
    const bool may_be_paused = rare_ && rare_->from_pause;
    for (;;) {
        if (watch_ && watch_->may_hold) scheduler_.hold(is_held_up());
        if (may_be_paused && request_.pause_token().stop_requested()) scheduler_.pause();
        if (const token_index ready = scheduler_.start_next(); ready != no_index) {
            start_node(ready);
        } else {
            const auto next = scheduler_.next();
            if (!next) break;
            perform(*next);
            if (next->what == action::kind::finish) return;
        }
        if (++done < batch) continue;
        if (!pump_later_.is_queued()) loop_.defer(pump_later_);
        break;
    }
    is_pumping_ = false;
    plain_nodes_ = nullptr;
    if (!is_waiting_) {
        is_waiting_ = true;
        loop_.add_work();
    }
}

void run::perform(const action& next)
{
    switch (next.what) {
    case action::kind::start_node: return start_node(next.token);
    case action::kind::choose_edge: return choose_edge(next.token);
    case action::kind::stop_node:
        // Nothing is at work when a plain node stops its own run.
        if (next.token < at_work_.size() && at_work_[next.token] && scheduler_.at(next.token).is_stopping)
            at_work_[next.token]->stop(stop_grace());
        return;
    case action::kind::wait:
        if (next.delay.count() <= 0) return scheduler_.retry_due(next.token);
        return arm(next.token, timer_use::retry, next.delay);
    case action::kind::stop_waiting: return disarm(next.token, timer_use::retry);
    case action::kind::arm_branch: return arm(next.token, timer_use::branch, next.delay);
    case action::kind::disarm_branch: return disarm(next.token, timer_use::branch);
    case action::kind::decide: return decide(next.token);
    case action::kind::save: return save(next);
    case action::kind::drop_node: return drop_node(next.token);
    case action::kind::all_parked: return tell_outer(true);
    case action::kind::notice: return tell_notice(next);
    case action::kind::finish: return finish();
    }
}

void run::start_node(token_index index)
{
    const token& t = scheduler_.at(index);
    const graph_node& node = graph_.node(t.node);
    if (rare_ && rare_->outer) note_progress(index);
    if (!node.body->is_coroutine()) return run_plain(index, node);
    if (at_work_.size() <= index) at_work_.resize(index + std::size_t{1});
    auto* const work = new node_run{*this, index, loop_, scheduler_.view_of(index), visit_of(t, node)};
    at_work_[index] = work;
    node_context& context = work->context();
    give_past(context, t);
    if (is_watched()) tell_node(run_event::kind::node_started, context, index);
    loop_.begin_step();
    bool has_ended = true;
    try {
        has_ended = work->start(node.body->make(context));
    } catch (...) {  // the callable threw before it made its coroutine
        const std::exception_ptr cause = std::current_exception();
        at_work_[index] = nullptr;
        const std::unique_ptr<node_run> owned{work};
        return report_exception(index, context, cause, true);
    }
    if (has_ended) return report_end(*work);
    if (const auto timeout = timeout_of(node); timeout.count() > 0) work->limit(timeout);
    if (node.options.idle_max.count() <= 0) return;
    has_idle_limits_ = true;
    work->limit_idleness(node.options.idle_max);
}

/** A node has said something, or a graph within one has moved: the nodes around it are not idle. */
void run::note_progress(token_index index)
{
    if (has_idle_limits_ && index < at_work_.size() && at_work_[index]) at_work_[index]->note_progress();
    if (rare_ && rare_->outer) rare_->outer->note_progress(rare_->outer_token);
}

void run::run_plain(token_index index, const graph_node& node)
{
    const token& t = scheduler_.at(index);
    node_context context{*this, plain_nodes_->task, scheduler_.view_of(index), visit_of(t, node)};
    give_past(context, t);
    if (is_watched()) tell_node(run_event::kind::node_started, context, index);
    const bool is_timed = node.options.timeout.count() > 0;
    const time_point before = is_timed ? loop_.now() : time_point{};
    plain_stage& stage = *plain_nodes_;
    stage.at = index;
    stage.timeout_at = is_timed ? before + node.options.timeout : time_point::max();
    command& answer = stage.answer;
    loop_.begin_step();
    try {
        node.body->run(context, answer);
    } catch (...) {
        answer = command{};
        if (is_watched()) note_step(context, loop_.end_step());
        if (stage.saw_stop && saw_stop_in_plain(index, context)) return;
        return report_exception(index, context, std::current_exception(), true);
    }
    if (is_watched()) note_step(context, loop_.end_step());
    if (stage.saw_stop && saw_stop_in_plain(index, context)) {
        answer = command{};
        return;
    }
    if (answer.is_bare() && !is_timed) return report_nothing(index, context);
    command given = std::exchange(answer, command{});
    // A plain node holds its OS thread, so that its timeout can only be told afterwards.
    if (is_timed && loop_.now() - before >= node.options.timeout)
        return report_failure(index, context,
                              make_failure(context, errc::node_timeout,
                                           "a plain node blocks its loop; make it a coroutine or use on_pool"),
                              true);
    report(index, context, std::move(given));
}

/** A plain node that asked for a stop and was told of one counts as stopped. */
bool run::saw_stop_in_plain(token_index index, node_context& context)
{
    plain_nodes_->saw_stop = false;
    carry_out(due_stop(index, time_point::max()), index);
    if (!scheduler_.at(index).is_stopping) return false;
    report_stopped(index, context);
    return true;
}

/** A node has succeeded without an answer, as most do. */
void run::report_nothing(token_index index, node_context& context)
{
    command& none = plain_nodes_->answer;
    const graph_node& node = graph_.node(scheduler_.at(index).node);
    if (rare_ || is_watched() || node.owes_outputs || node.joins_conversation)
        return report(index, context, std::move(none));
    scheduler_.node_succeeded(index, std::move(context.writes()), none);
}

/** A coroutine node has ended, whatever way. */
void run::report_end(node_run& ended)
{
    const token_index index = ended.token();
    if (scheduler_.at(index).phase == token_phase::deciding) return report_decision(ended);
    if (is_watched() && !ended.was_destroyed()) note_step(ended.context(), loop_.end_step());
    if (ended.saw_stop() && !scheduler_.at(index).is_stopping && !ended.has_timed_out())
        carry_out(due_stop(index, ended.timeout_at()), index);
    const std::unique_ptr<node_run> owned{&ended};
    at_work_[index] = nullptr;
    node_context& context = ended.context();
    end_parking(ended);
    if (scheduler_.at(index).is_stopping) return report_stopped(index, context);
    if (ended.has_timed_out()) {
        std::string detail = "its coroutine was stopped";
        if (ended.was_idle()) detail = "it made no progress for the `idle_max` of the node and was stopped";
        if (ended.was_destroyed()) detail = "it did not stop within the grace period and was destroyed";
        return report_failure(index, context, make_failure(context, errc::node_timeout, std::move(detail)), true);
    }
    if (const std::exception_ptr& cause = ended.work().exception())
        return report_exception(index, context, cause, true);
    if (plain_nodes_ && ended.work().gives_nothing())
        return report_nothing(index, context);
    report(index, context, ended.work().take());
}

void run::node_ended(node_run& ended)
{
    const intrusive_ptr<run> kept{this};
    report_end(ended);
    pump();
}

void run::node_timed_out(node_run& late) { late.stop(stop_grace()); }

void run::node_did_not_stop(node_run& stuck)
{
    const intrusive_ptr<run> kept{this};
    rare().unresponsive.emplace_back(stuck.context().node());
    report_end(stuck);
    pump();
}

void run::pause()
{
    const intrusive_ptr<run> kept{this};
    scheduler_.pause();
    if (rare_)
        for (std::size_t left = rare_->inner.size(); left > 0; --left) {  // backwards: what ends at once is taken out
            if (left > rare_->inner.size()) continue;
            if (run* const inner = rare_->inner[left - 1].at_work) inner->pause();
        }
    if (has_begun_) pump();
}

void run::cancel(std::optional<std::chrono::nanoseconds> grace)
{
    const intrusive_ptr<run> kept{this};
    if (grace) rare().grace = grace;
    note_inner_places();
    scheduler_.stop();
    if (has_begun_) pump();
}

void run::abandon()
{
    if (!done_) return;
    done_ = nullptr;
    is_pumping_ = true;  // nothing is performed any more
    tell_outer(false);
    if (rare_) rare_->disarm();
    if (rare_ && rare_->saving) rare_->saving->destroy();
    for (node_run*& node : at_work_) delete std::exchange(node, nullptr);
    intrusive_ptr_release(this);
}

std::chrono::nanoseconds run::stop_grace() const
{
    return rare_ && rare_->grace ? *rare_->grace : request_.limits().stop_grace();
}

std::chrono::nanoseconds run::timeout_of(const graph_node& node) const
{
    return node.options.timeout.count() > 0 ? node.options.timeout : request_.limits().node_timeout();
}

}  // namespace weft
