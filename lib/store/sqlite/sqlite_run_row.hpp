#pragma once

#include "sqlite_connection.hpp"

#include <weft/store/record/run_record.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

// The columns of a `run_row`, with the thread as t.
#define WEFT_SQLITE_RUN_ROW \
    "SELECT r.no, r.thread, r.phase, r.signal, r.attempt, r.attempts_max, r.id, r.suspected_at, t.head, r.place, " \
    "r.tenant, r.graph, r.revision, r.limit_keys, r.buckets, r.lost_attempts " \
    "FROM run r JOIN thread t ON t.no = r.thread WHERE "

namespace weft::sqlite_detail {

/** What decides about a run that changes hands. */
struct run_row {
    std::int64_t no = 0;
    std::int64_t thread = 0;
    run_phase phase = run_phase::ready;
    run_signal signal = run_signal::none;
    std::int64_t attempt = 0;
    std::int64_t attempts_max = 0;
    run_id id;
    std::optional<std::int64_t> suspected_at;  // the head of its thread when its worker was lost
    std::int64_t head = 0;                     // of its thread
    std::int64_t place = 0;
    std::string tenant;
    std::string graph;
    std::string revision;
    std::string limit_keys;                    // a JSON object
    std::string buckets;                       // a JSON list: in which it counts while a worker has it
    std::string lost_attempts;                 // as `store_detail::packed`

    /** It has made no checkpoint since its worker was lost. */
    [[nodiscard]] bool is_suspect() const noexcept { return suspected_at == head; }
};

/** The next row of a statement that begins with WEFT_SQLITE_RUN_ROW. */
[[nodiscard]] std::optional<run_row> row_of(query& asked);
/** Puts a message into the outbox, if the run has a webhook. */
void announce_end(connection& db, const run_row& run, run_phase phase, std::int64_t wall);
[[nodiscard]] std::optional<run_row> run_by_number(connection& db, std::int64_t no);
[[nodiscard]] std::optional<run_row> run_by_id(connection& db, run_id id);

/** A phase of a row. @par Errors  `store_corrupt` if there is no such phase: it would be waited for without end. */
[[nodiscard]] run_phase phase_in(query& asked, int column);

/** The run is over: the next one of its thread may begin. */
void end_run(connection& db, const run_row& run, const run_outcome& outcome, std::int64_t wall);
/** As `let_go`, until its next attempt: at once, or after a while. */
void let_go_until(connection& db, run_row run, std::chrono::milliseconds span, std::int64_t wall);
/** An attempt came to nothing. */
void note_lost_attempt(connection& db, run_row& run, std::string cause, std::int64_t wall);
/** No worker holds the run any more and it is not over, unless it was asked to cancel. */
void let_go(connection& db, run_row run, run_phase phase, std::int64_t wall);

}  // namespace weft::sqlite_detail
