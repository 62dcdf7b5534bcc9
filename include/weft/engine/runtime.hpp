#pragma once

#include <weft/async/loop/serial_loop.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace weft {

/** Serial loops to spread runs over: one `io_context` and OS thread per core, or strands of a pool of yours.
 *
 *  A run that is pinned to one single-threaded loop takes no locks and scales with the cores; strands of a pool cost
 *  about five times as much per hop and are there for programs that already have a pool.
 *
 *  @par Thread safety   All operations from any OS thread.
 *  @par Lifetimes       Outlives the runs on it. The destructor waits until they have ended: stop them first.
 */
class runtime {
public:
    /** `count` OS threads, each with its own `io_context`; 0: one per core. */
    explicit runtime(std::size_t count = 0);
    /** `count` strands on an `io_context` that you run on several OS threads. */
    runtime(boost::asio::io_context& pool, std::size_t count);
    ~runtime();
    runtime(const runtime&) = delete;
    runtime& operator=(const runtime&) = delete;

    [[nodiscard]] std::size_t size() const noexcept { return loops_.size(); }
    [[nodiscard]] serial_loop& loop(std::size_t index) noexcept { return *loops_[index]; }
    /** The loop for the next run, in turn. */
    [[nodiscard]] serial_loop& next_loop() noexcept
    {
        return *loops_[turn_.fetch_add(1, std::memory_order_relaxed) % loops_.size()];
    }

private:
    struct core;
    std::vector<std::unique_ptr<core>> cores_;
    std::vector<std::unique_ptr<serial_loop>> strands_;
    std::vector<serial_loop*> loops_;
    std::atomic<std::size_t> turn_{0};
};

}  // namespace weft
