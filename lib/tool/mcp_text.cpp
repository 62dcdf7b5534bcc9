#include "mcp_text.hpp"

#include <weft/base/utf8.hpp>

#include <cstdint>

namespace weft::mcp_detail {

namespace {

/** The code point that begins at `text`, which is valid UTF-8, and its bytes. */
std::uint32_t code_point_at(std::string_view text, std::size_t& size) noexcept
{
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return size = 1, first;
    if (first < 0xE0) return size = 2, (first & 0x1F) << 6 | (byte(1) & 0x3F);
    if (first < 0xF0) return size = 3, (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    size = 4;
    return (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
}

bool is_hidden(std::uint32_t c) noexcept
{
    const bool is_control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0);
    const bool is_zero_width = (c >= 0x200B && c <= 0x200F) || (c >= 0x2060 && c <= 0x2064) || c == 0xFEFF || c == 0xAD;
    const bool is_direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    const bool is_tag = c >= 0xE0000 && c <= 0xE007F;
    return is_control || is_zero_width || is_direction || is_tag;
}

}  // namespace

std::string harmless_text(std::string_view from, std::size_t bytes_max)
{
    // A repaired text has up to three times the bytes: nothing beyond what can be kept is looked at.
    const std::string valid = repaired_utf8(from.substr(0, bytes_max * 4 + 4));
    std::string kept;
    std::size_t size = 0;
    for (std::string_view rest = valid; !rest.empty(); rest.remove_prefix(size)) {
        if (is_hidden(code_point_at(rest, size))) continue;
        if (kept.size() + size > bytes_max) return kept + "…";
        kept.append(rest.substr(0, size));
    }
    return kept;
}

}  // namespace weft::mcp_detail
