#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::mcp_detail {

/** A server's words for people, logs and models: a `neutral_text`, cut after `bytes_max` bytes with `…`. */
[[nodiscard]] std::string harmless_text(std::string_view from, std::size_t bytes_max);

}  // namespace weft::mcp_detail
