#pragma once

#include <weft/chat/content_part.hpp>

#include <string>

namespace weft {

/** A picture of four texts, any of which may be empty; it has `data` if its type or its bytes are there. */
[[nodiscard]] image_part image_of(std::string url, std::string media_type, std::string base64, std::string detail);

/** Where a picture is: its address, or the picture itself as a `data:` URL. */
[[nodiscard]] std::string address_of(const image_part& picture);

}  // namespace weft
