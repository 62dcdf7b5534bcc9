#pragma once

#include "cpu_clock.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

namespace weft_bench {

/** Stops from an OS thread of its own as soon as the loop says that everything waits. */
class outside_stopper {
public:
    explicit outside_stopper(boost::asio::io_context& io)
        : thread_{[this, guard = boost::asio::make_work_guard(io)]() mutable {
              all_wait_.wait(false);
              std::this_thread::sleep_for(std::chrono::milliseconds{5});  // the loop is at rest by then
              stopped_at_ = wall_ms();
              source_.request_stop();
          }}
    {
    }
    ~outside_stopper()
    {
        tell_all_wait();
        thread_.join();
    }

    [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }
    void tell_all_wait()
    {
        all_wait_ = true;
        all_wait_.notify_one();
    }
    /** Once the runs have ended. */
    [[nodiscard]] double stopped_at() const noexcept { return stopped_at_; }

private:
    std::stop_source source_;
    std::atomic<bool> all_wait_{false};
    std::atomic<double> stopped_at_{0};
    std::thread thread_;
};

}  // namespace weft_bench
