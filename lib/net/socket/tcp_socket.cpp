#include "tcp_socket.hpp"

#include <weft/base/error.hpp>

#include <sys/socket.h>

#include <cerrno>
#include <string>

namespace weft::net_detail {

namespace {

namespace net_error = boost::asio::error;
using boost::system::error_code;
using endpoint_type = boost::asio::ip::tcp::endpoint;

std::string attempt_text(const endpoint_type& peer, const error_code& code, bool is_late)
{
    return peer.address().to_string() + ": " + (is_late ? "no answer" : code.message());
}

}  // namespace

task<void> connect_socket(serial_loop& loop, tcp_socket& socket, std::shared_ptr<const void> owner, url target,
                          host_lookup::addresses addresses, time_point deadline)
{
    phase_deadline phase{loop, [](void* s) { close_socket(*static_cast<tcp_socket*>(s)); }, &socket};
    std::string attempts;
    bool is_late = false;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const endpoint_type peer{addresses[i], target.port()};
        const time_point now = loop.now();
        phase.start_until(now + (deadline - now) / static_cast<std::int64_t>(addresses.size() - i));
        const auto [code] = co_await socket.async_connect(peer, use_task_keeping{owner});
        phase.stop();
        is_late = phase.has_passed();
        if (!code && !is_late) {
            // Requests are written in one piece: waiting for more to send would only add to the time to first token.
            error_code ignored;
            socket.set_option(boost::asio::ip::tcp::no_delay{true}, ignored);
            co_return;
        }
        close_socket(socket);
        if (code == net_error::operation_aborted && !is_late)
            throw error{errc::cancelled, target.endpoint(), "while connecting"};
        attempts.append(attempts.empty() ? "" : ", ").append(attempt_text(peer, code, is_late));
    }
    throw error{is_late ? errc::connect_timeout : errc::connect_failed, target.endpoint(),
                attempts + "; check that the server runs and that no firewall is in the way"};
}

bool is_quiet(tcp_socket& socket) noexcept
{
    if (!socket.is_open()) return false;
    char byte;
    const auto received = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

// Asio's own calls without a handler would wait on a socket that is not marked as one that does not.
std::size_t write_now(tcp_socket& socket, boost::asio::const_buffer bytes) noexcept
{
    const auto sent = ::send(socket.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

std::size_t read_now(tcp_socket& socket, boost::asio::mutable_buffer room) noexcept
{
    const auto received = ::recv(socket.native_handle(), room.data(), room.size(), MSG_DONTWAIT);
    return received > 0 ? static_cast<std::size_t>(received) : 0;
}

void close_socket(tcp_socket& socket) noexcept
{
    error_code ignored;
    socket.close(ignored);
}

}  // namespace weft::net_detail
