#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

/** Whether a text is UTF-8: no stray or missing bytes, overlong forms, surrogates or values above
 *  U+10FFFF. */
[[nodiscard]] bool is_valid_utf8(std::string_view text) noexcept;

/** The text with each maximal part of what is not UTF-8 replaced by U+FFFD, as browsers do it.
 *
 *  @par Source   The Unicode Standard 15, section 3.9, "U+FFFD Substitution of Maximal Subparts"
 */
[[nodiscard]] std::string repaired_utf8(std::string_view text);

/** The longest beginning of a UTF-8 text that has at most `bytes_max` bytes and ends between two
 *  code points. */
[[nodiscard]] std::string_view truncated_utf8(std::string_view text,
                                              std::size_t bytes_max) noexcept;

/** The bytes of the code point that begins a text, which is not empty; a stray byte counts as one. */
[[nodiscard]] std::size_t code_point_bytes(std::string_view text) noexcept;
/** The code point that begins a text, which is not empty, and its size in bytes; a stray byte stands for itself. */
[[nodiscard]] char32_t first_code_point(std::string_view text, std::size_t& bytes) noexcept;
/** How many code points a text has; stray bytes count as one each. */
[[nodiscard]] std::size_t count_code_points(std::string_view text) noexcept;
void append_code_point(std::string& to, char32_t code);

}  // namespace weft
