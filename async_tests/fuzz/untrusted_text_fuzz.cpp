// Fuzzes texts from outside: what is made of them is valid UTF-8, not longer by more than the spaces, and stays as it
// is when it is done again, so that no mark of a chat template hides in another one.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/untrusted_text_fuzz.cpp …

#include <weft/base/text/untrusted_text.hpp>
#include <weft/base/utf8.hpp>

#include <algorithm>
#include <cstdint>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

namespace {

// Each byte of the input from 0x80 to 0xBF stands for one of these, unless it goes on a character.
constexpr std::string_view pieces[] = {"<|",     "|>",     "<｜",     "｜>",    "im_start", "[INST]", "[/", "INST]",
                                       "<think>", "</",     "think>", "<<SYS>>", "\u200b",   "\u202e", "<",  "[",
                                       "|",      "\U000e0041", "<s>",  "\x1b"};

void require(bool holds)
{
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string text;
    for (const std::uint8_t* byte = data; byte != data + size; ++byte) {
        if (*byte >= 0x80 && *byte < 0xc0)
            text += pieces[(*byte - 0x80U) % std::size(pieces)];
        else
            text += static_cast<char>(*byte);
    }
    const std::string visible = weft::visible_text(text);
    const std::string neutral = weft::neutral_text(text);
    require(weft::is_valid_utf8(visible) && weft::is_valid_utf8(neutral));
    require(weft::visible_text(visible) == visible && weft::neutral_text(neutral) == neutral);
    require(weft::neutral_text(visible) == neutral);
    const auto added = static_cast<std::ptrdiff_t>(neutral.size() - visible.size());
    require(neutral.size() >= visible.size() && added <= std::count_if(visible.begin(), visible.end(), [](char c) {
                return c == '<' || c == '[';
            }));
    return 0;
}
