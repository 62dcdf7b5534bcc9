#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/base/chrono.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/tls_options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** Which Redis server, who we are to it, and how long things may take. Each limit holds per loop that uses the client.
 *
 *      redis_options options{"cache.example.com", 6380};
 *      options.tls = tls_options{};
 */
struct redis_options {
    redis_options() {}
    explicit redis_options(std::string host, std::uint16_t port = 6379) : host{std::move(host)}, port{port} {}

    /** Reads `redis://[[user]:password@]host[:port][/database]`; `rediss` is with TLS. Characters of user and password
     *  that mean something in a URL are written as `%` and two hexadecimal digits.
     *
     *  @par Errors   `errc::invalid_configuration`; the text is not repeated, it may hold a password. */
    [[nodiscard]] static redis_options from_url(std::string_view text);

    std::string host = "127.0.0.1";
    std::uint16_t port = 6379;
    std::string user;  ///< An ACL user, of Redis 6 and newer; empty: the default user.
    secret_string password;
    std::uint32_t database = 0;
    std::optional<tls_options> tls;  ///< None: without TLS.
    /** Lets the password go to another machine without TLS, where it can be read on the way. */
    bool secrets_without_tls = false;
    std::string client_name = "weft";  ///< What `CLIENT LIST` shows for our connections. Without blanks.

    std::chrono::nanoseconds connect_timeout = std::chrono::seconds{5};  ///< Lookup, TCP, TLS and greeting together.
    /** For a command, from the moment it is given: waiting for a connection, sending, and the answer. A server that
     *  answers nothing for as long loses the connection. */
    std::chrono::nanoseconds request_timeout = std::chrono::seconds{5};
    /** The delays between attempts to connect, which are made only while commands wait; `attempts_max` has no say. */
    retry_policy reconnect = {.initial = std::chrono::milliseconds{50}, .delay_max = std::chrono::seconds{2}};
    std::size_t pending_max = 1024;  ///< Commands that wait or are under way; more are an error at once.
    std::size_t pending_bytes_max = 64 * 1024 * 1024;  ///< The same, in bytes.
    std::size_t reply_bytes_max = 64 * 1024 * 1024;    ///< Of one reply; a longer one loses the connection.
};

}  // namespace weft
