#pragma once

#include "run_claimer.hpp"

#include <weft/async/task.hpp>
#include <weft/engine/durable/durable_request.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/store/record/run_record.hpp>

#include <optional>

namespace weft {

class run_driver;
class thread_editor;
class thread_questions;
class thread_reader;
struct durable_core;
struct taken_run;

/** Decides which run of a thread a request is about, and performs that run here or waits for what becomes of it.
 *
 *  The functions are those of `durable_engine`, whose comments say what they promise.
 *
 *  @par Lifetimes   What it is made of outlives it, and it its tasks.
 */
class run_requests {
public:
    run_requests(durable_core& core, const thread_reader& reader, const thread_questions& questions,
                 run_claimer& claimer, run_driver& driver, thread_editor& editor) noexcept
        : core_{core}, reader_{reader}, questions_{questions}, claimer_{claimer}, driver_{driver}, editor_{editor}
    {
    }

    [[nodiscard]] task<run_result> run(durable_request request);
    [[nodiscard]] task<run_result> resume(thread_key thread, question_answers answers, run_request with);
    [[nodiscard]] task<bool> revive(thread_key thread);
    [[nodiscard]] task<bool> retry(run_id dead);
    /** @return   False if the thread has no active run. */
    [[nodiscard]] task<bool> signal(thread_key thread, run_signal what);

private:
    /** A run that begins where the request says, or one that waits for its turn. */
    [[nodiscard]] task<std::optional<run_claim>> claim_rejected(const durable_request& request, run_id active);
    /** Records answers for a run that waits and was taken for that, and goes on with it.
     *  @param origin    The run whose address its questions have. */
    [[nodiscard]] task<run_result> answer_and_drive(taken_run taken, run_id origin, question_answers answers,
                                                    run_request with);
    /** Goes on where the last run of an idle thread was broken off. */
    [[nodiscard]] task<run_result> go_on(thread_key thread, run_request with);
    /** Waits for what becomes of a run that is under way and was given answers; takes it if it is given back. */
    [[nodiscard]] task<run_result> follow(thread_key thread, run_request with);
    // As of `run_claimer`, while this process has a place for the run; without one it is for others.
    [[nodiscard]] task<run_admission> admit(new_run entry);
    [[nodiscard]] task<std::optional<run_claim>> take(run_id run);
    [[nodiscard]] task<std::optional<run_claim>> take_idle(thread_key thread);
    /** Makes a run ready that waits, for other processes. */
    [[nodiscard]] task<void> hand_on(run_record run);
    /** Gives a run that waits the first values of a request. */
    [[nodiscard]] task<void> change_waiting(thread_key thread, run_request& with);
    /** The run goes on with the limits of the request, if it has any, whichever process performs it, also after a
     *  crash. One that is under way keeps its own. */
    [[nodiscard]] task<void> hand_limits_on(run_record to, std::optional<run_options> limits);
    /** As `resume`, while this process has no place for the run. */
    [[nodiscard]] task<run_result> resume_elsewhere(thread_key thread, run_id origin, question_answers answers,
                                                    run_request with);
    [[nodiscard]] task<run_result> wait_for_turn(run_id run, run_request request);
    /** @par Errors  `thread_is_busy`: says which run has the thread, and which process has that. */
    [[nodiscard]] task<void> refuse_busy(thread_key thread, run_id active);

    durable_core& core_;
    const thread_reader& reader_;
    const thread_questions& questions_;
    run_claimer& claimer_;
    run_driver& driver_;
    thread_editor& editor_;
};

}  // namespace weft
