#pragma once

#include <weft/async/task.hpp>
#include <weft/base/intrusive_ptr.hpp>
#include <weft/engine/event_stream.hpp>
#include <weft/engine/run_result.hpp>

#include <chrono>
#include <memory>
#include <optional>

namespace weft {

class run;

/** A run that goes on by itself: watch it, pause it, cancel it, wait for its result.
 *
 *  @par Thread safety   `pause` and `cancel` from any OS thread; `events` and `result` on the run's loop.
 *  @par Lifetimes       Dropping the last handle does not stop the run.
 */
class run_handle {
public:
    struct shared_part;

    explicit run_handle(std::shared_ptr<shared_part> shared) noexcept : shared_{std::move(shared)} {}

    /** The events from now on; each call makes a subscriber of its own. */
    [[nodiscard]] event_stream events();

    /** Lets the running nodes finish and starts no further one; the result is then `paused`. */
    void pause();

    /** Stops everything. @param grace  Before nodes that go on are destroyed; by default `run_options::stop_grace`. */
    void cancel(std::optional<std::chrono::nanoseconds> grace = std::nullopt);

    /** Waits for the end of the run. One coroutine waits at a time; the result is given out once.
     *  @par Errors          `errc::cancelled` if the waiting is stopped; the run goes on.
     *  @par Cancellation    Of the waiting only. */
    [[nodiscard]] task<run_result> result();

    [[nodiscard]] bool is_finished() const noexcept;

private:
    std::shared_ptr<shared_part> shared_;
};

}  // namespace weft
