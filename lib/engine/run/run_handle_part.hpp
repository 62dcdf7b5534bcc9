#pragma once

#include "run.hpp"

#include <weft/async/signal.hpp>
#include <weft/engine/run_handle.hpp>

#include <atomic>
#include <memory>
#include <optional>

namespace weft {

/** What the handles of a run share with the run itself. */
struct run_handle::shared_part {
    intrusive_ptr<run> running;  ///< Null after the end; on the loop only.
    serial_loop* loop = nullptr;
    std::optional<run_result> result;
    std::atomic<bool> is_finished{false};
    std::atomic<bool> is_cancel_asked{false};
    signal ended;
};

/** Begins a run soon and gives what its handles share. */
[[nodiscard]] std::shared_ptr<run_handle::shared_part> start_shared(intrusive_ptr<run> running);

}  // namespace weft
