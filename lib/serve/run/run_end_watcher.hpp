#pragma once

#include <weft/async/task.hpp>
#include <weft/base/system/ids.hpp>

namespace weft::serve_detail {

/** Hears that runs with a webhook are over. */
class run_end_watcher {
public:
    virtual ~run_end_watcher() = default;

    /** The store has the end of a run, and with it a message for its webhook. */
    virtual void note_end() = 0;
    /** Waits until the end of the run has been told, or was tried to: afterwards its thread may go, and with it all
     *  that is told.
     *  @par Errors   `errc::cancelled`. */
    [[nodiscard]] virtual task<void> before_forgetting(run_id run) = 0;
};

}  // namespace weft::serve_detail
