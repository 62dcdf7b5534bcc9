#pragma once

#include "tls_stream.hpp"

#include <weft/net/options/client_identity.hpp>

#include <optional>

namespace weft::net_detail {

/** What has become of the handshake with a client. */
enum class tls_admission {
    done,
    refused,  ///< It speaks no TLS or another one, took too long, or shows no certificate that is good.
    gone,     ///< It left before it was done.
};

/** The server's side of TLS over an accepted socket. */
class tls_server_transport final : public basic_tls_stream<tcp_socket> {
public:
    tls_server_transport(SSL_CTX* context, tcp_socket socket)
        : basic_tls_stream{context, tls_side::server, std::move(socket)}
    {
    }

    /** Shakes hands; closes the connection if that fails.
     *  @par Errors   None, whatever the client does. */
    task<tls_admission> admit(serial_loop& loop, time_point deadline);

    /** Who the client is, if it was asked for a certificate and has shown one. */
    [[nodiscard]] const std::optional<client_identity>& identity() const noexcept { return identity_; }

private:
    std::optional<client_identity> identity_;
};

}  // namespace weft::net_detail
