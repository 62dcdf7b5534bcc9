#include "run_events.hpp"

#include "run_core.hpp"
#include "run_routing.hpp"

#include <weft/graph/state/written_values.hpp>

#include <algorithm>
#include <utility>

namespace weft {

// Loops measure how long a step takes only while a run on them is watched, since they read the clock twice for it.
run_events::run_events(run_core& core) : core_{core} { core_.loop.measure_steps(true); }

run_events::~run_events()
{
    core_.loop.measure_steps(false);
    // The queues outlive the run.
    if (!may_hold_run_) return;
    for (const auto& subscriber : subscribers_)
        if (const auto queue = subscriber.lock()) queue->on_room(nullptr, nullptr);
}

event_stream run_events::subscribe(slow_subscriber rule)
{
    const std::size_t events_max = std::max<std::size_t>(core_.request.limits().events_max(), 1);
    auto queue = std::make_shared<event_stream::queue>(events_max, rule);
    if (core_.scheduler().course().is_reported()) {
        queue->close();
    } else if (rule == slow_subscriber::hold_run) {
        may_hold_run_ = true;
        queue->on_room(&run_events::hear_room, this);
    }
    subscribers_.push_back(queue);
    return event_stream{std::move(queue)};
}

bool run_events::holds_run() const
{
    return std::any_of(subscribers_.begin(), subscribers_.end(), [](const auto& subscriber) {
        const auto queue = subscriber.lock();
        return queue && queue->holds_run();
    });
}

// A subscriber that held the run up has taken an event, or is gone.
void run_events::hear_room(void* self)
{
    run_core& core = static_cast<run_events*>(self)->core_;
    // From the subscriber's coroutine, which the run may be about to destroy: so not in this call.
    if (core.has_begun && !core.is_performing) core.go_on_soon();
}

void run_events::emit(run_event event)
{
    // Numbers without gaps, so that a subscriber sees what it lost.
    event.sequence = ++sequence_;
    event.at = core_.loop.now();
    const run_identity& run = core_.identity_at(event.at);
    event.id = run.event_id(event.sequence);
    event.run = run.id;
    if (const run_request::event_function* watcher = core_.request.watcher()) {
        try {
            (*watcher)(event);
        } catch (...) {
            // A watcher that throws does not disturb the run.
        }
    }
    for (const auto& subscriber : subscribers_)
        if (const auto queue = subscriber.lock()) queue->push(event);
}

void run_events::notify_started()
{
    run_event event;
    event.what = run_event::kind::run_started;
    event.written =
        std::make_shared<written_values>(write_set{}, core_.scheduler().where().root->snapshot(), false);
    emit(std::move(event));
}

void run_events::notify_ended()
{
    const run_course& ended = core_.scheduler().course();
    run_event event;
    event.what = ended.status() == run_status::paused ? run_event::kind::run_paused : run_event::kind::run_finished;
    event.text = name_of(ended.status());
    if (ended.was_cut_short()) event.label = run_event::cut_short;
    emit(std::move(event));
    for (const auto& subscriber : subscribers_)
        if (const auto queue = subscriber.lock()) queue->close();
}

void run_events::notify_output(const node_context& from, std::string_view kind, std::string_view text)
{
    run_event event;
    event.what = run_event::kind::output;
    event.node = from.node();
    event.visit = from.visit();
    event.attempt = from.attempt();
    event.label = kind;
    event.text = text;
    emit(std::move(event));
}

namespace {

run_event event_of(run_event::kind what, const node_context& node, branch_index branch, std::string text)
{
    run_event event;
    event.what = what;
    event.node = node.node();
    event.branch = branch;
    event.visit = node.visit();
    event.attempt = node.attempt();
    event.text = std::move(text);
    return event;
}

}  // namespace

void run_events::notify_node(run_event::kind what, const node_context& node, branch_index branch, std::string text)
{
    emit(event_of(what, node, branch, std::move(text)));
}

run_request::writes_rest run_events::amend_writes(node_context& node, branch_index branch)
{
    const run_request::writes_function* const amend = core_.request.amender();
    if (!amend || node.writes().empty()) return {};
    run_event visit = event_of(run_event::kind::node_succeeded, node, branch, {});
    visit.run = core_.identity_at(core_.loop.now()).id;
    return (*amend)(visit, node.writes());
}

void run_events::notify_question(run_event::kind what, const node_context& node, branch_index branch,
                               const std::string& address, std::string text,
                               std::shared_ptr<const boost::json::value> about)
{
    run_event event = event_of(what, node, branch, std::move(text));
    event.label = address;
    event.about = std::move(about);
    emit(std::move(event));
}

void run_events::notify_notice(const action& notice)
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
    event.node = core_.graph.name_of(notice.node);
    event.source = core_.graph.name_of(notice.source);
    event.branch = notice.branch == no_index ? 0 : notice.branch;
    event.number = notice.number;
    event.edge = notice.edge;
    if (notice.notice == action::notice_kind::state_written || notice.notice == action::notice_kind::branches_joined)
        event.written = take_written(core_.scheduler());
    emit(std::move(event));
}

void run_events::notify_route(const route_choice& choice, const graph_node& from)
{
    run_event event;
    event.what = choice.what;
    event.text = choice.text;
    event.node = choice.name;
    event.source = from.name;
    emit(std::move(event));
}

}  // namespace weft
