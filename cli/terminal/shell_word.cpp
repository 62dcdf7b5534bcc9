#include "shell_word.hpp"

#include "console.hpp"

namespace weft_cli {

std::string shell_word(std::string_view text)
{
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-";
    const std::string shown = console::harmless_line(text);
    if (!shown.empty() && shown.find_first_not_of(plain) == shown.npos) return shown;
    std::string quoted = "'";
    for (const char c : shown) {
        if (c == '\'') quoted += "'\\''";
        else quoted.push_back(c);
    }
    return quoted + "'";
}

}  // namespace weft_cli
