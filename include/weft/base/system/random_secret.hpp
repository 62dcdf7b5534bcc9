#pragma once

#include <string>

namespace weft {

/** 32 random bytes of the operating system's source of secrets, as 43 characters of base64url.
 *  @par Errors   `errc::invalid_configuration` if there are none. */
[[nodiscard]] std::string random_secret();

}  // namespace weft
