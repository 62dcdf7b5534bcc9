#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>
#include <weft/store/record/thread_key.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft {

/** Who writes a thread: its holder for a while, or, made from a mere key, a writer without a lock. */
class thread_hold {
public:
    thread_hold() noexcept {}
    /** A writer without a lock, which may write while the thread is not locked. */
    thread_hold(thread_key thread) noexcept : thread{std::move(thread)} {}

    [[nodiscard]] bool is_locked() const noexcept { return !owner.empty(); }

    thread_key thread;
    std::string owner;       ///< A name that no other holder has; empty: no lock.
    /** Greater than that of every holder before: what is outside of the store can refuse a smaller one than it has
     *  seen. */
    std::int64_t fence = 0;
    time_point valid_until;  ///< When it runs out, by our own clock and counted from before it was asked for.
    bool is_local = false;   ///< It shuts out this process only; see `redis_lock_options::when_away`.
};

/** Gives threads to one holder at a time, each for a while, so that a holder that dies blocks others only briefly.
 *
 *  A lock by itself says when another may begin; it cannot stop a holder that was asleep while its time ran out. So a
 *  hold has an owner, which the thread's state store compares with each write, and a fencing number for everything
 *  else.
 *
 *  @par Errors          `errc::store_unavailable`, `store_outcome_unknown`, `store_refused`, as `checkpoint_store` has
 *                       them; a lock that an error came back for was not taken. `errc::limit_reached` for a name
 *                       that is too long.
 *  @par Cancellation    At once. What was on its way takes place or not; an abandoned lock runs out.
 *  @par Thread safety   From any OS thread that has a loop.
 *  @par Lifetimes       It outlives the tasks it gives out.
 *  @par Source          Kleppmann: How to do distributed locking, 2016 (fencing tokens).
 */
class thread_lock {
public:
    virtual ~thread_lock() = default;

    /** Takes a thread for `lifetime`. @return Nothing if it is locked. */
    [[nodiscard]] virtual task<std::optional<thread_hold>> acquire(thread_key thread) = 0;
    /** Holds it for another `lifetime`, from now. @return Nothing if it ran out, even if the thread is free. */
    [[nodiscard]] virtual task<std::optional<thread_hold>> renew(thread_hold hold) = 0;
    /** Gives it back. @return False, and nothing changes, if it ran out, even if the thread is free. */
    [[nodiscard]] virtual task<bool> release(thread_hold hold) = 0;
    [[nodiscard]] virtual task<bool> is_held(thread_key thread) = 0;

    [[nodiscard]] virtual std::chrono::milliseconds lifetime() const noexcept = 0;
};

/** How long a lock is held unless it is renewed or the caller says otherwise. */
inline constexpr std::chrono::milliseconds thread_lock_lifetime = std::chrono::seconds{30};

/** Runs `work` while holding a thread: takes it, renews it three times in its lifetime, gives it back at the end.
 *
 *  @param work   Called with the hold, once. It is stopped when the hold could not be renewed in time.
 *
 *  @par Errors
 *    - `errc::thread_is_busy`   it is locked; `work` was not called.
 *    - `errc::thread_lost`      it was lost meanwhile; `work` was stopped and awaited.
 *    - What `thread_lock::acquire` and `work` throw. A lock that cannot be given back runs out, and is no error.
 *  @par Cancellation    `work` is stopped and awaited, then the thread is given back, for which there is a second.
 */
[[nodiscard]] task<void> run_holding(std::shared_ptr<thread_lock> lock, thread_key thread,
                                     std::function<task<void>(thread_hold)> work);

}  // namespace weft
