#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** Bytes in base64, with padding, in one line. @par Source  RFC 4648 §4. */
[[nodiscard]] std::string to_base64(std::string_view bytes);

/** The bytes of a text in base64; nothing if it has a character outside of the alphabet, as a line end, or lacks its
 *  padding. Bits beyond the last byte are passed over, so that several texts may stand for the same bytes. */
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

/** Bytes as lower-case hexadecimal digits, two each. */
[[nodiscard]] std::string to_hex(std::string_view bytes);

/** Bytes in the alphabet for URLs and names of files, without padding. @par Source  RFC 4648 §5. */
[[nodiscard]] std::string to_base64url(std::string_view bytes);
/** The bytes of such a text; nothing if it has another character, padding among them. */
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);

}  // namespace weft
