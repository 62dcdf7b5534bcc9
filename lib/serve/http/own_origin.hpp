#pragma once

#include <weft/net/options/http_request_head.hpp>

#include <string_view>

namespace weft::serve_detail {

/** Whether a page of an origin may use the server: it comes from the server itself, or from the allowed origin.
 *
 *  @param origin    As browsers send it: `https://app.example:8443`; `null` is no origin of ours.
 *  @param host      By which the server was called, with its port.
 *  @param allowed   An origin; `*`: any; empty: none but our own. */
[[nodiscard]] bool is_own_origin(std::string_view origin, std::string_view host, std::string_view allowed) noexcept;

/** Refuses requests of pages that may not use the server. What is no browser sends no origin and passes.
 *  @par Errors  `http_error` 403. */
void require_own_origin(const http_request_head& head, std::string_view allowed);

}  // namespace weft::serve_detail
