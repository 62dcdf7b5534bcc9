#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft::net_detail {

/** Bytes in base64, with padding. @par Source  RFC 4648 §4. */
[[nodiscard]] std::string to_base64(std::string_view bytes);

/** The bytes; nothing if the text is not base64 with padding. */
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace weft::net_detail
