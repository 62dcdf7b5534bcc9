#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/stored_run.hpp>

#include <cstddef>

namespace weft {

/** Lists runs of all threads, by what they are and by what their makers noted about them, and takes single ones out.
 *
 *      run_query open;
 *      open.phases = {run_phase::waiting};
 *      open.contains = R"({"team": "blue"})";
 *      const run_page page = co_await runs.search(open);
 *
 *  A page begins behind the last run of the page before, so that runs that come and go meanwhile shift nothing.
 *
 *  @par Errors          As `checkpoint_store`; `errc::invalid_json` for a filter that is no JSON object,
 *                       `errc::store_refused` for a cursor that no page gave.
 *  @par Cancellation    At once.
 *  @par Thread safety   From any OS thread that has a loop.
 */
class run_directory {
public:
    virtual ~run_directory() = default;

    /** Runs, page by page. */
    [[nodiscard]] virtual task<run_page> search(run_query query) = 0;
    /** How many runs a query finds on all its pages. */
    [[nodiscard]] virtual task<std::size_t> count(run_query query) = 0;
    /** Cancels a run that waits in line behind another one of its thread.
     *  @return False, and nothing is changed, if it is not there, or is or was the active one. */
    [[nodiscard]] virtual task<bool> cancel_queued(run_id run) = 0;
    /** Removes a run that is over, with its events; checkpoints that it made stay. Its idempotency key is free then.
     *  @return False, and nothing is changed, if it is not there or not over. */
    [[nodiscard]] virtual task<bool> remove(run_id run) = 0;
    /** Forgets what is counted for limits under which no run is and whose rate is full again, as those of tenants that
     *  never return. A claim counts anew. @return  How many went; 0 if none is left. */
    [[nodiscard]] virtual task<std::size_t> forget_idle_limits() = 0;
};

}  // namespace weft
