#pragma once

#include <weft/async/wait/shared_rates.hpp>
#include <weft/store/role/document_store.hpp>
#include <weft/store/role/queue_view.hpp>
#include <weft/store/role/run_directory.hpp>
#include <weft/store/role/run_event_log.hpp>
#include <weft/store/role/thread_directory.hpp>

namespace weft {

/** What a server keeps beside runs and checkpoints, as roles of one store. `memory_store`, `sqlite_store` and
 *  `postgres_store` have one each, in the same database: `store->service().run_events()`.
 *
 *  @par Lifetimes       It and its roles live as long as their store.
 */
class service_store {
public:
    virtual ~service_store() = default;

    /** The events of runs, for clients that read on where they were. */
    [[nodiscard]] virtual run_event_log& run_events() noexcept = 0;
    /** Runs by what they are and by what was noted about them. */
    [[nodiscard]] virtual run_directory& runs() noexcept = 0;
    /** Threads with metadata, made and found. */
    [[nodiscard]] virtual thread_directory& threads() noexcept = 0;
    /** Small JSON objects by kind and id. */
    [[nodiscard]] virtual document_store& documents() noexcept = 0;
    /** What stands in the queue, and who works on it. */
    [[nodiscard]] virtual queue_view& queue() noexcept = 0;
    /** Rates that all processes on the store share, such as those of models; by the clock of the store. SQLite and
     *  memory have one process, and remember none of it. */
    [[nodiscard]] virtual shared_rates& rates() noexcept = 0;
};

}  // namespace weft
