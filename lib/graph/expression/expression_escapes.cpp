#include "expression_lexer.hpp"
#include "expression_text.hpp"

namespace weft::expression_detail {

/** `\n` and the like; a backslash before any other character stands for itself, as in Python. */
void lexer::read_escape(std::string& to)
{
    constexpr std::string_view letters = "\n\\'\"abfnrtv";
    constexpr std::string_view meanings = "\n\\'\"\a\b\f\n\r\t\v";
    const std::size_t offset = at_;
    const char c = peek(1);
    at_ += 2;
    if (c == '\n') return;
    if (c == 'x') return append_code_point(to, read_digits(2, offset));
    if (c == 'u' || c == 'U') {
        const char32_t code = read_digits(c == 'u' ? 4 : 8, offset);
        if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
            refuse(offset, "an escape is no Unicode character");
        return append_code_point(to, code);
    }
    if (c == 'N' && peek() == '{')
        refuse(offset, "\\N{…} is not allowed: write the character, or \\u and its number");
    if (c >= '0' && c <= '7') {
        char32_t code = static_cast<char32_t>(c - '0');
        for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i) code = code * 8 + (text_[at_++] - '0');
        return append_code_point(to, code);
    }
    if (const std::size_t found = letters.find(c); found != letters.npos) {
        to += meanings[found];
        return;
    }
    to += '\\';
    at_ = offset + 1;
    const std::size_t bytes = code_point_bytes(text_.substr(at_));
    to += text_.substr(at_, bytes);
    at_ += bytes;
}

char32_t lexer::read_digits(std::size_t count, std::size_t begin)
{
    char32_t code = 0;
    for (std::size_t i = 0; i < count; ++i, ++at_) {
        const char c = peek();
        const char lower = static_cast<char>(c | 0x20);
        if (c >= '0' && c <= '9')
            code = code * 16 + static_cast<char32_t>(c - '0');
        else if (lower >= 'a' && lower <= 'f')
            code = code * 16 + static_cast<char32_t>(lower - 'a') + 10;
        else
            refuse(begin, "an escape needs " + std::to_string(count) + " hexadecimal digits");
    }
    return code;
}

}  // namespace weft::expression_detail
