#pragma once

#include <string>
#include <string_view>

namespace weft::tool_detail {

/** The 32 bytes of the SHA-256 of a text.
 *
 *  @par Errors   `errc::invalid_configuration` when OpenSSL is set up without it. */
[[nodiscard]] std::string sha256(std::string_view text);

}  // namespace weft::tool_detail
