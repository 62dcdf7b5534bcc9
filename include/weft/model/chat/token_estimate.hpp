#pragma once

#include <weft/base/units.hpp>
#include <weft/model/chat_request.hpp>

#include <string_view>

namespace weft {

/** About how many tokens a text is, without any tokenizer: code points by class.
 *
 *  Four ASCII letters, digits or blanks to a token; two and a half of ASCII punctuation, of long words without a blank
 *  (base64, hex), of other Latin, Greek and Cyrillic letters; one CJK character, kana or hangul; two tokens for
 *  anything
 *  else, such as an emoji. Rounded up. What is not UTF-8 counts by its bytes.
 *
 *  For limits and budgets before a call; what the provider reports is the truth. Correct it by what it reports.
 */
[[nodiscard]] tokens estimate_tokens(std::string_view text) noexcept;

/** About how many tokens a message is for the model to read, with 4 for its frame. */
[[nodiscard]] tokens estimate_message(const message& said, tokens picture = tokens{1'000}) noexcept;

/** About how many tokens a request is for the model to read: messages with 4 each, tools, the schema of the output, 3
 *  for the beginning of the reply. A picture counts as `picture`. */
[[nodiscard]] tokens estimate_input(const chat_request& request, tokens picture = tokens{1'000});

}  // namespace weft
