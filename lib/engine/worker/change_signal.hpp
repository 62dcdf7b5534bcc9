#pragma once

#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <chrono>
#include <cstdint>
#include <unordered_map>

namespace weft {

/** Wakes the coroutines of a durable engine that wait for something to change: a run has ended or became ready, the
 *  process has become a worker, or has stopped being one.
 *
 *  What has changed is not said: a coroutine looks at what it waits for, waits, and looks again.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       It outlives the coroutines that wait.
 */
class change_signal {
public:
    /** Of coroutines that wait for any run to become ready. Threads have other numbers: `store_news::name_of`. */
    static constexpr std::uint64_t any_run = 0;

    /** Wakes all coroutines that wait. */
    void notify();
    /** Wakes those that wait for one thread, and those that wait for any run. */
    void notify_about(std::uint64_t thread);
    class watch;

private:
    using watch_map = std::unordered_multimap<std::uint64_t, intrusive_ptr<remote_signal>>;

    watch_map watches_;
};

/** One coroutine's place among those that wait. What changes while it looks elsewhere is remembered until it waits:
 *
 *      change_signal::watch mine{changes};
 *      while (!co_await is_there()) co_await mine.wait(500ms);
 *
 *  @par Lifetimes   The signal outlives it.
 */
class change_signal::watch {
public:
    /** @param about  The thread whose changes it waits for, as `store_news::name_of` says it. */
    explicit watch(change_signal& of, std::uint64_t about = any_run)
        : of_{of}, signal_{make_counted<remote_signal>()}, place_{of.watches_.emplace(about, signal_)}
    {
    }
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;
    ~watch() { of_.watches_.erase(place_); }

    /** Waits for a notification since the last one that it waited for, at the latest for so long.
     *  @return  Whether one came.
     *  @par Errors  `errc::cancelled`. */
    [[nodiscard]] task<bool> wait(std::chrono::nanoseconds at_most);

private:
    change_signal& of_;
    const intrusive_ptr<remote_signal> signal_;
    const watch_map::iterator place_;
};

}  // namespace weft
