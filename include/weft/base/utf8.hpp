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

}  // namespace weft
