#pragma once

#include "harness/cpu_clock.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace weft_bench {

/** What each subscriber of a run receives. */
struct talk {
    std::size_t events = 0;
    std::chrono::milliseconds gap{0};  ///< Between two of them; 0: one in each turn of the loop.
    std::string text;
    std::atomic<bool> may_begin = false;
    std::atomic<bool> has_ended = false;  ///< The last event is said.
    std::atomic<bool> may_leave = false;
};

/** Ends the last event of a talk. */
inline constexpr std::string_view last_word = "the last word";

/** A server as one writes it by hand with Beast: once so many clients have asked, it writes the same events to each, as
 *  chunks of an event stream. A client that has not taken the last one misses the next. Ends with its process. */
class beast_audience {
public:
    beast_audience(talk& what, std::size_t clients);

    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    [[nodiscard]] double cpu_us() { return cpu_us_of(thread_.native_handle()); }

private:
    struct subscriber {
        explicit subscriber(boost::asio::ip::tcp::socket socket) : socket{std::move(socket)} {}
        boost::asio::ip::tcp::socket socket;
        bool is_written = true;
    };
    void accept();
    void welcome(subscriber& one);
    void say(std::size_t events_said);
    void write_all(const std::string& frame);

    talk& what_;
    std::size_t clients_;
    std::size_t asked_ = 0;
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> lasts_ = make_work_guard(context_);
    boost::asio::ip::tcp::acceptor acceptor_;
    std::deque<subscriber> subscribers_;
    std::string frame_;
    std::string last_frame_;
    std::thread thread_;
};

}  // namespace weft_bench
