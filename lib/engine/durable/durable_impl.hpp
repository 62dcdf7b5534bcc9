#pragma once

#include "engine/commit/checkpoint_committer.hpp"
#include "engine/commit/store_call.hpp"
#include "engine/run/run.hpp"
#include "engine/run/run_questions.hpp"
#include "engine/worker/lease.hpp"

#include <weft/async/signal.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/durable_engine.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** A run that this process holds. */
struct held_run {
    thread_key thread;
    run_id id;
    std::shared_ptr<checkpoint_committer> committer;
    run_id origin;                ///< The run that began to count its visits: its addresses in the journal begin so.
    intrusive_ptr<run> at_work;   ///< Null before it begins and after it has ended.
    bool is_yielding = false;     ///< It goes on elsewhere.
    bool is_of_worker = false;    ///< Nobody here waits for its result.
    std::optional<time_point> parked_since;

    /** It goes on elsewhere from its last checkpoint, also if it does not pause in time and is stopped. */
    void yield()
    {
        is_yielding = true;
        committer->leave_end_open();
    }
};

/** A run of which the store perhaps counts us as the holder, though nobody here knows of that. */
struct doubtful_run {
    run_id id;
    bool is_stopped = false;  ///< Whoever asked for it has gone: it is to be cancelled.
    time_point until;         ///< What was sent arrives before.
};

/** All of a durable engine, shared with the tasks that it gave out. */
struct durable_engine::impl : std::enable_shared_from_this<impl> {
    impl(checkpoint_store& store, std::shared_ptr<const durable_graphs> graphs, durable_options options);
    impl(const impl&) = delete;
    impl& operator=(const impl&) = delete;

    // durable_lease.cpp: whether this process counts as alive.
    void open(serial_loop& on);
    void shut();
    /** @par Errors  `invalid_configuration` unless it is open. */
    void require_open() const;
    [[nodiscard]] task<void> beat();
    [[nodiscard]] task<void> enter_once();
    [[nodiscard]] task<void> beat_once();
    [[nodiscard]] task<void> give_back_orphans();
    [[nodiscard]] task<void> settle_doubtful();
    void hurry();
    /** Waits until the process is a worker of the store. @par Errors  What the store says if another try would not
     *  help; `store_unavailable` after a lifetime; `invalid_configuration` at once while it is not open. */
    [[nodiscard]] static task<void> be_worker(std::shared_ptr<impl> self);
    [[nodiscard]] bool is_alive() const noexcept { return worker != 0 && held.is_held(loop->now()); }
    /** Does to a run, soon, what was asked for; nil: all runs are lost. */
    void ask_soon(run_id run, run_signal what);
    void do_asked();
    void do_asked_soon();
    void do_to(held_run& run, run_signal what);
    /** Wakes whoever waits for something to change. */
    void ring();
    /** Waits until something has changed, at the latest for so long. */
    [[nodiscard]] static task<void> wait_for_news(std::shared_ptr<impl> self, std::chrono::nanoseconds at_most);

    // durable_run.cpp: one run, from its claim to its end.
    [[nodiscard]] static task<run_result> drive(std::shared_ptr<impl> self, run_claim claim, run_request request,
                                                bool yields_on_stop);
    [[nodiscard]] static task<run_result> run_here(std::shared_ptr<impl> self, std::shared_ptr<held_run> held,
                                                   const graph& what, run_request request, bool yields_on_stop);
    [[nodiscard]] static task<run_result> refuse(std::shared_ptr<impl> self, write_fence fence,
                                                 std::exception_ptr why, bool yields_on_stop);
    [[nodiscard]] static task<void> release(std::shared_ptr<impl> self, write_fence fence,
                                            std::optional<run_outcome> outcome, bool* was_told);
    [[nodiscard]] static task<write_state> give_back(std::shared_ptr<impl> self, write_fence fence,
                                                     std::optional<run_outcome> outcome);
    [[nodiscard]] run_options options_for(const run_request& request, const durable_graphs::entry& of,
                                          std::shared_ptr<checkpoint_saver> saver) const;
    [[nodiscard]] held_run* find(const thread_key& thread) noexcept;

    /** Tells what was answered to a run that waits, which was taken for that, and goes on with it.
     *  @param origin    The run whose address its questions have. */
    [[nodiscard]] static task<run_result> answer_and_drive(std::shared_ptr<impl> self, run_claim claim, run_id origin,
                                                           question_answers answers, run_request with);

    // durable_watch.cpp: where a thread stands.
    [[nodiscard]] static task<std::optional<run_record>> active_run(std::shared_ptr<impl> self, thread_key thread);
    [[nodiscard]] static task<std::optional<checkpoint>> newest_checkpoint(std::shared_ptr<impl> self,
                                                                           thread_key thread);
    /** A run that the store is asked for until it answers. @par Errors  `thread_not_found` if it is forgotten. */
    [[nodiscard]] static task<run_record> require_run(std::shared_ptr<impl> self, run_id run);
    /** Waits for what becomes of the run of a thread, and takes nothing. */
    [[nodiscard]] static task<run_result> watch(std::shared_ptr<impl> self, thread_key thread);

    // durable_requests.cpp: which run a request is about.
    [[nodiscard]] static task<run_result> run(std::shared_ptr<impl> self, durable_request request);
    [[nodiscard]] static task<run_result> resume(std::shared_ptr<impl> self, thread_key thread,
                                                 question_answers answers, run_request with);
    /** A thread that nobody has goes on where its last run was broken off. */
    [[nodiscard]] static task<run_result> go_on(std::shared_ptr<impl> self, thread_key thread, run_request with);
    [[nodiscard]] static task<run_result> wait_for_turn(std::shared_ptr<impl> self, run_id run, run_request request);
    /** A run that goes on where the last one of an idle thread failed, was cancelled or died; none if that one came to
     *  its end. */
    [[nodiscard]] static task<std::optional<new_run>> broken_off_run(std::shared_ptr<impl> self, thread_key thread);
    [[nodiscard]] static task<bool> revive(std::shared_ptr<impl> self, thread_key thread);
    [[nodiscard]] static task<run_admission> admit(std::shared_ptr<impl> self, new_run entry);
    /** Takes a run that is ready or waits; nothing if somebody else is quicker. */
    [[nodiscard]] static task<std::optional<run_claim>> take_run(std::shared_ptr<impl> self, run_id run);
    /** Waits for what becomes of a run that is under way and was given answers; takes it if it is given back. */
    [[nodiscard]] static task<run_result> follow(std::shared_ptr<impl> self, thread_key thread, run_request with);
    [[nodiscard]] static task<run_result> stored_result(std::shared_ptr<impl> self, run_record record);
    [[nodiscard]] static task<bool> signal_thread(std::shared_ptr<impl> self, thread_key thread, run_signal what);

    // durable_questions.cpp
    /** Checks answers against the questions of a thread. @return The run whose address its questions have; nil if
     *  there is nothing to answer. @par Errors  `unknown_question`, `invalid_answer`. */
    [[nodiscard]] static task<run_id> check(std::shared_ptr<impl> self, thread_key thread, question_answers answers);
    /** Answers, after `check`. A run that waits in the store is ready when nothing is open any more. */
    [[nodiscard]] static task<void> tell(std::shared_ptr<impl> self, thread_key thread, run_id origin,
                                         question_answers answers);
    [[nodiscard]] static task<void> answer(std::shared_ptr<impl> self, thread_key thread, question_answers answers);
    [[nodiscard]] static task<std::vector<open_question>> questions(std::shared_ptr<impl> self, thread_key thread);
    [[nodiscard]] static task<std::vector<effect_record>> effects(std::shared_ptr<impl> self, thread_key thread);

    // durable_parking.cpp: runs here that wait for answers.
    [[nodiscard]] task<void> watch_questions();
    [[nodiscard]] task<void> hear_answers(std::shared_ptr<held_run> held);
    /** Hands an answer to the run that holds the thread here, soon, if there is one. */
    void learn_soon(const thread_key& thread, run_id origin, std::string address, const std::string& answer);
    /** A run here has asked something. */
    void questions_asked() { asking_.notify(); }
    [[nodiscard]] bool has_questions() const;
    void give_back_parked();
    /** Runs of the worker loop that are parked. */
    [[nodiscard]] std::size_t parked_of_worker() const;

    // durable_worker.cpp: runs that others left.
    [[nodiscard]] static task<std::vector<run_claim>> claim_some(std::shared_ptr<impl> self, std::size_t free);
    [[nodiscard]] static task<void> be_sure(std::shared_ptr<impl> self);
    [[nodiscard]] static task<void> take(std::shared_ptr<impl> self, run_claim claim, interrupts mode);
    [[nodiscard]] static task<std::size_t> recover(std::shared_ptr<impl> self);
    [[nodiscard]] static task<void> work(std::shared_ptr<impl> self);
    [[nodiscard]] static task<void> drain(std::shared_ptr<impl> self);

    // durable_history.cpp
    [[nodiscard]] static task<thread_snapshot> read(std::shared_ptr<impl> self, thread_key thread,
                                                    std::optional<std::int64_t> sequence);
    [[nodiscard]] static task<thread_snapshot> fork(std::shared_ptr<impl> self, thread_key from,
                                                    std::int64_t sequence, thread_key to, state_update edits);
    [[nodiscard]] static task<thread_snapshot> edit(std::shared_ptr<impl> self, thread_key thread,
                                                    state_update edits);
    [[nodiscard]] static task<run_result> replay(std::shared_ptr<impl> self, thread_key from, std::int64_t sequence,
                                                 durable_request request);
    [[nodiscard]] static task<bool> forget(std::shared_ptr<impl> self, thread_key thread);

    checkpoint_store& store;
    std::shared_ptr<const durable_graphs> graphs;
    durable_options options;
    serial_loop* loop = nullptr;
    worker_id worker = 0;
    lease held;
    std::optional<id_source> ids;
    std::vector<std::shared_ptr<held_run>> runs;
    std::vector<write_fence> orphans;  ///< Runs whose coroutines were destroyed: they are given back.
    std::vector<run_id> claims;        ///< Under way, or held by a coroutine; nil: of any run.
    std::vector<doubtful_run> doubtful;
    bool is_draining = false;
    std::atomic<bool> is_open{false};  ///< Read from any OS thread.
    std::exception_ptr entering_failed;  ///< Why the last try to become a worker came to nothing; null if none did.
    /** The answer to a claim was lost: the store may count runs as ours of which we do not know. */
    bool has_unknown_runs = false;
    std::vector<intrusive_ptr<remote_signal>> listeners;

private:
    struct asked_item : ready_item {
        explicit asked_item(impl* owner) noexcept
            : ready_item{[](ready_item& self) { static_cast<asked_item&>(self).owner->do_asked(); }}, owner{owner}
        {
        }
        impl* owner;
    };
    struct learned_answer {
        run_id run;
        std::string address;
        boost::json::value value;
    };
    std::vector<std::pair<run_id, run_signal>> asked_;
    std::vector<learned_answer> learned_;
    std::vector<run_id> parked_too_long_;
    signal asking_;
    asked_item do_asked_{this};
    stop_scope scope_;
    task_context context_;
    task<void> watching_;
    task<void> beating_;  // last: their frames refer to what stands above
};

/** Awaits what `make` gives, again and again while the store does not answer and this process holds its runs. */
template <class Make>
auto patiently(std::shared_ptr<durable_engine::impl> self, Make make) -> decltype(make())
{
    using result = typename decltype(make())::value_type;
    std::chrono::nanoseconds pause = std::chrono::milliseconds{50};
    for (;;) {
        auto call = make();
        store_answer<result> answer = co_await answer_of(std::move(call));
        if (answer) co_return std::move(*answer.value);
        if (!answer.may_retry() || !self->is_alive()) std::rethrow_exception(answer.error);
        co_await sleep_for(pause);
        pause = std::min<std::chrono::nanoseconds>(pause * 2, std::chrono::seconds{2});
    }
}

/** A call under way that may make us the holder of a run. If its caller goes away before the answer is there, the
 *  heart beat finds out what came of it. */
class possible_claim {
public:
    possible_claim(std::shared_ptr<durable_engine::impl> owner, run_id run) : owner_{std::move(owner)}, run_{run}
    {
        owner_->claims.push_back(run_);
    }
    possible_claim(const possible_claim&) = delete;
    possible_claim& operator=(const possible_claim&) = delete;
    ~possible_claim();
    /** It was answered. */
    void close() noexcept { is_open_ = false; }
    void was_stopped() noexcept { is_stopped_ = true; }

private:
    std::shared_ptr<durable_engine::impl> owner_;
    run_id run_;
    bool is_open_ = true;
    bool is_stopped_ = false;
};

/** A result of a run that could not begin, or that nobody can tell more of. */
[[nodiscard]] run_result failed_result(errc code, std::string message, std::exception_ptr cause = nullptr);

}  // namespace weft
