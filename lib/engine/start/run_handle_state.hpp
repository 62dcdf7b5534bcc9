#pragma once

#include "engine/run/run.hpp"

#include <weft/async/signal.hpp>
#include <weft/engine/run_handle.hpp>

#include <atomic>
#include <memory>
#include <optional>

namespace weft {

/** What the handles of a run share with the run itself. */
struct run_handle::shared_state {
    intrusive_ptr<run> running;  ///< Null after the end; on the loop only.
    serial_loop* loop = nullptr;
    std::optional<run_result> result;
    std::atomic<bool> is_finished{false};
    std::atomic<bool> is_cancel_asked{false};
    signal ended;
};

/** How the engine makes handles. */
struct run_handle_access {
    using shared_state = run_handle::shared_state;

    /** Begins a run soon. */
    [[nodiscard]] static run_handle start(intrusive_ptr<run> running);
};

}  // namespace weft
