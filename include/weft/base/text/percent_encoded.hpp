#pragma once

#include <string>
#include <string_view>

namespace weft {

/** A text as one piece of a URL: everything but letters, digits and `-._~` as `%XX`.
 *
 *      weft::percent_encoded("a b/ü")  // a%20b%2F%C3%BC
 *
 *  @par Source   RFC 3986 §2.3. */
[[nodiscard]] inline std::string percent_encoded(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const bool is_plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                              c == '-' || c == '.' || c == '_' || c == '~';
        const auto byte = static_cast<unsigned char>(c);
        if (is_plain) encoded += c;
        else encoded.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return encoded;
}

}  // namespace weft
