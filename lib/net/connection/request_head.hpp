#pragma once

#include <weft/net/http_proxy.hpp>
#include <weft/net/http_request.hpp>

#include <string>
#include <string_view>

namespace weft::net_detail {

/** Appends request line and headers, the empty line included.
 *
 *  @param forwarder   The proxy that the request is handed to as a whole; null if it goes to the origin, a tunnel
 *                     included.
 *
 *  The text may hold secrets: overwrite it when it was sent. */
void append_request_head(std::string& out, const http_request& request, std::string_view user_agent,
                         const proxy_server* forwarder = nullptr);

}  // namespace weft::net_detail
