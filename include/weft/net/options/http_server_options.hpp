#pragma once

#include <weft/base/chrono.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace weft {

/** How long a client may take for each phase. A deadline that passes closes the connection. */
struct http_server_timeouts {
    std::chrono::nanoseconds handshake = std::chrono::seconds{10};   ///< Of TLS, from the connection on.
    std::chrono::nanoseconds head = std::chrono::seconds{10};        ///< From the first byte of a head to its last.
    std::chrono::nanoseconds idle = std::chrono::seconds{75};        ///< Between two requests, and before the first.
    std::chrono::nanoseconds write_stall = std::chrono::seconds{30}; ///< Until the client takes more of an answer.
    /** A body may fall behind `body_bytes_per_second` by so much. */
    std::chrono::nanoseconds body_grace = std::chrono::seconds{5};
    std::size_t body_bytes_per_second = 1024;
    /** From the start of a drain to the moment when connections are closed that are still at work. */
    std::chrono::nanoseconds drain = std::chrono::seconds{5};
};

/** One exchange, for a log of accesses. Views are valid during the call. */
struct http_access {
    std::string_view method;                     ///< Empty if no head could be read.
    std::string_view target;
    std::string_view peer;                       ///< The address of the client.
    std::string_view trace_parent;               ///< The header `traceparent`, as it came; empty: there is none.
    int status = 0;                              ///< 0: the client was gone before the answer.
    std::uint64_t bytes_in = 0;                  ///< Of the body.
    std::uint64_t bytes_out = 0;                 ///< Of the body.
    std::chrono::nanoseconds first_byte{};       ///< From the end of the head to the answer's.
    std::chrono::nanoseconds whole{};            ///< From the end of the head to the end of the answer.
};

/** What an `http_server` allows its clients, and to whom it tells what happened.
 *
 *      http_server_options options;
 *      options.body_bytes_max = 16 * 1024 * 1024;
 *
 *  @par Errors   `errc::invalid_configuration` from `http_server`, which lists all values that are out of range.
 */
struct http_server_options {
    http_server_timeouts timeouts{};

    std::size_t line_bytes_max = 8 * 1024;   ///< Of a request line; a longer one is answered with 414.
    std::size_t head_bytes_max = 16 * 1024;  ///< Of a head; a larger one is answered with 431.
    std::size_t headers_max = 100;           ///< More are answered with 431.
    /** Of a body, unless the handler says so; a larger one is answered with 413, before it is read if possible. */
    std::uint64_t body_bytes_max = 4 * 1024 * 1024;
    /** Open at the same time. Beyond it the connections that have been idle longest are closed; without any, new ones
     *  are answered with 503 and `Retry-After`, without TLS, and closed at once. */
    std::size_t connections_max = 10'000;
    /** Open at the same time from one address; more are answered with 503 and `Retry-After`, without TLS, and closed at
     *  once. 0: no limit, as behind a proxy. */
    std::size_t connections_per_peer_max = 0;
    /** What the kernel keeps for a client, in bytes, also of what is under way to it: less than the line takes slows it
     *  down. 0: as much as the system likes, of which about 16 KB waits at most for a client that does not read. */
    std::size_t send_buffer_bytes = 0;
    /** Whole answers from so many bytes on are compressed for clients that accept gzip, if they are JSON, text or SVG;
     *  see `http_reply`. 0: never. Streams are not. */
    std::size_t gzip_bytes_min = 1024;
    int gzip_level = 1;  ///< From 1, which costs little, to 6, which makes small answers.

    /** Called on the loop after each exchange; must not block. */
    std::function<void(const http_access& done)> on_access{};
    /** Called on the loop with what a handler threw and no client is told: where, and what. Must not block. */
    std::function<void(std::string_view target, std::string_view what)> on_error{};
};

}  // namespace weft
