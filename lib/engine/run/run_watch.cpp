#include "run_rare_part.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft {

event_stream run::subscribe(slow_subscriber rule)
{
    if (!watch_) watch_ = std::make_unique<watch_part>(loop_);
    scheduler_.give_notices();
    auto queue = std::make_shared<event_stream::queue>(std::max<std::size_t>(request_.limits().events_max(), 1), rule);
    if (scheduler_.course().is_told()) {
        queue->close();
    } else if (rule == slow_subscriber::hold_run) {
        watch_->may_hold = true;
        queue->on_room(&run::hear_room, this);
    }
    watch_->subscribers.push_back(queue);
    return event_stream{std::move(queue)};
}

bool run::is_held_up() const
{
    return std::any_of(watch_->subscribers.begin(), watch_->subscribers.end(), [](const auto& subscriber) {
        const auto queue = subscriber.lock();
        return queue && queue->holds_run();
    });
}

/** A subscriber that held the run up has taken an event, or is gone. */
void run::hear_room(void* self)
{
    auto& held = *static_cast<run*>(self);
    if (held.has_begun_ && !held.is_pumping_ && !held.pump_later_.is_queued()) held.loop_.defer(held.pump_later_);
}

void run::open_saving()
{
    const run_keeping& how = *request_.limits().kept();
    if (how.mode() == durability::off) return;
    rare().saving.emplace(*this, loop_, how);
}

/** A save that fails stops the run: what was not kept must not be built upon. */
void run::save(const action& next)
{
    note_spent();
    note_elapsed();
    const std::string_view node = next.node == no_node ? std::string_view{} : graph_.name_of(next.node);
    if (rare_ && rare_->saving) rare_->saving->save(scheduler_.restart().to_save(), next.moment, node);
    if (!request_.limits().on_save()) return;
    try {
        (*request_.limits().on_save())(scheduler_.where());
    } catch (...) {
        failure wrong;
        wrong.cause = std::current_exception();
        wrong.code = code_of(wrong.cause);
        wrong.message = "`on_save` of the run threw: " + text_of(wrong.cause);
        scheduler_.stop(std::make_shared<const failure>(std::move(wrong)));
    }
}

void run::emit(const node_context& from, std::string_view kind, std::string_view text)
{
    if (has_idle_limits_ || (rare_ && rare_->outer)) note_progress(token_of(from));
    if (!is_watched()) return;
    run_event event;
    event.what = run_event::kind::output;
    event.node = from.node();
    event.visit = from.visit();
    event.attempt = from.attempt();
    event.label = kind;
    event.text = text;
    tell(std::move(event));
}

void run::note_step(const node_context& node, std::chrono::nanoseconds held)
{
    const std::chrono::nanoseconds limit = request_.limits().warn_blocked_after();
    if (limit.count() <= 0 || held < limit) return;
    const auto held_ms = std::chrono::duration_cast<std::chrono::milliseconds>(held).count();
    emit(node, "warning",
         "node '" + std::string{node.node()} + "' held its loop for " + std::to_string(held_ms) +
             " ms, in which no other run, socket or timer of it went on: let it wait with co_await, or use on_pool");
}

void run::tell_node(run_event::kind what, const node_context& context, token_index token, std::string text)
{
    run_event event;
    event.what = what;
    event.node = context.node();
    event.branch = token;
    event.visit = context.visit();
    event.attempt = context.attempt();
    event.text = std::move(text);
    tell(std::move(event));
}

void run::tell_notice(const action& notice)
{
    run_event event;
    switch (notice.notice) {
    case action::notice_kind::none: return;
    case action::notice_kind::node_skipped: event.what = run_event::kind::node_skipped; break;
    case action::notice_kind::state_written: event.what = run_event::kind::state_written; break;
    case action::notice_kind::edge_taken: event.what = run_event::kind::edge_taken; break;
    case action::notice_kind::branches_started: event.what = run_event::kind::branches_started; break;
    case action::notice_kind::branch_ended: event.what = run_event::kind::branch_ended; break;
    case action::notice_kind::branches_joined: event.what = run_event::kind::branches_joined; break;
    case action::notice_kind::node_retried: event.what = run_event::kind::node_retried; break;
    }
    event.node = graph_.name_of(notice.node);
    event.source = graph_.name_of(notice.source);
    event.branch = notice.token == no_index ? 0 : notice.token;
    event.number = notice.number;
    event.edge = notice.edge;
    tell(std::move(event));
}

/** Made when something asks for it: most runs are not watched, and end before they need a name. */
const run_identity& run::identity(time_point now)
{
    if (identity_.id.is_nil()) identity_.id = loop_.next_id<run_id>(now);
    return identity_;
}

void run::tell(run_event event)
{
    event.sequence = ++watch_->sequence;
    event.at = loop_.now();
    event.id = identity(event.at).event_id(event.sequence);
    event.run = identity_.id;
    if (const run_request::event_function* watcher = request_.watcher()) {
        try {
            (*watcher)(event);
        } catch (...) {
            // Watchers do not disturb runs; what they throw concerns nobody here.
        }
    }
    for (const auto& subscriber : watch_->subscribers)
        if (const auto queue = subscriber.lock()) queue->push(event);
}

}  // namespace weft
