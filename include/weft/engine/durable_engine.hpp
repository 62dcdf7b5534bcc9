#pragma once

#include <weft/async/task.hpp>
#include <weft/async/task/asio_fwd.hpp>
#include <weft/engine/checkpoint/thread_snapshot.hpp>
#include <weft/engine/durable/durable_graphs.hpp>
#include <weft/engine/durable/durable_request.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** Runs graphs so that their runs survive the process: a crash, a deploy, a person's lunch break, a second process.
 *
 *      weft::durable_engine durable{store, graphs};
 *      co_await durable.open();
 *      weft::run_result result = co_await durable.run(weft::run_request{"t-1"}.input(topic, "rain"));
 *
 *  The promise: each state transition counts exactly once. Effects on the world happen at least once, with a key that
 *  is the same each time (`node_context::once`). See docs/DURABLE_RUNS.md.
 *
 *  A process is a worker of the store and shows every few seconds that it lives. When it cannot, it stops its runs
 *  itself (`errc::thread_lost`) before others take them over; should it not notice, the store refuses its writes.
 *
 *  @par Errors          Those of `checkpoint_store`, of all functions. A run that has begun never throws: what the
 *                       store refuses then fails the run, see `run_result::why`.
 *  @par Thread safety   None: one engine for each loop; any number of engines, here and elsewhere, share a store. The
 *                       `async_` functions are called from any OS thread. `durable_service` has an engine per core.
 *  @par Lifetimes       Outlives the tasks it gives out, except that it may be destroyed while they are destroyed: that
 *                       is a crash as far as the store is concerned. The store outlives it.
 *  @par Example         samples/11_durable_run.cpp [run]
 */
class durable_engine {
public:
    durable_engine(checkpoint_store& store, std::shared_ptr<const durable_graphs> graphs,
                   durable_options options = durable_options{});
    ~durable_engine();
    durable_engine(const durable_engine&) = delete;
    durable_engine& operator=(const durable_engine&) = delete;

    /** Enters the store as a worker and begins to show that it lives, on the loop of the awaiting coroutine. First. */
    [[nodiscard]] task<void> open();
    /** As `drain`, then leaves the store: what is left is ready for others at once. It may be opened again; until then
     *  each call that needs a worker is refused at once with `errc::invalid_configuration`. */
    [[nodiscard]] task<void> close();
    /** The worker's number; 0 while it is not open. */
    [[nodiscard]] worker_id worker() const noexcept;
    /** Whether it does what a worker does: the store counts it as alive, it does not drain, and the last look for work
     *  (`work`) was answered within the lifetime. A process that lives and does not get on says false. */
    [[nodiscard]] bool takes_runs() const noexcept;
    /** How many runs it has. */
    [[nodiscard]] std::size_t runs() const noexcept;
    /** Takes other graphs in the place of those that it has: for runs that begin, or go on after a wait, from now on.
     *  Runs under way keep the graphs that they began with. */
    void use_graphs(std::shared_ptr<const durable_graphs> graphs);

    // Runs.

    /** Runs a graph in a thread.
     *
     *  A thread whose last run is over begins anew with the state that it left, and the input joins that. One whose run
     *  did not come to its end goes on from its last checkpoint, and the input joins the state there: nodes that have
     *  completed and branches that have finished do not run again. With `durable_request::anew` it begins at the start.
     *
     *  With `interrupts::park` it stays in this process while only answers are missing, for
     *  `durable_options::park_for`; `answer` goes on with it, from any process.
     *
     *  @return              As `engine::run`. `paused`: it waits, in the store; `resume` or another `run` goes on. A
     *                       run with a known idempotency key gives the result of the first, wherever that runs.
     *  @par Errors
     *    - `errc::invalid_configuration`  the request names no thread, or the engine is not open.
     *    - `errc::thread_is_busy`   another run of the thread is under way, and the policy is to reject; says which
     *                               one, and which worker has it.
     *    - `errc::graph_changed`    in the result: the thread cannot go on with this graph; see `durable_graphs`.
     *    - `errc::thread_lost`      in the result: another process has the run.
     *  @par Cancellation    A stop of the awaiting coroutine cancels the run and keeps its partial work; while it waits
     *                       for its turn, only the waiting ends. Destroying the coroutine gives the run back with the
     *                       next sign of life, for `recover`. */
    [[nodiscard]] task<run_result> run(durable_request request);
    /** Answers questions of a waiting run and goes on with it; also with one that its process left, once that is given
     *  up. A run that is under way, because it is parked or other nodes of it run, goes on where it is: then this waits
     *  for its end, or until it can be taken.
     *
     *  A thread whose last run failed, was cancelled or is dead goes on where that was broken off, as a run of its own:
     *  only nodes that failed or were cut short run again, each in the same visit, with the same keys for its effects
     *  and with all its attempts. What branches had finished stays. Limits and budgets go on as well: a run that has
     *  used them up goes on with larger ones.
     *  @param answers   By address; those that are not answered here stay open, and the run waits for them again.
     *  @param with      First values, which join the state of a run that waits, and watchers; of a run that is under
     *                   way they count only if it is taken.
     *  @par Errors
     *    - `errc::thread_not_found`  the thread has no run that waits, was left or broken off.
     *    - `errc::unknown_question`  no such question is open, or it has another answer already; none was answered.
     *      The same answer once more is no error.
     *    - `errc::invalid_answer`    an answer does not fit its question; none was answered. */
    [[nodiscard]] task<run_result> resume(thread_key thread, question_answers answers = question_answers{},
                                          run_request with = run_request{});
    /** Makes a run that is `dead`, failed or was cancelled ready for the next worker, where it was broken off: with its
     *  visits, and the same keys for its effects. `work` or `recover`, here or elsewhere, takes it; `resume` would take
     *  it here at once.
     *  @return  False if the thread has nothing to go on with: a run that is under way or waits, one that came to its
     *           end, or one without a checkpoint. `run` begins that one anew, with its input. */
    [[nodiscard]] task<bool> revive(thread_key thread);
    /** Lets what a dead run was to do be done by a new run: as `revive`, and one that died before its first checkpoint
     *  begins anew, with its input. The dead run stays as it is.
     *  @return  False if it is not dead, or its thread has gone on since. */
    [[nodiscard]] task<bool> retry(run_id dead);
    /** Answers questions from any process. A node that waits for one goes on: here at once, in another process with its
     *  next look. A run that waits in the store is ready for the next worker as soon as all its questions are answered:
     *  `work` and `recover` take it, here or elsewhere, or `resume`.
     *  @par Errors  As `resume`. */
    [[nodiscard]] task<void> answer(thread_key thread, question_answers answers);
    /** Delivers an event to all nodes of a thread that wait for it (`question_for_event`, the kind `wait` of graph
     *  files), from any process; what becomes of the run is as for `answer`.
     *  @param payload   What they get.
     *  @par Errors
     *    - `errc::thread_not_found`  the thread has neither a run nor a checkpoint.
     *    - `errc::unknown_question`  no node waits for the event now; the detail says what is waited for.
     *    - `errc::invalid_answer`    the payload does not fit what one of them waits for; none got it. */
    [[nodiscard]] task<void> deliver_event(thread_key thread, std::string event, boost::json::value payload);
    /** Waits until the run of a thread ends or waits, wherever it runs, and takes nothing over.
     *  @return   What the store knows of it; of a thread without an active run, of its last run.
     *  @par Errors        `errc::thread_not_found`  the thread has neither a run nor a checkpoint.
     *  @par Cancellation  Of the waiting only. */
    [[nodiscard]] task<run_result> follow(thread_key thread);
    /** The questions without an answer, oldest first. */
    [[nodiscard]] task<std::vector<open_question>> questions(thread_key thread);
    /** What the visits that are under way have written down of their effects, by address. In a thread that no process
     *  runs, an effect that is only intended is in doubt. */
    [[nodiscard]] task<std::vector<effect_record>> effects(thread_key thread);
    /** Lets the running nodes finish and starts no further one, wherever the run is: at once in this process, with its
     *  next heartbeat in another one. @return False if the thread has no active run. */
    [[nodiscard]] task<bool> pause(thread_key thread);
    /** The same with everything stopped at once; what was published is kept. */
    [[nodiscard]] task<bool> stop(thread_key thread);

    // The same from Asio code and other OS threads, once the engine is open: any completion token.

    /** As `run`: `void(std::exception_ptr, run_result)`. Terminal cancellation by the token's slot cancels the run. */
    template <boost::asio::completion_token_for<void(std::exception_ptr, run_result)> Token>
    auto async_run(durable_request request, Token&& token)
    {
        return async_start(home(), run(std::move(request)), std::forward<Token>(token));
    }
    /** As `resume`: `void(std::exception_ptr, run_result)`. */
    template <boost::asio::completion_token_for<void(std::exception_ptr, run_result)> Token>
    auto async_resume(thread_key thread, question_answers answers, Token&& token)
    {
        return async_start(home(), resume(std::move(thread), std::move(answers)), std::forward<Token>(token));
    }
    /** As `answer`: `void(std::exception_ptr)`. */
    template <boost::asio::completion_token_for<void(std::exception_ptr)> Token>
    auto async_answer(thread_key thread, question_answers answers, Token&& token)
    {
        return async_start(home(), answer(std::move(thread), std::move(answers)), std::forward<Token>(token));
    }

    // A worker.

    /** Takes over what others left: gives up workers without a sign of life, and runs what is ready until nothing is.
     *  @return How many runs it took. What became of them is in the store. */
    [[nodiscard]] task<std::size_t> recover();
    /** The same for ever: runs up to `runs_max` runs at once, until `drain`.
     *  @par Cancellation    Its runs are stopped where they are and ready for others at once. */
    [[nodiscard]] task<void> work();
    /** Pauses all runs at their next node and gives them back, ready for others at once. `run` then gives `paused`.
     *  After `durable_options::drain_for` it stops what still runs, and gives that back as well: then `cancelled`. */
    [[nodiscard]] task<void> drain();

    // Time travel.

    [[nodiscard]] task<std::vector<checkpoint_info>> history(thread_key thread, history_page page = history_page{});
    /** A checkpoint; without a number the newest.
     *  @par Errors  `errc::thread_not_found`; those of `read_frontier`. */
    [[nodiscard]] task<thread_snapshot> read(thread_key thread, std::optional<std::int64_t> sequence = std::nullopt);
    /** Makes a thread out of a checkpoint of another one, with values changed.
     *  @return      Where it begins.
     *  @par Errors  `errc::thread_not_found`; `errc::thread_is_busy` if `to` has a history or a run. */
    [[nodiscard]] task<thread_snapshot> fork(thread_key from, std::int64_t sequence, thread_key to,
                                             state_update edits = state_update{});
    /** Changes values of a thread that no run is under way in, by a checkpoint of the kind `edit`. A run that waits for
     *  answers waits on, for the same ones, and goes on with what was changed.
     *  @param from   The checkpoint that the thread goes back to, 0 being the beginning; nothing: the newest. What came
     *                after it stays in the history, and a run that waits is cancelled; `resume` goes on from there with
     *                keys of its own for its effects. The metadata of the run that stands for the edit has it as
     *                `weft.from`.
     *  @par Errors  `errc::thread_not_found`, `errc::thread_is_busy`. */
    [[nodiscard]] task<thread_snapshot> edit(thread_key thread, state_update edits,
                                             std::optional<std::int64_t> from = std::nullopt);
    /** Makes the first checkpoint of a thread out of values, of the kind `edit`, as if a run of the graph had ended
     *  with them: for threads that come from elsewhere. Values go through the reducers of their keys.
     *  @par Errors  `errc::thread_is_busy` if the thread has a history or a run; `errc::invalid_configuration` if there
     *               is no such graph. */
    [[nodiscard]] task<thread_snapshot> begin(thread_key thread, std::string graph, state_update values);
    /** Runs again from a checkpoint, in a thread of its own. @param request  Names that thread. */
    [[nodiscard]] task<run_result> replay(thread_key from, std::int64_t sequence, durable_request request);
    /** Forgets a thread; a run that is under way is lost. @return False if there was none. */
    [[nodiscard]] task<bool> forget(thread_key thread);

    struct impl;

private:
    /** @par Errors  `errc::invalid_configuration`  it is not open. */
    [[nodiscard]] serial_loop& home() const;

    std::shared_ptr<impl> impl_;
};

}  // namespace weft
