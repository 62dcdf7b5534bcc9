#include <weft/base/text/base64.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace weft {

namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 0xFF;

constexpr std::array<std::uint8_t, 256> digit_values()
{
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::size_t i = 0; i < base64_digits.size(); ++i)
        values[static_cast<unsigned char>(base64_digits[i])] = static_cast<std::uint8_t>(i);
    return values;
}

constexpr std::array<std::uint8_t, 256> value_of_digit = digit_values();

std::uint32_t octet_at(std::string_view bytes, std::size_t at) noexcept
{
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

}  // namespace

std::string to_base64(std::string_view bytes)
{
    std::string text((bytes.size() + 2) / 3 * 4, '=');
    char* out = text.data();
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::uint32_t group =
            octet_at(bytes, at) << 16 | octet_at(bytes, at + 1) << 8 | octet_at(bytes, at + 2);
        const std::size_t left = bytes.size() - at;
        out[0] = base64_digits[group >> 18];
        out[1] = base64_digits[group >> 12 & 63];
        if (left > 1) out[2] = base64_digits[group >> 6 & 63];
        if (left > 2) out[3] = base64_digits[group & 63];
        out += 4;
    }
    return text;
}

std::optional<std::string> from_base64(std::string_view text)
{
    if (text.size() % 4 != 0) return std::nullopt;
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    text.remove_suffix(padding);
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t group = 0;
    std::uint8_t seen = 0;  // the bits of all values: above 63 after a character that is no digit
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::uint8_t value = value_of_digit[static_cast<unsigned char>(text[at])];
        seen |= value;
        group = group << 6 | (value & 63);
        if (at % 4 != 3) continue;
        bytes.append({static_cast<char>(group >> 16), static_cast<char>(group >> 8), static_cast<char>(group)});
        group = 0;
    }
    if (seen > 63) return std::nullopt;
    if (padding == 2) bytes += static_cast<char>(group >> 4);
    if (padding == 1) bytes.append({static_cast<char>(group >> 10), static_cast<char>(group >> 2)});
    return bytes;
}

std::string to_hex(std::string_view bytes)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text.push_back(digits[byte >> 4]);
        text.push_back(digits[byte & 15]);
    }
    return text;
}

std::string to_base64url(std::string_view bytes)
{
    std::string text = to_base64(bytes);
    text.erase(std::min(text.find('='), text.size()));
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    return text;
}

std::optional<std::string> from_base64url(std::string_view text)
{
    // These are digits and padding of the other alphabet, and would pass below.
    if (text.find_first_of("+/=") != text.npos) return std::nullopt;
    std::string padded{text};
    std::replace(padded.begin(), padded.end(), '-', '+');
    std::replace(padded.begin(), padded.end(), '_', '/');
    padded.append((4 - padded.size() % 4) % 4, '=');
    return from_base64(padded);
}

}  // namespace weft
