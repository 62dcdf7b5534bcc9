#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::mcp_detail {

/** A server's words for people, logs and models: valid UTF-8 without control characters (but tabs and line feeds),
 *  invisible and direction-changing characters and tags, cut after `bytes_max` bytes with `…`. */
[[nodiscard]] std::string harmless_text(std::string_view from, std::size_t bytes_max);

}  // namespace weft::mcp_detail
