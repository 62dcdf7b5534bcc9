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

/** The 32 bytes that prove that a text was written by what knows the key.
 *  @par Errors   As `sha256`.
 *  @par Source   RFC 2104. */
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view text);
/** Whether two digests are the same; how long it takes does not tell where they differ. */
[[nodiscard]] bool is_same_digest(std::string_view a, std::string_view b) noexcept;

}  // namespace weft::net_detail
