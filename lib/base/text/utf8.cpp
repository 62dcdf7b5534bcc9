#include <weft/base/utf8.hpp>

#include <cstdint>
#include <cstring>

namespace weft {

namespace {

struct part {
    std::size_t size;   // At least 1.
    bool is_valid;      // One code point; otherwise the maximal beginning of one.
};

struct byte_range {
    std::uint8_t low;
    std::uint8_t high;
};

constexpr std::uint8_t byte_at(std::string_view text, std::size_t index)
{
    return static_cast<std::uint8_t>(text[index]);
}
constexpr bool is_continuation(std::uint8_t byte) { return (byte & 0xc0) == 0x80; }

constexpr std::size_t length_by(std::uint8_t lead)
{
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) return 2;
    if (lead >= 0xe0 && lead <= 0xef) return 3;
    if (lead >= 0xf0 && lead <= 0xf4) return 4;
    return 0;
}

// Table 3-7 of the standard: the second byte is what rules out overlong forms, surrogates and too
// large values.
constexpr byte_range second_byte(std::uint8_t lead)
{
    switch (lead) {
    case 0xe0: return {0xa0, 0xbf};
    case 0xed: return {0x80, 0x9f};
    case 0xf0: return {0x90, 0xbf};
    case 0xf4: return {0x80, 0x8f};
    default: return {0x80, 0xbf};
    }
}

part first_piece(std::string_view text) noexcept
{
    const std::uint8_t lead = byte_at(text, 0);
    const std::size_t length = length_by(lead);
    if (length <= 1) return {1, length == 1};
    const byte_range second = second_byte(lead);
    if (text.size() < 2 || byte_at(text, 1) < second.low || byte_at(text, 1) > second.high)
        return {1, false};
    // A broken sequence is one piece up to the byte that breaks it: one U+FFFD stands for it, as in browsers.
    for (std::size_t i = 2; i < length; ++i)
        if (i == text.size() || !is_continuation(byte_at(text, i))) return {i, false};
    return {length, true};
}

/** How many bytes at the beginning are ASCII, in steps of eight: most of most texts, and looked at at once. */
std::size_t ascii_bytes(std::string_view text) noexcept
{
    std::size_t at = 0;
    for (std::uint64_t eight = 0; at + sizeof eight <= text.size(); at += sizeof eight) {
        std::memcpy(&eight, text.data() + at, sizeof eight);
        if ((eight & 0x8080808080808080) != 0) break;
    }
    return at;
}

}  // namespace

bool is_valid_utf8(std::string_view text) noexcept
{
    for (;;) {
        text.remove_prefix(ascii_bytes(text));
        if (text.empty()) return true;
        const part first = first_piece(text);
        if (!first.is_valid) return false;
        text.remove_prefix(first.size);
    }
}

std::string repaired_utf8(std::string_view text)
{
    std::string repaired;
    repaired.reserve(text.size());
    while (!text.empty()) {
        const part first = first_piece(text);
        repaired.append(first.is_valid ? text.substr(0, first.size) : "\xef\xbf\xbd");
        text.remove_prefix(first.size);
    }
    return repaired;
}

std::string_view truncated_utf8(std::string_view text, std::size_t bytes_max) noexcept
{
    if (text.size() <= bytes_max) return text;
    std::size_t end = bytes_max;
    // Back to the beginning of the code point that does not fit as a whole.
    while (end > 0 && is_continuation(byte_at(text, end))) --end;
    return text.substr(0, end);
}

std::size_t code_point_bytes(std::string_view text) noexcept
{
    const std::uint8_t lead = byte_at(text, 0);
    const std::size_t bytes = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    for (std::size_t i = 1; i < bytes; ++i)
        if (i >= text.size() || !is_continuation(byte_at(text, i))) return 1;
    return bytes;
}

char32_t first_code_point(std::string_view text, std::size_t& bytes) noexcept
{
    bytes = code_point_bytes(text);
    const std::uint8_t lead = byte_at(text, 0);
    if (bytes == 1) return lead;
    char32_t code = lead & (0x7f >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) code = code << 6 | (byte_at(text, i) & 0x3f);
    return code;
}

std::size_t count_code_points(std::string_view text) noexcept
{
    std::size_t count = 0;
    for (; !text.empty(); ++count) text.remove_prefix(code_point_bytes(text));
    return count;
}

void append_code_point(std::string& to, char32_t code)
{
    const auto put = [&to](char32_t byte) { to += static_cast<char>(byte); };
    if (code < 0x80) return put(code);
    if (code < 0x800) {
        put(0xc0 | code >> 6);
    } else {
        if (code < 0x10000) {
            put(0xe0 | code >> 12);
        } else {
            put(0xf0 | code >> 18);
            put(0x80 | (code >> 12 & 0x3f));
        }
        put(0x80 | (code >> 6 & 0x3f));
    }
    put(0x80 | (code & 0x3f));
}

}  // namespace weft
