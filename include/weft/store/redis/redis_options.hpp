#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/tls_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** Which Redis server, who we are to it, and how long things may take. Each limit holds per loop that uses the
 *  client. */
class redis_options {
public:
    redis_options() {}
    explicit redis_options(std::string host, std::uint16_t port = 6379) : host_{std::move(host)}, port_{port} {}

    /** Reads `redis://[[user]:password@]host[:port][/database]`; `rediss` is with TLS. Characters of user and password
     *  that mean something in a URL are written as `%` and two hexadecimal digits.
     *
     *  @par Errors   `errc::invalid_configuration`; the text is not repeated, it may hold a password. */
    [[nodiscard]] static redis_options from_url(std::string_view text);

    /** An ACL user, of Redis 6 and newer; empty: the default user. */
    redis_options& user(std::string name) { return user_ = std::move(name), *this; }
    redis_options& password(secret_string text) { return password_ = std::move(text), *this; }
    redis_options& database(std::uint32_t number) noexcept { return database_ = number, *this; }
    redis_options& tls(tls_options options) { return tls_ = std::move(options), *this; }
    /** Lets the password go to another machine without TLS, where anybody on the way can read it. */
    redis_options& secrets_without_tls(bool allowed) noexcept { return secrets_without_tls_ = allowed, *this; }
    /** What `CLIENT LIST` shows for our connections. Without blanks. */
    redis_options& client_name(std::string name) { return client_name_ = std::move(name), *this; }

    /** For lookup, TCP, TLS and the greeting together. */
    redis_options& connect_timeout(std::chrono::nanoseconds limit) noexcept { return connect_timeout_ = limit, *this; }
    /** For a command, from the moment it is given: waiting for a connection, sending, and the answer. A server that
     *  answers nothing for as long loses the connection. */
    redis_options& request_timeout(std::chrono::nanoseconds limit) noexcept { return request_timeout_ = limit, *this; }
    /** The delays between attempts to connect, which are made only while commands wait; `attempts_max` has no say. */
    redis_options& reconnect(retry_policy policy) { return reconnect_ = std::move(policy), *this; }
    /** Commands that wait or are under way; more are an error at once. */
    redis_options& pending_max(std::size_t count) noexcept { return pending_max_ = count, *this; }
    /** The same, in bytes. */
    redis_options& pending_bytes_max(std::size_t size) noexcept { return pending_bytes_max_ = size, *this; }
    redis_options& reply_bytes_max(std::size_t size) noexcept { return reply_bytes_max_ = size, *this; }

    [[nodiscard]] const std::string& host() const noexcept { return host_; }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] const std::string& user() const noexcept { return user_; }
    [[nodiscard]] const secret_string& password() const noexcept { return password_; }
    [[nodiscard]] std::uint32_t database() const noexcept { return database_; }
    [[nodiscard]] const std::optional<tls_options>& tls() const noexcept { return tls_; }
    [[nodiscard]] bool secrets_without_tls() const noexcept { return secrets_without_tls_; }
    [[nodiscard]] const std::string& client_name() const noexcept { return client_name_; }
    [[nodiscard]] std::chrono::nanoseconds connect_timeout() const noexcept { return connect_timeout_; }
    [[nodiscard]] std::chrono::nanoseconds request_timeout() const noexcept { return request_timeout_; }
    [[nodiscard]] const retry_policy& reconnect() const noexcept { return reconnect_; }
    [[nodiscard]] std::size_t pending_max() const noexcept { return pending_max_; }
    [[nodiscard]] std::size_t pending_bytes_max() const noexcept { return pending_bytes_max_; }
    [[nodiscard]] std::size_t reply_bytes_max() const noexcept { return reply_bytes_max_; }

private:
    std::string host_ = "127.0.0.1";
    std::uint16_t port_ = 6379;
    std::string user_;
    secret_string password_;
    std::uint32_t database_ = 0;
    std::optional<tls_options> tls_;
    bool secrets_without_tls_ = false;
    std::string client_name_ = "weft";
    std::chrono::nanoseconds connect_timeout_ = std::chrono::seconds{5};
    std::chrono::nanoseconds request_timeout_ = std::chrono::seconds{5};
    retry_policy reconnect_ = {.initial = std::chrono::milliseconds{50}, .delay_max = std::chrono::seconds{2}};
    std::size_t pending_max_ = 1024;
    std::size_t pending_bytes_max_ = 64 * 1024 * 1024;
    std::size_t reply_bytes_max_ = 64 * 1024 * 1024;
};

}  // namespace weft
