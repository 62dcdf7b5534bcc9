#pragma once

#include "expression_evaluation.hpp"

#include <weft/base/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::expression_detail {

/** How many code points a text has. */
[[nodiscard]] std::size_t code_points(evaluation& in, std::string_view text);

/** Where `part` begins in `text` at `from` or behind it, in linear time; npos if nowhere. */
[[nodiscard]] std::size_t find_text(evaluation& in, std::string_view text, std::string_view part, std::size_t from);

[[nodiscard]] bool is_space(char32_t code) noexcept;
/** Whether Python shows a code point as it is, and not by its number: no blank but the plain one, no format or control
 *  character, none for private use. Code points that Unicode has not given out count as printable. */
[[nodiscard]] bool is_printable(char32_t code) noexcept;
/** The text of a number with at least `digits_min` hexadecimal digits. */
[[nodiscard]] std::string hexadecimal(char32_t code, std::size_t digits_min);
/** The text without the blanks that Python takes around a number: of ASCII's separators only those of C. */
[[nodiscard]] std::string_view stripped_number(evaluation& in, std::string_view text);
/** The text without white space, or without any of the code points `of`, at its ends. */
[[nodiscard]] std::string_view stripped(evaluation& in, std::string_view text, std::optional<std::string_view> of);
[[nodiscard]] std::string lower_case(std::string_view text);
[[nodiscard]] std::string upper_case(std::string_view text);

/** `str(value)`; `represent` is `repr(value)`, which quotes texts. */
[[nodiscard]] std::string to_text(evaluation& in, const expression_value& value);
[[nodiscard]] std::string represent(evaluation& in, const expression_value& value);
[[nodiscard]] std::string represent_real(double value);

}  // namespace weft::expression_detail
