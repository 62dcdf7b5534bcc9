#pragma once

#include "lease.hpp"

#include <weft/async/task.hpp>
#include <weft/base/clock.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <atomic>
#include <exception>
#include <vector>

namespace weft {

class change_signal;
class serial_loop;

/** This process as a worker of the store.
 *
 *  While `is_alive` the store gives none of the worker's runs to others. It becomes false by itself when no heartbeat
 *  was answered in time; then the number is dropped, and the process enters again under a new one.
 *
 *  @par Thread safety   None, except for `require_open` and `loop`: from any OS thread.
 *  @par Lifetimes       Store, options and signal outlive it.
 */
class worker_lease {
public:
    worker_lease(checkpoint_store& store, const durable_options& options, change_signal& changes);

    void open(serial_loop& loop) noexcept;
    /** Calls that need a worker are refused from now on; those that wait for one are woken to hear it. */
    void close();
    /** @par Errors  `invalid_configuration` unless it is open. */
    void require_open() const;

    [[nodiscard]] serial_loop& loop() const noexcept { return *loop_; }
    /** 0: the process is no worker. */
    [[nodiscard]] worker_id worker() const noexcept { return worker_; }
    [[nodiscard]] bool is_alive() const noexcept;
    /** When the next heartbeat is due. */
    [[nodiscard]] time_point next_heartbeat() const noexcept { return lease_.next(); }

    /** Waits until the process is a worker. @par Errors  What the store says if another try would not help;
     *  `store_unavailable` after a lifetime; `invalid_configuration` at once while it is not open. */
    [[nodiscard]] task<void> wait_until_alive();
    /** Becomes a worker under a new number, or waits a little. */
    [[nodiscard]] task<void> enter();
    /** Shows that the worker lives. @return  The runs that are to pause or stop. */
    [[nodiscard]] task<std::vector<heartbeat_report::signalled>> send_heartbeat();
    /** The process is no worker any more. @return  Which one it was; 0: none. */
    worker_id drop() noexcept;

private:
    checkpoint_store& store_;
    const durable_options& options_;
    change_signal& changes_;
    lease lease_;
    serial_loop* loop_ = nullptr;
    worker_id worker_ = 0;
    std::atomic<bool> is_open_{false};
    std::exception_ptr entering_failed_;  // why the last `enter` came to nothing; null if none did
};

}  // namespace weft
