#pragma once

#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/tool/mcp/mcp_stdio_transport.hpp>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft::mcp_detail {

/** A program that runs in a process group of its own, with our ends of its standard streams.
 *
 *  Its input is a socket, since writing to a pipe whose reader is gone would send a signal to us.
 *
 *  @par Lifetimes   The waiting coroutine keeps the shared pointer. The destructor kills what still runs.
 */
class mcp_process : public std::enable_shared_from_this<mcp_process> {
public:
    using descriptor = boost::asio::posix::basic_stream_descriptor<loop_executor>;
    using socket = boost::asio::basic_stream_socket<boost::asio::local::stream_protocol, loop_executor>;

    /** @par Errors   `errc::invalid_configuration`  it cannot be started; `limit_reached` when the machine has no more
     *                file descriptors or processes. */
    [[nodiscard]] static std::shared_ptr<mcp_process> start(serial_loop& loop, const mcp_program& program,
                                                            const std::string& label);
    ~mcp_process();
    mcp_process(const mcp_process&) = delete;
    mcp_process& operator=(const mcp_process&) = delete;

    /** What it wrote next; empty at the end. Valid until the next call.
     *  @par Errors   `errc::cancelled`. */
    [[nodiscard]] task<std::string_view> read_output();
    [[nodiscard]] task<std::string_view> read_errors();
    /** @return  False if it does not read any more. */
    [[nodiscard]] task<bool> write(std::string text);
    /** It reads the end of its input. */
    void close_input() noexcept;

    /** Until it has ended. */
    [[nodiscard]] task<void> wait();
    /** As `wait`, for some time. @return Whether it has ended. */
    [[nodiscard]] task<bool> wait_for(std::chrono::nanoseconds limit);
    /** Sends a signal to its process group. */
    void signal(int number) noexcept;

    /** Whether it has ended; takes note of how. */
    [[nodiscard]] bool has_ended() noexcept;
    /** How it ended: `exited with status 3`, `was ended by signal 9`. */
    [[nodiscard]] std::string end_text();

private:
    mcp_process(serial_loop& loop, const mcp_program& program, const std::string& label);
    void spawn(const mcp_program& program, const std::string& label, int input, int output, int errors);
    task<std::string_view> read(descriptor& from, std::array<char, 16 * 1024>& into);
    task<void> poll();

    socket input_;
    descriptor output_;
    descriptor errors_;
    descriptor end_;  // a pidfd, which can be read from when the process has ended; not on old kernels
    std::array<char, 16 * 1024> output_buffer_;
    std::array<char, 16 * 1024> error_buffer_;
    std::string writing_;
    int id_ = -1;
    std::optional<int> status_;
};

}  // namespace weft::mcp_detail
