#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

enum class url_scheme { http, https };

/** An absolute http or https URL, checked strictly and kept in its parts.
 *
 *  Refused with a reason instead of repaired: other schemes, user info (secrets do not belong into URLs), fragments
 *  (they are never sent, so that one is a mistake), spaces, controls, backslashes, bytes outside ASCII, broken percent
 *  escapes, and hosts that only look like an address (`127.1`, `0x7f.0.0.1`, a number).
 *
 *  @par Thread safety   As a value.
 *  @par Source          RFC 3986 §3; RFC 9110 §4.2.
 */
class url {
public:
    /** Longest text that is accepted, in bytes. */
    static constexpr std::size_t length_max = 8 * 1024;

    /** Reads a URL.
     *
     *  @par Errors
     *    - `errc::invalid_url`  the text is something else; the detail says what is wrong with it.
     */
    explicit url(std::string_view text);

    [[nodiscard]] url_scheme scheme() const noexcept { return scheme_; }
    [[nodiscard]] bool is_https() const noexcept { return scheme_ == url_scheme::https; }

    /** The host in lower case; an IPv6 address in its canonical form without brackets. */
    [[nodiscard]] const std::string& host() const noexcept { return host_; }
    /** True if the host is an IPv4 or IPv6 address and not a name. */
    [[nodiscard]] bool host_is_address() const noexcept { return host_is_address_; }
    /** True for `localhost`, 127.0.0.0/8 and ::1. */
    [[nodiscard]] bool host_is_loopback() const noexcept;
    /** The port, given or implied by the scheme. */
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    /** Path and query as they stand in a request line; at least `/`. */
    [[nodiscard]] const std::string& target() const noexcept { return target_; }

    /** Host and port, for messages: `api.example.com:443`, `[::1]:8080`. */
    [[nodiscard]] std::string endpoint() const;
    /** Host and, unless it is the scheme's own, the port: what a `Host` header says. */
    [[nodiscard]] std::string authority() const;
    /** Scheme, host and port: the scope of credentials and of connections. `https://api.example.com:443` */
    [[nodiscard]] std::string origin() const;

    /** This URL with `path` added after its own path, with one slash between them; the query stays.
     *
     *  @param path   Begins with or without a slash; characters that a path must not have are an error.
     *
     *  @par Errors          `errc::invalid_url` as for the whole text.
     *  @par Example         `url{"https://x/v1/"}.appended("/chat")` is `https://x/v1/chat`.
     */
    [[nodiscard]] url appended(std::string_view path) const;

    [[nodiscard]] std::string to_string() const;

    friend bool operator==(const url&, const url&) = default;
    friend auto operator<=>(const url&, const url&) = default;

private:
    url_scheme scheme_ = url_scheme::https;
    bool host_is_address_ = false;
    std::uint16_t port_ = 0;
    std::string host_;
    std::string target_;
};

}  // namespace weft
