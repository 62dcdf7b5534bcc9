#pragma once

#include <string>
#include <string_view>

namespace weft::net_detail {

/** The 32 bytes of the SHA-256 of a text.
 *  @par Errors   `errc::invalid_configuration` when OpenSSL is set up without it. */
[[nodiscard]] std::string sha256(std::string_view text);
/** The 20 bytes of the SHA-1 of a text: a name where a protocol wants it, never a proof.
 *  @par Errors   As `sha256`. */
[[nodiscard]] std::string sha1(std::string_view text);

}  // namespace weft::net_detail
