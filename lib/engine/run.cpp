#include "run_rare_part.hpp"

#include <weft/base/error.hpp>

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

schedule_limits limits_of(const run_options& options)
{
    schedule_limits limits;
    limits.steps_max = options.steps_max();
    limits.in_a_row_max = options.in_a_row_max();
    limits.fails_at_limit =
        options.at_limit() == step_limit_action::fail || options.at_limit() == step_limit_action::raise;
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
            for (state_update::item& item : values->items())
                writes.push_back({graph_.layout()->require(item.key, "input"), item.is_overwrite, false,
                                  std::move(item.value)});
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
                 limits_of(request_.limits())},
      started_{loop.now()}
{
    if (request_.resumed_from()) {
        // Values that joined where it goes on are kept before they are used.
        const state_update* const first = request_.first_values();
        const bool has_input = (first && !first->is_empty()) || request_.json_values();
        if (has_input) scheduler_.changed(checkpoint_kind::node_start, no_node);
    }
    request_.drop_first_values();
    if (request_.watcher()) {
        watch_ = std::make_unique<watch_part>();
        scheduler_.give_notices();
    }
}

run::~run()
{
    for (node_run* node : at_work_) delete node;
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
struct run::plain_stage {
    explicit plain_stage(serial_loop& loop) noexcept : task{&loop, &never} {}
    stop_scope never;  // nothing stops a plain node: it holds the loop
    task_context task;
    command answer;    // bare between nodes
};

void run::pump()
{
    if (is_pumping_) return;  // stays so after the end
    is_pumping_ = true;
    // A bounded batch: a graph of plain nodes that loops must not keep the loop from sockets, timers and stops.
    constexpr int batch = 512;
    int done = 0;
    plain_stage stage{loop_};
    plain_nodes_ = &stage;
    // A pause that is asked for while a plain node runs must keep the next one from starting.
    const bool may_be_paused = rare_ && rare_->from_pause;
    for (;;) {
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
        if (next.token < at_work_.size() && at_work_[next.token])
            at_work_[next.token]->stop(stop_grace());
        return;
    case action::kind::wait: return arm(next.token, timer_use::retry, next.delay);
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
    if (!node.body->is_coroutine()) return run_plain(index, node);
    if (at_work_.size() <= index) at_work_.resize(index + std::size_t{1});
    auto* const work = new node_run{*this, index, loop_, scheduler_.view_of(index), visit_of(t, node)};
    at_work_[index] = work;
    node_context& context = work->context();
    give_past(context, t);
    if (is_watched()) tell_node(run_event::kind::node_started, context, index);
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
}

void run::run_plain(token_index index, const graph_node& node)
{
    const token& t = scheduler_.at(index);
    node_context context{*this, plain_nodes_->task, scheduler_.view_of(index), visit_of(t, node)};
    give_past(context, t);
    if (is_watched()) tell_node(run_event::kind::node_started, context, index);
    const bool is_timed = node.options.timeout.count() > 0;
    const time_point before = is_timed ? loop_.now() : time_point{};
    command& answer = plain_nodes_->answer;
    try {
        node.body->run(context, answer);
    } catch (...) {
        answer = command{};
        return report_exception(index, context, std::current_exception(), true);
    }
    if (answer.is_bare() && !is_timed) return report_nothing(index, context);
    command given = std::exchange(answer, command{});
    // A plain node holds its OS thread, so that its timeout can only be told afterwards.
    if (is_timed && loop_.now() - before > node.options.timeout)
        return report_failure(index, context,
                              make_failure(context, errc::node_timeout,
                                           "a plain node blocks its loop; make it a coroutine or use on_pool"),
                              true);
    report(index, context, std::move(given));
}

/** A node has succeeded without an answer, as most do. */
void run::report_nothing(token_index index, node_context& context)
{
    command& none = plain_nodes_->answer;
    if (rare_ || is_watched() || graph_.node(scheduler_.at(index).node).owes_outputs)
        return report(index, context, std::move(none));
    scheduler_.node_succeeded(index, std::move(context.writes()), none);
}

void run::report_failure(token_index index, node_context& context, failure_ptr cause, bool may_retry)
{
    if (is_watched()) tell_node(run_event::kind::node_failed, context, index, cause->message);
    const std::string visit = visit_to_settle(index);
    scheduler_.node_failed(index, std::move(cause), loop_.random().uniform(), may_retry);
    if (!scheduler_.is_visited_again(index)) settle_visit(visit);
}

void run::report_exception(token_index index, node_context& context, const std::exception_ptr& cause, bool may_retry)
{
    report_failure(index, context, make_failure(context, code_of(cause), text_of(cause), cause), may_retry);
}

/** A coroutine node has ended, whatever way. */
void run::report_end(node_run& ended)
{
    const token_index index = ended.token();
    if (scheduler_.at(index).phase == token_phase::deciding) return report_decision(ended);
    const std::unique_ptr<node_run> owned{&ended};
    at_work_[index] = nullptr;
    node_context& context = ended.context();
    end_parking(ended);
    if (scheduler_.at(index).is_stopping) {
        if (is_watched()) tell_node(run_event::kind::node_failed, context, index, std::string{run_event::stopped});
        const std::string visit = visit_to_settle(index);
        scheduler_.node_stopped(index, std::move(context.writes()));
        if (!scheduler_.is_visited_again(index)) settle_visit(visit);
        return;
    }
    if (ended.has_timed_out()) {
        std::string detail = "its coroutine was stopped";
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
        for (std::size_t i = 0; i < rare_->inner.size(); ++i)
            if (run* const inner = rare_->inner[i].at_work) inner->pause();
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

failure_ptr run::make_failure(const node_context& context, errc code, std::string detail,
                              std::exception_ptr cause) const
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

std::chrono::nanoseconds run::stop_grace() const
{
    return rare_ && rare_->grace ? *rare_->grace : request_.limits().stop_grace();
}

std::chrono::nanoseconds run::timeout_of(const graph_node& node) const
{
    return node.options.timeout.count() > 0 ? node.options.timeout : request_.limits().node_timeout();
}

}  // namespace weft
