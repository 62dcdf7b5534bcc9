#pragma once

#include "tcp_socket.hpp"
#include "tls_context.hpp"
#include "transport.hpp"

#include <boost/asio/ssl/stream.hpp>

namespace weft::net_detail {

/** A transport over TLS over TCP. */
class tls_transport final : public transport, public std::enable_shared_from_this<tls_transport> {
public:
    tls_transport(serial_loop& loop, std::shared_ptr<tls_context> context, const url& target);

    [[nodiscard]] tcp_socket& socket() noexcept { return stream_.next_layer(); }

    /** Shakes hands over the connected socket. @par Errors   As `connector::open` says. */
    task<void> handshake(serial_loop& loop, time_point deadline);

    wire_operation read_some(boost::asio::mutable_buffer buffer, std::shared_ptr<const void> owner) override;
    wire_operation write_some(boost::asio::const_buffer buffer, std::shared_ptr<const void> owner) override;
    bool is_quiet() noexcept override { return net_detail::is_quiet(socket()); }
    bool is_resumed() const noexcept override { return is_resumed_; }
    void close() noexcept override;

private:
    std::shared_ptr<tls_context> context_;
    tls_peer peer_;
    boost::asio::ssl::stream<tcp_socket> stream_;  // refers to the two above: goes first
    bool is_established_ = false;
    bool is_resumed_ = false;
};

}  // namespace weft::net_detail
