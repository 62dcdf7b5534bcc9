#pragma once

#include <weft/base/text/ascii_text.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft::agent_detail {

/** Letters of ASCII, digits, the underscore, and all beyond ASCII. */
[[nodiscard]] bool is_word_character(char c) noexcept;
/** Runs of word characters. */
[[nodiscard]] std::vector<std::string> words_in(std::string_view text);
/** Runs of what is no blank, tab or line end. */
[[nodiscard]] std::vector<std::string> split_at_blanks(std::string_view text);
/** A text without blanks and one pair of quotes around it. */
[[nodiscard]] std::string_view without_quotes(std::string_view text);
/** The place of a text in any case, from `at` on; `npos` if there is none. @param lower   In small letters. */
[[nodiscard]] std::size_t find_in_any_case(std::string_view text, std::string_view lower, std::size_t at) noexcept;

}  // namespace weft::agent_detail
