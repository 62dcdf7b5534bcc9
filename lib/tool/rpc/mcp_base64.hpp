#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft::mcp_detail {

[[nodiscard]] std::string to_base64(std::string_view bytes);
/** Nothing if the text is not base64 with its padding. */
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace weft::mcp_detail
