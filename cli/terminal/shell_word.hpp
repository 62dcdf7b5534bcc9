#pragma once

#include <string>
#include <string_view>

namespace weft_cli {

/** A text as a word of a command that people copy into a shell: as it is, or in single quotes. */
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace weft_cli
