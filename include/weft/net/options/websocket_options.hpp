#pragma once

#include <weft/base/chrono.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

/** What a server allows the client of a WebSocket. The one place of these defaults.
 *
 *      weft::websocket_options options;
 *      options.protocols = {"chat.v2", "chat.v1"};
 */
struct websocket_options {
    websocket_options() {}

    /** Subprotocols that the server speaks, the best first. A client that offers none of them is served too. */
    std::vector<std::string> protocols{};
    std::size_t message_bytes_max = 1024 * 1024;  ///< Of the client; a larger one closes with 1009.
    /** What is kept for a client that does not read: a message waits until there is less; one alone may be larger. */
    std::size_t unsent_bytes_max = 64 * 1024;
    /** Between two pings. A client from which nothing comes until the next one is taken to be gone. */
    std::chrono::nanoseconds ping_interval = std::chrono::seconds{20};
    /** How long the client may take to answer a close. */
    std::chrono::nanoseconds close_grace = std::chrono::seconds{2};
};

}  // namespace weft
