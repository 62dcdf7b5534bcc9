#pragma once

#include <weft/tool/oauth/oauth_options.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace weft {

struct oauth_loopback_options {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    oauth_loopback_options() {}

    /** Has the person open the URL: prints it, or starts a browser. Called on the client's loop. Must be set. */
    std::function<void(const std::string& url)> show;
    std::uint16_t port = 0;          ///< 0: a free one, as RFC 8252 wants authorization servers to allow.
    std::string path = "/callback";  ///< Of the redirect.
};

/** `oauth_options::redirect` for a program on the machine of the person: the browser comes back to a port of 127.0.0.1
 *  that is open as long as the flow waits.
 *
 *      options.redirect = weft::oauth_loopback(how);
 *
 *  It answers nothing but the redirect: other paths get a 404, other `Host`s are refused, silent connections are closed
 *  after ten seconds.
 *
 *  @par Errors          Of the returned function: `errc::invalid_configuration` if the port is not to be had.
 *  @par Cancellation    Closes the port at once.
 *  @par Source          RFC 8252 §7.3, §8.3.
 */
[[nodiscard]] std::function<task<oauth_redirect>()> oauth_loopback(oauth_loopback_options options);

}  // namespace weft
