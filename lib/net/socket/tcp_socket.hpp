#pragma once

#include "host_lookup.hpp"
#include "phase_deadline.hpp"

#include <weft/async/use_task.hpp>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <memory>

namespace weft::net_detail {

using tcp_socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, loop_executor>;

/** Connects `socket` to the first address that accepts, trying one after the other; each gets its share of the time.
 *
 *  @param owner   Holds `socket`, and outlives the connection attempt if the coroutine does not.
 *
 *  @par Errors   `connect_failed`, `connect_timeout`, `cancelled` as `connector::open` says. */
task<void> connect_socket(serial_loop& loop, tcp_socket& socket, std::shared_ptr<const void> owner, url target,
                          host_lookup::addresses addresses, time_point deadline);

/** True if nothing can be read, not even an end: an unused connection that is still good. */
[[nodiscard]] bool is_quiet(tcp_socket& socket) noexcept;

/** As `transport::write_now` and `read_now`. */
[[nodiscard]] std::size_t write_now(tcp_socket& socket, boost::asio::const_buffer bytes) noexcept;
[[nodiscard]] std::size_t read_now(tcp_socket& socket, boost::asio::mutable_buffer room) noexcept;

/** Closes without a word; what is pending aborts. */
void close_socket(tcp_socket& socket) noexcept;

}  // namespace weft::net_detail
