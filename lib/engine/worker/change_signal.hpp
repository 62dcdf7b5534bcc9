#pragma once

#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <chrono>
#include <vector>

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
    /** Wakes all coroutines that wait. */
    void notify();
    /** Waits for the next `notify`, at the latest for so long. @par Errors  `errc::cancelled`. */
    [[nodiscard]] task<void> wait(std::chrono::nanoseconds at_most);

private:
    class waiter;

    std::vector<intrusive_ptr<remote_signal>> waiters_;
};

}  // namespace weft
