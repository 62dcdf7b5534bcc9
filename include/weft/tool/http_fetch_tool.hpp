#pragma once

#include <weft/base/chrono.hpp>
#include <weft/net/http_client_options.hpp>
#include <weft/tool/tool.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace weft {

/** What `http_fetch_tool` may do. */
struct http_fetch_options {
    bool allows_plain_http = false;                ///< `http://` too.
    std::vector<std::uint16_t> ports = {80, 443};
    std::size_t redirects_max = 5;
    std::size_t body_bytes_max = 1024 * 1024;      ///< More of a page is left out, and the result says so.
    std::chrono::nanoseconds time_max = std::chrono::seconds{30};  ///< For all redirects together.
    /** Addresses that may be reached although they are not public; null: none. */
    std::function<bool(std::string_view address)> also_allowed = {};
    /** TLS and user agent; limits, timeouts and the filter of addresses are the tool's own. */
    http_client_options client = http_client_options{};
};

/** The tool `http_fetch`: reads a page of the public internet, text only.
 *
 *  The model, and the author of what the model read, chooses the address. So each host is looked up once, all of its
 *  addresses must be public (`is_public_address`), and the connection goes to one that was checked; each redirect is
 *  checked in the same way, and none leads from https to http unless plain http is allowed. No credentials, cookies or
 *  proxies. What comes back is marked as data of others.
 *
 *  @par Errors   `errc::invalid_configuration` if the CA in the options cannot be read. Pages that cannot be had are
 *                error results. */
[[nodiscard]] std::shared_ptr<tool> http_fetch_tool(http_fetch_options options = {});

}  // namespace weft
