#include <weft/agent/agent_session.hpp>

#include <utility>

namespace weft {

namespace {

/** Gives a request the value that the run before left, whatever the key's reducer. */
template <class T, class R>
void carry_on(run_request& request, const state& before, const state_key<T, R>& key)
{
    if (const T* const value = before.find(key)) std::move(request).overwrite(key, *value);
}

}  // namespace

agent_session::agent_session(graph agent, std::string thread, agent_session_options options)
    : engine_{std::move(agent)}, thread_{std::move(thread)}, options_{std::move(options)}
{
    if (!options_.aborts) options_.aborts = std::make_shared<abort_desk>();
}

task<run_result> agent_session::say(std::string text) { return run_one(*this, std::move(text)); }

run_request agent_session::request_for(std::string text, std::stop_token stop) const
{
    run_request request{thread_};
    if (last_) {
        carry_on(request, *last_, agent_keys::talk);
        carry_on(request, *last_, agent_keys::input_times);
        carry_on(request, *last_, agent_keys::estimator);
        carry_on(request, *last_, agent_keys::workflow_running);
    }
    std::move(request).input(agent_keys::input, std::move(text)).options(options_.limits).stop(std::move(stop));
    if (options_.on_event) std::move(request).on_event(options_.on_event);
    return request;
}

task<run_result> agent_session::run_one(agent_session& self, std::string text)
{
    completion_notice notice{self.thread_, self.options_.on_complete};
    abort_desk::claim mine = self.options_.aborts->take(self.thread_);
    const slot_limiter::slot turn = co_await self.turn_.acquire();
    run_request request = self.request_for(std::move(text), mine.token());
    run_result result = co_await self.engine_.run(std::move(request));
    self.last_ = result.state;
    mine.release();
    (void)notice.tell(completion_of(result, self.thread_));
    co_return result;
}

}  // namespace weft
