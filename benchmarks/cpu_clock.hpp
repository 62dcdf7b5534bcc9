#pragma once

#include <chrono>
#include <ctime>

namespace weft_bench {

/** CPU time of the calling OS thread: counts the work and leaves out what other programs take. */
[[nodiscard]] inline double thread_cpu_ns() noexcept
{
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

[[nodiscard]] inline double wall_ms() noexcept
{
    return std::chrono::duration<double, std::milli>{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

}  // namespace weft_bench
