#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/stored_run.hpp>

#include <cstddef>

namespace weft {

/** Lists runs of all threads, by what they are and by what their makers noted about them.
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
};

}  // namespace weft
