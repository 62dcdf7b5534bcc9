#pragma once

#include <weft/base/environment.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/net/text/proxy_bypass.hpp>
#include <weft/net/url.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** A proxy: where it is, and who we are to it.
 *
 *  @par Thread safety   As a value.
 */
class proxy_server {
public:
    /** Reads an address as people write it.
     *
     *  @param address   `http://proxy.example.com:3128`; `https://…` to speak TLS with the proxy itself; without a
     *                   scheme it is http. User and password may stand before an `@`, percent-encoded. A path other
     *                   than `/` is an error.
     *
     *  @par Errors
     *    - `errc::invalid_configuration`  it is no such address; the message never repeats it. */
    explicit proxy_server(std::string_view address);

    /** Who we are, for Basic authentication: told to the proxy and never to an origin.
     *
     *  @par Errors
     *    - `errc::invalid_configuration`  the user has a colon, or one of them a control character. */
    proxy_server& credentials(std::string user, secret_string password);

    [[nodiscard]] const url& address() const noexcept { return address_; }
    [[nodiscard]] bool has_credentials() const noexcept { return !user_.empty() || !password_.empty(); }
    [[nodiscard]] const std::string& user() const noexcept { return user_; }
    [[nodiscard]] const secret_string& password() const noexcept { return password_; }

private:
    url address_;
    std::string user_;
    secret_string password_;
};

/** Which requests of an `http_client` go through which proxy. By default none does, whatever the environment says.
 *
 *      options.proxy = http_proxy{proxy_server{"http://proxy.example.com:3128"}}.bypass("localhost,10.0.0.0/8");
 *      options.proxy = http_proxy::from_environment(process_environment());
 *
 *  A request for `https://` goes through a tunnel (CONNECT): TLS reaches from here to the origin, whose certificate is
 *  checked as without a proxy, and the proxy learns host and port only. A request for `http://` is handed to the proxy
 *  as a whole. Either way the proxy looks the host up.
 *
 *  @par Thread safety   As a value.
 *  @par Source          RFC 9110 §9.3.6 (CONNECT), RFC 9112 §3.2.2 (absolute form), RFC 7617 (Basic).
 */
class http_proxy {
public:
    /** No proxy for anything. */
    http_proxy() {}
    /** One proxy for everything. */
    explicit http_proxy(proxy_server everything) : https_{everything}, http_{std::move(everything)} {}

    /** The proxy for `https://…`. */
    http_proxy& for_https(proxy_server proxy) { return https_ = std::move(proxy), *this; }
    /** The proxy for `http://…`. */
    http_proxy& for_http(proxy_server proxy) { return http_ = std::move(proxy), *this; }
    /** Adds hosts that are reached directly. @par Errors   As `proxy_bypass::add`. */
    http_proxy& bypass(std::string_view list) { return bypass_.add(list), *this; }

    /** What `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say; of each, the name in lower case comes first.
     *
     *  A variable that is empty counts as not set. `HTTP_PROXY` in upper case does not count where `REQUEST_METHOD` is
     *  set: there a web server hands on what a stranger has sent in a header. What is on this machine (`localhost`,
     *  127.0.0.0/8, ::1) is reached directly.
     *
     *  @par Errors
     *    - `errc::invalid_configuration`  a value is no proxy or list; where: the variable. */
    [[nodiscard]] static http_proxy from_environment(const environment_lookup& lookup);

    /** The proxy that a request for `target` goes through; null if it goes directly. Lives as long as this. */
    [[nodiscard]] const proxy_server* find(const url& target) const;

private:
    std::optional<proxy_server> https_;
    std::optional<proxy_server> http_;
    proxy_bypass bypass_;
};

}  // namespace weft
