#pragma once

#include <string>
#include <string_view>

namespace weft {

/** A new API key: `weft_`, 32 random bytes of the operating system, and a checksum, 54 characters in all. It is shown
 *  once and kept nowhere.
 *  @par Errors   `errc::invalid_configuration` if there are no random bytes. */
[[nodiscard]] std::string new_api_key();

/** True if a text has the form of a key, checksum included: what is mistyped, or made up, costs no look into a
 *  store. */
[[nodiscard]] bool is_api_key(std::string_view text) noexcept;

/** Under which a key is kept (`api_key::hash`): its SHA-256 in hexadecimal digits. */
[[nodiscard]] std::string hash_of_api_key(std::string_view key);

}  // namespace weft
