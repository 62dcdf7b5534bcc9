#pragma once

#include <string>
#include <string_view>

namespace weft::tool_detail {

/** 32 random bytes of the operating system's source of secrets as 43 characters of base64url: a `state`, or a verifier
 *  of PKCE.
 *  @par Errors   `errc::invalid_configuration` if there are none. */
[[nodiscard]] std::string new_oauth_secret();

/** The challenge `S256` of a verifier. @par Source  RFC 7636 §4.2. */
[[nodiscard]] std::string pkce_challenge(std::string_view verifier);

}  // namespace weft::tool_detail
