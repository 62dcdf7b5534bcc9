#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace weft {

/** Blanks, tabs and line ends. Those of the C library depend on the locale, and take bytes of UTF-8 for their own. */
inline constexpr std::string_view ascii_blanks = " \t\r\n";

/** Without `ascii_blanks` at both ends. */
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept
{
    const std::size_t begin = text.find_first_not_of(ascii_blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(ascii_blanks) - begin + 1);
}

/** Whether there is nothing but `ascii_blanks`. */
[[nodiscard]] constexpr bool is_blank(std::string_view text) noexcept
{
    return text.find_first_not_of(ascii_blanks) == std::string_view::npos;
}

/** The first word and the `ascii_blanks` before it, as tokens of most models are; all of it if there is no word. */
[[nodiscard]] constexpr std::string_view leading_word(std::string_view text) noexcept
{
    const std::size_t word = text.find_first_not_of(ascii_blanks);
    return word == std::string_view::npos ? text : text.substr(0, text.find_first_of(ascii_blanks, word));
}

/** The small letter of a letter of ASCII; anything else as it is. */
[[nodiscard]] constexpr char ascii_lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/** With the letters of ASCII small; other letters, and bytes of UTF-8, stay. */
[[nodiscard]] inline std::string ascii_lower_case(std::string_view text)
{
    std::string lower{text};
    std::transform(lower.begin(), lower.end(), lower.begin(), ascii_lower);
    return lower;
}

}  // namespace weft
