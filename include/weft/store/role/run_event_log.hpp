#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/record/stored_event.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {

/** Keeps the events of runs, so that a client that lost its connection reads on where it was, from any process.
 *
 *      const event_append done = co_await log.append(fence, std::move(events), {});
 *      …
 *      const event_page page = co_await log.read(run, last_seen, 100);
 *
 *  Ids are numbers from 1 without holes in each run. They go on when another worker takes the run over, whose fence
 *  keeps late events of the former one out. The log goes with its run.
 *
 *  @par Errors          As `checkpoint_store`; `errc::limit_reached` for a kind, an event or a batch that is too long
 *                       (`store_limits`).
 *  @par Cancellation    As `checkpoint_store`.
 *  @par Thread safety   From any OS thread that has a loop.
 */
class run_event_log {
public:
    virtual ~run_event_log() = default;

    /** Appends events of a run in their order, all or none, and prunes the log to `limits`.
     *  @param by  The holder of the run; its head is not compared, since branches append side by side. */
    [[nodiscard]] virtual task<event_append> append(write_fence by, std::vector<event_draft> events,
                                                    event_log_limits limits) = 0;
    /** The events behind `after`, oldest first, at most `count_max`. An empty page with the state `ok` means that the
     *  reader has seen all there are.
     *  @param after  The id of the last event that is known; 0: from the beginning. */
    [[nodiscard]] virtual task<event_page> read(run_id run, std::uint64_t after, std::size_t count_max) = 0;
    /** Prunes logs of runs that are finished, failed or cancelled down to their newest event, those that ended first
     *  before others. It is one short transaction that locks only such runs; `event_sweeper` calls it until all are
     *  done. Dead runs keep their events.
     *  @param over_for    How long runs must have been over, by the clock of the store.
     *  @param events_max  No further run is begun with when that many events are gone. */
    [[nodiscard]] virtual task<event_prune> prune(std::chrono::milliseconds over_for, std::size_t events_max) = 0;
};

}  // namespace weft
