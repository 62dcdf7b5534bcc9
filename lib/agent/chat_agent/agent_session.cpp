#include <weft/agent/agent_session.hpp>

#include <weft/base/error.hpp>
#include <weft/graph/answer_parsing.hpp>

#include <utility>

namespace weft {

namespace {

/** Gives a request the value that the run before left, whatever the key's reducer. */
template <class T, class R>
void carry_on(run_request& request, const state& before, const state_key<T, R>& key)
{
    if (const T* const value = before.find(key)) request.overwrite(key, *value);
}

}  // namespace

agent_session::agent_session(graph agent, std::string thread, agent_session_options options)
    : engine_{std::move(agent)}, thread_{std::move(thread)}, options_{std::move(options)}
{
    if (!options_.aborts) options_.aborts = std::make_shared<latest_run_registry>();
}

task<run_result> agent_session::say(std::string text) { return run_one(*this, {std::move(text), false}); }

task<run_result> agent_session::answer(std::string text) { return run_one(*this, {std::move(text), true}); }

run_request agent_session::new_turn(std::string text) const
{
    run_request request{thread_};
    if (last_) {
        carry_on(request, *last_, agent_keys::conversation);
        carry_on(request, *last_, agent_keys::input_times);
        carry_on(request, *last_, agent_keys::estimator);
        carry_on(request, *last_, agent_keys::workflow_running);
    }
    request.input(agent_keys::input, std::move(text));
    return request;
}

run_request agent_session::answered(std::string_view text) const
{
    const std::string where = "session of thread '" + thread_ + "'";
    if (questions_.empty()) throw error{errc::invalid_answer, where, "no question is open: say it instead"};
    std::vector<addressed_question> asked;
    for (const open_question& one : questions_) asked.push_back({one.address, &one.asked});
    std::vector<addressed_answer> given = parse_answers(asked, text);
    if (given.empty())
        throw error{errc::invalid_answer, where, "the text does not answer '" + questions_.front().asked.text + "'"};
    run_request request{thread_};
    request.resume(paused_at_);
    for (auto& [address, value] : given) request.answer(std::move(address), std::move(value));
    return request;
}

run_request agent_session::request_for(utterance said) const
{
    run_request request = said.is_answer ? answered(said.text) : new_turn(std::move(said.text));
    request.options(options_.limits);
    if (options_.on_event) request.on_event(options_.on_event);
    return request;
}

task<run_result> agent_session::run_one(agent_session& self, utterance said)
{
    if (said.is_answer) (void)self.answered(said.text);  // refused before anything is stopped
    completion_notice notice{self.thread_, self.options_.on_complete};
    latest_run_registry::claim mine = self.options_.aborts->take(self.thread_);
    // The run before was stopped by the claim and still has to end: its state is what this one goes on from.
    const slot_limiter::slot turn = co_await self.turn_.acquire();
    run_request request = self.request_for(std::move(said));
    request.stop(mine.token());
    run_result result = co_await self.engine_.run(std::move(request));
    self.last_ = result.state;
    self.paused_at_ = result.paused_at;
    self.questions_ = result.questions;
    // Before watchers are told: one of them may begin the next turn at once.
    mine.release();
    (void)notice.tell(completion_of(result, self.thread_));
    co_return result;
}

}  // namespace weft
