#include "change_signal.hpp"

#include <weft/async/loop/serial_loop.hpp>

namespace weft {

/** One coroutine's place in the list; also one that is destroyed while it waits leaves it. */
class change_signal::waiter {
public:
    explicit waiter(change_signal& of) : of_{of} { of_.waiters_.push_back(signal_); }
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;
    ~waiter() { std::erase(of_.waiters_, signal_); }

    [[nodiscard]] remote_signal& signal() noexcept { return *signal_; }

private:
    change_signal& of_;
    const intrusive_ptr<remote_signal> signal_{new remote_signal};
};

void change_signal::notify()
{
    for (const intrusive_ptr<remote_signal>& each : waiters_) each->notify();
}

task<void> change_signal::wait(std::chrono::nanoseconds at_most)
{
    serial_loop& loop = co_await this_task::loop();
    waiter mine{*this};
    const std::optional<time_point> end = loop.now() + at_most;
    co_await mine.signal().wait_until(end);
}

}  // namespace weft
