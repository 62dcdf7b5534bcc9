#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/worker_entry.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** Knows which workers are alive: processes that take runs, and show signs of life while they work.
 *
 *  A worker that gives none loses its runs to others; the epoch of its fences, not the time, keeps its late writes out.
 *
 *  Errors, cancellation, thread safety and lifetimes are those of `checkpoint_store`.
 */
class worker_registry {
public:
    virtual ~worker_registry() = default;

    /** Enters a process under a new number. */
    [[nodiscard]] virtual task<worker_id> enter(worker_entry entry) = 0;
    /** A process that takes every run. */
    [[nodiscard]] task<worker_id> enter(std::string name, std::chrono::milliseconds lifetime)
    {
        return enter(worker_entry{std::move(name), lifetime});
    }
    /** A sign of life, and what is wanted of the worker's runs. */
    [[nodiscard]] virtual task<heartbeat_report> heartbeat(worker_id worker, std::chrono::milliseconds lifetime) = 0;
    /** What `claim` and `resume` may give it from now on, instead of `worker_entry::graphs`. Runs that it has stay with
     *  it. @return False: the worker was given up, and nothing has changed. */
    [[nodiscard]] virtual task<bool> change_graphs(worker_id worker, std::vector<graph_ability> graphs) = 0;
    /** The process goes: its runs are `ready` again at once. */
    [[nodiscard]] virtual task<void> leave(worker_id worker) = 0;
    /** Gives up workers without a sign of life: from that moment their writes are fenced, and their runs are `ready`
     *  again, as suspects, or `dead` when their attempts are used up; a `retry_rule` lets them wait before. @return How
     *  many runs. */
    [[nodiscard]] virtual task<std::size_t> reap(std::size_t runs_max) = 0;
};

}  // namespace weft
