#pragma once

#include "lease.hpp"
#include "worker_pulse.hpp"

#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
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

    /** @param graphs   What the worker says that it can run; empty: everything. */
    void open(serial_loop& loop, std::vector<graph_ability> graphs = {});
    /** What the worker says from now on; `tell_graphs` tells the store. */
    void use_graphs(std::vector<graph_ability> graphs);
    /** Tells the store each list, once; never ends. */
    [[nodiscard]] task<void> tell_graphs();
    /** Whether the store has the newest list. */
    [[nodiscard]] bool has_told_graphs() const noexcept { return told_ == named_; }
    [[nodiscard]] const std::vector<graph_ability>& graphs() const noexcept { return graphs_; }
    /** Calls that need a worker are refused from now on; those that wait for one are woken to hear it. */
    void close();
    /** @par Errors  `invalid_configuration` unless it is open. */
    void require_open() const;

    [[nodiscard]] serial_loop& loop() const noexcept { return *loop_; }
    /** 0: the process is no worker. */
    [[nodiscard]] worker_id worker() const noexcept { return worker_; }
    [[nodiscard]] bool is_alive() const noexcept;
    /** Waits until the process is a worker. @par Errors  What the store says if another try would not help;
     *  `store_unavailable` after a lifetime; `invalid_configuration` at once while it is not open. */
    [[nodiscard]] task<void> wait_until_alive();
    /** Becomes a worker under a new number, or waits a little. */
    [[nodiscard]] task<void> enter();
    /** Waits for the next heartbeat, or for a wish for one, and shows that the worker lives; with
     *  `durable_options::heartbeats_on` waits until it was shown there.
     *  @return  The runs that are to pause or stop; nothing: it is time for a look at the lease. */
    [[nodiscard]] task<std::optional<worker_pulse::signal_list>> next_heartbeat();
    /** Asks for a heartbeat before its time. */
    void want_heartbeat();
    /** The process is no worker any more. @return  Which one it was; 0: none. */
    worker_id drop() noexcept;

private:
    [[nodiscard]] task<worker_pulse::signal_list> send_heartbeat();

    checkpoint_store& store_;
    const durable_options& options_;
    change_signal& changes_;
    lease lease_;
    serial_loop* loop_ = nullptr;
    worker_id worker_ = 0;
    std::atomic<bool> is_open_{false};
    std::vector<graph_ability> graphs_;
    std::uint64_t named_ = 0;  // how many lists there were before the newest one
    std::uint64_t told_ = 0;   // of the list that the store has
    const intrusive_ptr<remote_signal> untold_ = make_counted<remote_signal>();
    std::exception_ptr entering_failed_;  // why the last `enter` came to nothing; null if none did
    const intrusive_ptr<remote_signal> wanted_ = make_counted<remote_signal>();
    std::shared_ptr<worker_pulse> pulse_;  // null: heartbeats are sent here
};

}  // namespace weft
