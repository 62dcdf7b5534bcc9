#include <weft/agent/chat_agent/heartbeat_service.hpp>

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace agent_detail {

/** Says that a beat is under way as long as it is there. Not unnamed: the frame of a coroutine has it as a field. */
class heartbeat_mark {
public:
    explicit heartbeat_mark(bool& flag) noexcept : flag_{flag} { flag_ = true; }
    heartbeat_mark(const heartbeat_mark&) = delete;
    heartbeat_mark& operator=(const heartbeat_mark&) = delete;
    ~heartbeat_mark() { flag_ = false; }

private:
    bool& flag_;
};

}  // namespace agent_detail

namespace {

void tell_heartbeat(const std::function<void(const heartbeat_event&)>& whom, const heartbeat_event& event) noexcept
{
    if (!whom) return;
    try {
        whom(event);
    } catch (...) {  // a watcher that throws must not end the beat
    }
}

/** The first moment behind `now` at which a beat is due. */
time_point next_due(time_point due, time_point now, std::chrono::nanoseconds every)
{
    if (due > now) return due;
    // Beats that were missed are left out, and the rhythm stays: no burst follows a long beat.
    return due + ((now - due) / every + 1) * every;
}

}  // namespace

heartbeat_service::heartbeat_service(graph heartbeat, heartbeat_service_options options)
    : engine_{std::move(heartbeat)}, options_{std::move(options)}
{
    if (options_.every < std::chrono::milliseconds{1})
        throw error{errc::invalid_configuration, "heartbeat_service", "every is less than a millisecond: raise it"};
}

task<void> heartbeat_service::run() { return keep_on(*this); }
task<bool> heartbeat_service::beat() { return beat_once(*this); }

task<void> heartbeat_service::keep_on(heartbeat_service& self)
{
    const task_context& context = co_await this_task::context();
    time_point due = context.loop->now();
    if (!self.options_.begins_at_once) due += self.options_.every;
    for (;;) {
        co_await sleep_for(due - context.loop->now());
        (void)co_await beat_once(self);
        due = next_due(due, context.loop->now(), self.options_.every);
    }
}

task<bool> heartbeat_service::beat_once(heartbeat_service& self)
{
    if (self.is_beating_) co_return false;
    const agent_detail::heartbeat_mark now{self.is_beating_};
    heartbeat_event event;
    event.beat = ++self.beats_;
    event.thread = self.engine_.graph().name();
    event.thread += "_" + std::to_string(event.beat);
    event.failures_in_a_row = self.options_.streak.count;
    self.audit(event);
    run_request request = self.request_for(event.thread);
    const run_result result = co_await self.engine_.run(std::move(request));
    event = self.judge(result, std::move(event));
    self.audit(event);
    co_return true;
}

run_request heartbeat_service::request_for(const std::string& thread) const
{
    run_request request{thread};
    heartbeat_status begins;
    begins.summary = last_.summary;
    begins.focus = last_.focus;
    request.input(heartbeat_keys::status, std::move(begins)).options(options_.limits);
    if (!blocker_.empty()) {
        conversation notes;
        (void)notes.add(message::system(blocker_), provenance{});
        request.overwrite(heartbeat_keys::notes, std::move(notes));
    }
    if (options_.on_event) request.on_event(options_.on_event);
    return request;
}

heartbeat_event heartbeat_service::judge(const run_result& result, heartbeat_event event)
{
    using kind = heartbeat_event::kind;
    if (result.status == run_status::cancelled || result.status == run_status::paused) {
        // A run that was stopped says nothing about whether the next one fails.
        options_.streak.stopped();
        event.what = kind::aborted;
        return event;
    }
    if (const heartbeat_status* const left = result.state.find(heartbeat_keys::status)) last_ = *left;
    const agent_status* const agent = result.state.find(heartbeat_keys::agent);
    const bool is_blocked = agent && agent->stop == agent_stop::blocked;
    blocker_ = is_blocked ? blocker_note(agent->outcome) : std::string{};
    const bool has_failed = result.status == run_status::failed || last_.last == agent_stop::failed ||
                            last_.last == agent_stop::agent_error;
    event.what = has_failed ? kind::failed : kind::completed;
    event.text = last_.summary;
    if (result.status == run_status::failed) event.text = result.message();
    else if (has_failed && agent && !agent->failure.empty()) event.text = agent->failure;
    if (has_failed) {
        const bool is_due = options_.streak.failed();
        event.failures_in_a_row = options_.streak.count;
        if (is_due) tell_heartbeat(options_.on_notice, event);
    } else {
        options_.streak.succeeded();
        event.failures_in_a_row = 0;
    }
    return event;
}

void heartbeat_service::audit(const heartbeat_event& event) const noexcept { tell_heartbeat(options_.on_audit, event); }

}  // namespace weft
