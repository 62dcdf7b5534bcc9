#pragma once

#include <weft/base/chrono.hpp>
#include <weft/net/socket/transport.hpp>
#include <weft/net/url.hpp>

#include <memory>

namespace weft::net_detail {

/** Opens transports to origins. The real one opens sockets; tests and simulations bring their own.
 *
 *  @par Thread safety   None: each belongs to one loop.
 */
class connector {
public:
    virtual ~connector() = default;

    /** Opens a transport to the host, port and scheme of `target`, ready for HTTP.
     *
     *  @param limit   For everything together.
     *
     *  @par Errors
     *    - `errc::resolve_failed`    the host has no address.
     *    - `errc::connect_failed`    no address accepts a connection.
     *    - `errc::connect_timeout`   `limit` passed; the detail says in which phase.
     *    - `errc::tls_untrusted`, `tls_expired`, `tls_wrong_host`   a check of the certificate failed.
     *    - `errc::tls_failed`        the peer does not speak our TLS.
     *    - `errc::connection_lost`   the peer went away during the handshake.
     *    - `errc::cancelled`         a stop came; the socket is closed. */
    virtual task<std::shared_ptr<transport>> open(url target, std::chrono::nanoseconds limit) = 0;
};

}  // namespace weft::net_detail
