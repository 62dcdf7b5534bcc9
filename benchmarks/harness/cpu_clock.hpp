#pragma once

#include <pthread.h>

#include <chrono>
#include <cstddef>
#include <ctime>

namespace weft_bench {

/** CPU time of the calling OS thread: counts the work and leaves out what other programs take. */
[[nodiscard]] inline double thread_cpu_ns() noexcept
{
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/** CPU time of all OS threads of this process. */
[[nodiscard]] inline double process_cpu_us() noexcept
{
    std::timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

/** CPU time of another OS thread of this process. */
[[nodiscard]] inline double cpu_us_of(pthread_t thread) noexcept
{
    clockid_t clock{};
    std::timespec now{};
    pthread_getcpuclockid(thread, &clock);
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

[[nodiscard]] inline double wall_ms() noexcept
{
    return std::chrono::duration<double, std::milli>{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

/** What many of the same cost. */
struct commit_cost {
    double per_second = 0;
    double cpu_us = 0;  ///< Of each, in this process: what a server does is not in it.
};

/** From its making on. */
class commit_clock {
public:
    [[nodiscard]] commit_cost cost_of(std::size_t commits) const noexcept
    {
        const auto count = static_cast<double>(commits);
        return {count * 1'000 / (wall_ms() - wall_), (process_cpu_us() - cpu_) / count};
    }

private:
    double wall_ = wall_ms();
    double cpu_ = process_cpu_us();
};

}  // namespace weft_bench
