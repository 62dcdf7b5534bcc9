#pragma once

#include "tcp_socket.hpp"

#include <weft/async/loop/loop_executor.hpp>
#include <weft/net/socket/transport.hpp>

#include <utility>

namespace weft::net_detail {

/** A transport over a bare TCP connection. */
class tcp_transport final : public transport {
public:
    explicit tcp_transport(serial_loop& loop) : socket_{loop.executor()} {}
    explicit tcp_transport(tcp_socket socket) noexcept : socket_{std::move(socket)} {}

    [[nodiscard]] tcp_socket& socket() noexcept { return socket_; }

    wire_operation read_some(boost::asio::mutable_buffer buffer, std::shared_ptr<const void> owner) override
    {
        return socket_.async_read_some(buffer, use_task_keeping{std::move(owner)});
    }
    wire_operation write_some(boost::asio::const_buffer buffer, std::shared_ptr<const void> owner) override
    {
        return socket_.async_write_some(buffer, use_task_keeping{std::move(owner)});
    }
    std::size_t write_now(boost::asio::const_buffer bytes) noexcept override
    {
        return net_detail::write_now(socket_, bytes);
    }
    std::size_t read_now(boost::asio::mutable_buffer room) noexcept override
    {
        return net_detail::read_now(socket_, room);
    }
    bool is_quiet() noexcept override { return net_detail::is_quiet(socket_); }
    void end_sending() noexcept override
    {
        boost::system::error_code ignored;
        socket_.shutdown(tcp_socket::shutdown_send, ignored);
    }
    void close() noexcept override { close_socket(socket_); }

private:
    tcp_socket socket_;
};

}  // namespace weft::net_detail
