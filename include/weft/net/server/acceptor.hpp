#pragma once

#include <weft/async/task.hpp>
#include <weft/net/socket/transport.hpp>

#include <memory>
#include <string>

namespace weft::net_detail {

class tls_server_transport;

/** A connection that a client has opened. */
struct accepted_connection {
    accepted_connection() noexcept {}

    std::shared_ptr<transport> wire;  ///< Null: this one failed; the next may not.
    bool is_last = false;             ///< The process may open no further file: it is to be turned away.
    std::string peer;                 ///< The address of the client; empty for a Unix socket.
    /** The same as `wire` if it speaks TLS; then its handshake comes first. */
    std::shared_ptr<tls_server_transport> tls;
};

/** Where connections come from: a listening socket, or a simulation.
 *
 *  @par Thread safety   None: it belongs to one loop.
 */
class acceptor {
public:
    virtual ~acceptor() = default;

    /** Waits for the next connection.
     *  @par Errors        `errc::cancelled`: a stop came, or it is closed.
     *  @par Cancellation  At once. */
    virtual task<accepted_connection> accept() = 0;

    /** Takes no further connection; `accept` ends. May be called again. */
    virtual void close() noexcept = 0;
};

}  // namespace weft::net_detail
