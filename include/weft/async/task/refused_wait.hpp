#pragma once

#include <weft/async/task/task_context.hpp>

#include <coroutine>
#include <memory>

namespace weft::async_detail {

/** Runs `item`, which resumes a coroutine whose wait began in a stopped scope, at the loop's next turn; after many such
 *  waits only at its next tick. So a coroutine that waits again and again after a stop leaves the loop, and on a
 *  virtual clock the time, to others. */
void refuse(const task_context& context, ready_item& item);

/** The one suspension of a wait that begins in a stopped scope, for awaiters that have no ready item of their own. It
 *  costs a pointer while nothing is stopped. Destroying it takes the coroutine out of the queue.
 */
class refused_wait {
public:
    refused_wait() noexcept;
    ~refused_wait();
    refused_wait(const refused_wait&) = delete;
    refused_wait& operator=(const refused_wait&) = delete;

    /** Resumes `coroutine` a turn later. */
    void start(const task_context& context, std::coroutine_handle<> coroutine);

private:
    struct item;
    std::unique_ptr<item> item_;
};

}  // namespace weft::async_detail
