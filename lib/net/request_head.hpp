#pragma once

#include <weft/net/http_request.hpp>

#include <string>
#include <string_view>

namespace weft::net_detail {

/** Appends request line and headers, the empty line included.
 *
 *  The text may hold secrets: overwrite it when it was sent. */
void append_request_head(std::string& out, const http_request& request, std::string_view user_agent);

}  // namespace weft::net_detail
