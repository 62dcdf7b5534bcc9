#pragma once

#include "net/tls/tls_server_context.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/net/options/listen_address.hpp>
#include <weft/net/server/acceptor.hpp>

#include <cstddef>
#include <memory>

namespace weft::net_detail {

/** A listening socket. */
struct listening {
    std::unique_ptr<acceptor> source;
    listen_address at;  ///< With the port that the system chose.
};

/** Opens a socket that listens.
 *
 *  @param send_buffer_bytes   Of each connection; 0: as the system likes.
 *  @param tls                 How connections speak TLS; null: they do not.
 *
 *  @par Errors   `errc::listen_failed`; the detail says why and what to do. */
[[nodiscard]] listening listen_on_socket(serial_loop& loop, const listen_address& at, std::size_t send_buffer_bytes,
                                         std::shared_ptr<const tls_server_context> tls = nullptr);

}  // namespace weft::net_detail
