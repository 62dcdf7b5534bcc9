#pragma once

#include "harness/cpu_clock.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <future>
#include <thread>

namespace weft_bench {

/** A server on an OS thread of its own, whose CPU time is what is measured. */
class server_thread {
public:
    using start_function = std::function<std::uint16_t(boost::asio::io_context& context)>;

    explicit server_thread(const start_function& start)
    {
        std::promise<std::uint16_t> started;
        thread_ = std::thread{[this, &start, &started] {
            started.set_value(start(context_));
            context_.run();
        }};
        port_ = started.get_future().get();
    }
    ~server_thread() { stop(); }
    /** Ends the OS thread; the context stays until the end. */
    void stop()
    {
        context_.stop();
        if (thread_.joinable()) thread_.join();
    }
    server_thread(const server_thread&) = delete;
    server_thread& operator=(const server_thread&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] double cpu_us() { return cpu_us_of(thread_.native_handle()); }

private:
    boost::asio::io_context context_{1};
    std::uint16_t port_ = 0;
    std::thread thread_;
};

}  // namespace weft_bench
