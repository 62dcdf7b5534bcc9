#include "change_signal.hpp"

#include <weft/async/loop/serial_loop.hpp>

#include <optional>

namespace weft {

void change_signal::notify()
{
    for (const auto& [about, signal] : watches_) signal->notify();
}

void change_signal::notify_about(std::uint64_t thread)
{
    const auto wake = [this](std::uint64_t about) {
        const auto [begin, end] = watches_.equal_range(about);
        for (auto each = begin; each != end; ++each) each->second->notify();
    };
    wake(thread);
    if (thread != any_run) wake(any_run);
}

task<bool> change_signal::watch::wait(std::chrono::nanoseconds at_most)
{
    serial_loop& loop = co_await this_task::loop();
    const std::optional<time_point> end = loop.now() + at_most;
    co_return co_await signal_->wait_until(end);
}

}  // namespace weft
