#pragma once

#include "model_access.hpp"

#include <chrono>
#include <string>
#include <string_view>

/** How a run of a `store_model` changes hands: its place in the line of ready runs, and the worker that has it. */
namespace weft::store_detail {

void make_run_ready(const model_access& store, run_row& run);
/** As `make_run_ready`; a run whose moment has not come is queued until then. */
void make_run_ready_in_time(const model_access& store, run_row& run);
/** A run that waits is ready at that moment, unless it is before. */
void wake_run_at(const model_access& store, run_row& run, wall_time moment);
/** The runs whose moment has come. */
void make_due_runs_ready(const model_access& store);
/** Its next attempt: at once, or after a while. */
void make_run_ready_later(const model_access& store, run_row& run, std::chrono::milliseconds span);
/** An attempt came to nothing. */
void note_lost_attempt(const model_access& store, run_record& run, std::string cause);
/** Whether the one stands before the other in the queue. */
[[nodiscard]] bool comes_before(const run_row& one, const run_row& other);
/** It stands in no line any more. */
void leave_queue(const model_access& store, run_row& run);
/** No worker has the run from here, and it stands in no line. */
void let_go_of_run(const model_access& store, run_row& run);
[[nodiscard]] run_claim take_run(const model_access& store, run_row& run, worker_id worker);
/** Whether the worker may take a suspect that is ready. */
[[nodiscard]] bool may_try(const model_access& store, const run_row& suspect, worker_id worker);

void forget_run(const model_access& store, run_id run);
/** Puts a message into the outbox, if the run has a webhook. */
void announce_end(const model_access& store, const run_record& record);
/** The run is over: the next one of its thread is ready. */
void end_run(const model_access& store, run_row& run, run_phase phase, std::string message);
/** Ends the active run of a thread that no worker has and that is asked to cancel. */
void cancel_unheld_run(const model_access& store, run_row& run);
/** Takes a run from its worker, unfinished. */
void make_run_ready_again(const model_access& store, run_row& run);
/** After an answer: the run that waits is ready, if no question at or below an address is open any more. */
void make_ready_if_answered(const model_access& store, thread_row& thread, std::string_view below);

}  // namespace weft::store_detail
