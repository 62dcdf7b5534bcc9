#pragma once

#include "lease.hpp"

#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace weft {

class serial_loop;

/** Gives the signs of life of a worker from the loop of another OS thread, so that a node that blocks the loop of the
 *  runs costs no lease.
 *
 *  @par Thread safety   The loop of the runs calls it; the other loop only what `open` starts there.
 *  @par Lifetimes       Store, options and the other loop outlive the time between `open` and `close`.
 */
class worker_pulse : public std::enable_shared_from_this<worker_pulse> {
public:
    using signal_list = std::vector<heartbeat_report::signalled>;

    worker_pulse(checkpoint_store& store, const durable_options& options, lease timing) noexcept
        : store_{store}, options_{options}, lease_{timing}
    {
    }

    void open(serial_loop& on);
    /** Gives no further sign, and waits until none is under way. */
    void close();

    /** From now on signs are given for this worker, which has just entered. */
    void begin(worker_id worker, const lease& entered);
    /** The process is no worker any more. */
    void drop() noexcept;
    /** Gives a sign before its time. */
    void hurry();

    [[nodiscard]] bool is_held(time_point now) const noexcept;
    /** Waits until the store has said something, or the lease has ended.
     *  @return      The runs that are to pause or stop.
     *  @par Errors  `errc::cancelled`. */
    [[nodiscard]] task<signal_list> hear();

private:
    static task<void> live(std::shared_ptr<worker_pulse> self);
    static task<void> give_signs(std::shared_ptr<worker_pulse> self);
    [[nodiscard]] task<void> ended();
    /** @return   When the next sign is due; nothing: there is no worker. */
    [[nodiscard]] std::optional<time_point> next_sign(time_point now);
    /** A sign is about to be sent. @return  Of which worker. */
    [[nodiscard]] worker_id begin_sign(time_point now, time_point& until);
    void end_sign(worker_id worker, const heartbeat_report* report, time_point now);

    checkpoint_store& store_;
    const durable_options& options_;
    const intrusive_ptr<remote_signal> wanted_ = make_counted<remote_signal>();  // for `give_signs`
    const intrusive_ptr<remote_signal> ending_ = make_counted<remote_signal>();  // for `live`
    const intrusive_ptr<remote_signal> heard_ = make_counted<remote_signal>();   // for `hear`
    std::future<void> living_;
    mutable std::mutex lock_;  // of all below
    lease lease_;
    worker_id worker_ = 0;
    bool is_hurried_ = false;
    signal_list signals_;
};

}  // namespace weft
