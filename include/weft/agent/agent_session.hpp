#pragma once

#include <weft/agent/agent_graph.hpp>
#include <weft/agent/chat_agent/latest_run_registry.hpp>
#include <weft/agent/chat_agent/completion_signal.hpp>
#include <weft/async/task.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/engine/engine.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** How a session runs its agent. */
struct agent_session_options {
    agent_session_options() {}

    run_options limits = agent_run_options();
    completion_notice::function on_complete{};               ///< Once for each `say`, on the loop.
    std::function<void(const run_event&)> on_event{};
    std::shared_ptr<latest_run_registry> aborts{};  ///< Shared with other sessions; null: one of its own.
};

/** A conversation with an agent: what the user says, run after run, each with the conversation that the one before
 *  left.
 *
 *      weft::agent_session session{weft::agent_graph(options), "thread-1"};
 *      weft::run_result result = co_await session.say("What is rain?");
 *      std::cout << result.get(weft::agent_keys::status).reply;
 *
 *  A second `say` while one is under way supersedes it: that one is stopped, and the second begins when it has ended.
 *  The agent is an `agent_graph`, or a `workflow_agent_graph`: then a workflow that the agent has started runs within
 *  the same `say`, behind the agent's loop, and the agent goes on with its result.
 *
 *  Sessions live in one process; for talks that outlive it, run the graph by `durable_engine`.
 *
 *  @par Thread safety   `abort` from any OS thread; everything else on one loop.
 *  @par Lifetimes       The session outlives its tasks.
 */
class agent_session {
public:
    agent_session(graph agent, std::string thread, agent_session_options options = {});

    /** One run of the agent.
     *
     *  @return              What became of it; the conversation of a run that was stopped has the input, if it came so
     *                            far.
     *  @par Errors          `errc::cancelled` if the waiting for the run before is stopped.
     *  @par Cancellation    Aborts the run, which is awaited. The signal is given however it ends.
     */
    [[nodiscard]] task<run_result> say(std::string text);

    /** Goes on with a run that has paused with questions, such as one of a workflow, with answers that a person typed;
     *  see `parse_answers`. A `say` leaves such a run where it is, and begins another one.
     *
     *  @return              As `say`.
     *  @par Errors          `errc::invalid_answer` if no question is open, or if the text answers none of them: it can
     *                       be tried again. `errc::cancelled` as `say`.
     *  @par Cancellation    As `say`. */
    [[nodiscard]] task<run_result> answer(std::string text);
    /** What `answer` would answer; empty: nothing. */
    [[nodiscard]] const std::vector<open_question>& questions() const noexcept { return questions_; }

    /** Stops the run that is under way. @return  False if none is. */
    bool abort() { return options_.aborts->abort(thread_); }

    [[nodiscard]] const std::string& thread() const noexcept { return thread_; }
    /** What the last run left; nothing before its end. */
    [[nodiscard]] const std::optional<state>& last() const noexcept { return last_; }

private:
    /** What a person says, as a turn or as an answer. */
    struct utterance {
        std::string text;
        bool is_answer;
    };

    [[nodiscard]] run_request request_for(utterance said) const;
    [[nodiscard]] run_request new_turn(std::string text) const;
    [[nodiscard]] run_request answered(std::string_view text) const;
    static task<run_result> run_one(agent_session& self, utterance said);

    engine engine_;
    std::string thread_;
    agent_session_options options_;
    std::optional<state> last_;
    std::shared_ptr<const frontier> paused_at_;
    std::vector<open_question> questions_;
    slot_limiter turn_{1};
};

}  // namespace weft
