#pragma once

#include <string>
#include <string_view>

namespace weft::tool_detail {

/** The challenge `S256` of a verifier. @par Source  RFC 7636 §4.2. */
[[nodiscard]] std::string pkce_challenge(std::string_view verifier);

}  // namespace weft::tool_detail
