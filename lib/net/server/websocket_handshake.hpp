#pragma once

#include <weft/net/options/http_request_head.hpp>
#include <weft/net/options/websocket_options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft::net_detail {

/** What the answer to a request for a WebSocket says. */
struct websocket_agreement {
    http_headers headers;  ///< Of the answer 101.
    std::string protocol;  ///< The one of `protocols` that is spoken; empty: none of them.
};

/** Answers a request for a WebSocket.
 *
 *  @param protocols  The subprotocols that the server speaks, the best first; the first that the client offers is
 *                    taken.
 *
 *  @par Errors   `http_error` 400: what the request lacks, all of it; 426: it asks for no WebSocket, or for another
 *                version than 13.
 *  @par Source   RFC 6455 §4.2. */
[[nodiscard]] websocket_agreement agree_on_websocket(const http_request_head& head,
                                                     const std::vector<std::string>& protocols);

/** @par Errors   `errc::invalid_configuration`: options out of range, all of them. */
void check_websocket_options(const websocket_options& options);

/** `Sec-WebSocket-Accept` for a `Sec-WebSocket-Key`. */
[[nodiscard]] std::string websocket_accept_of(std::string_view key);

}  // namespace weft::net_detail
