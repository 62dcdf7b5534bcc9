#include "expression_lexer.hpp"

#include "expression_integers.hpp"
#include "expression_reals.hpp"
#include "expression_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/text_position.hpp>

#include <algorithm>

namespace weft::expression_detail {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return begins_name(c) || is_digit(c); }

/** The plain character that looks like this one, or 0: of the fullwidth forms, which some keyboards type and which
 *  Python takes for the plain letters in a name, and of the quotes that word processors put in. */
char plain_form(char32_t code)
{
    if (code >= 0xff01 && code <= 0xff5e) return static_cast<char>(code - 0xff01 + '!');
    if (code == 0x2018 || code == 0x2019) return '\'';
    return code == 0x201c || code == 0x201d ? '"' : '\0';
}

// The longest first: `**=` would otherwise be `**` and `=`. Those of other languages are here to be refused by name.
constexpr std::string_view symbols[] = {
    "**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "->", ":=", "+=", "-=", "*=",
    "/=",  "%=",  "&=",  "|=",  "^=",  "@=", "&&", "||", "<>", "+",  "-",  "*",  "/",  "%",  "|",  "&",  "^",  "~",
    "<",   ">",   "(",   ")",   "[",   "]",  "{",  "}",  ",",  ":",  ".",  "=",  "@",  ";",  "!",  "?",  "$",  "`",
};

}  // namespace

void lexer::refuse(std::size_t offset, const std::string& what) const
{
    throw error{errc::invalid_expression, position_in(text_, offset).text(), what};
}

token lexer::next()
{
    skip_blanks();
    if (at_ == text_.size()) return {token_kind::end, at_};
    const char c = peek();
    if (begins_name(c)) return read_name();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
    if (c == '\'' || c == '"') return read_string(at_, {});
    return read_symbol();
}

void lexer::skip_blanks()
{
    for (; at_ < text_.size(); ++at_) {
        const char c = peek();
        if (c == '#') {
            has_seen_comment_ = true;
            at_ = std::min(text_.find('\n', at_), text_.size() - 1);
        } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n')))
            continue;
        else if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f')
            return;
    }
}

token lexer::read_name()
{
    const std::size_t begin = at_;
    while (continues_name(peek())) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    refuse_misleading(name, begin);
    if ((peek() == '\'' || peek() == '"') && name.size() <= 2) return read_string(begin, name);
    return {token_kind::name, begin, name};
}

/** Another name that looks the same would come of a copied blank, a zero-width character or a fullwidth letter. */
void lexer::refuse_misleading(std::string_view name, std::size_t begin) const
{
    for (std::size_t at = 0, bytes = 0; at < name.size(); at += bytes) {
        const char32_t code = first_code_point(name.substr(at), bytes);
        if (bytes == 1) continue;
        if (!is_printable(code))
            refuse(begin + at, "a character that nobody sees stands here, U+" + hexadecimal(code, 4) +
                                   ": delete it, or type a blank");
        if (const char plain = plain_form(code))
            refuse(begin + at, "'" + std::string{name.substr(at, bytes)} + "', U+" + hexadecimal(code, 4) +
                                   ", is not the character that it looks like: type a plain " + plain);
    }
}

token lexer::read_number()
{
    const std::size_t begin = at_;
    const bool has_prefix = peek() == '0' && std::string_view{"xXoObB"}.find(peek(1)) != std::string_view::npos;
    bool is_real = false;
    if (has_prefix) at_ += 2;
    for (; at_ < text_.size(); ++at_) {
        const char c = peek();
        const bool is_exponent = !has_prefix && (c == 'e' || c == 'E');
        if (is_exponent && (peek(1) == '+' || peek(1) == '-') && is_digit(peek(2))) ++at_;
        is_real = is_real || is_exponent || c == '.';
        if (!continues_name(c) && (c != '.' || has_prefix)) break;
    }
    const std::string_view written = text_.substr(begin, at_ - begin);
    refuse_misleading(written, begin);
    if (!has_prefix && (written.back() == 'j' || written.back() == 'J'))
        refuse(begin, "complex numbers are not allowed: '" + std::string{written} + "'");
    token result{token_kind::literal, begin, written};
    // Enough for every digit of the text, and no more: a literal cannot take longer than in proportion to its length.
    evaluation in{arena_, text_.size() * 8 + 64, text_.size() * 8 + 64};
    try {
        result.value = is_real ? expression_value::real(parse_real(in, written)) : read_integer(written, begin);
    } catch (const evaluation_error& e) {
        refuse(begin, e.text.starts_with("ValueError") ? "'" + std::string{written} + "' is not a number" : e.text);
    }
    return result;
}

expression_value lexer::read_integer(std::string_view written, std::size_t begin)
{
    unsigned base = 10;
    std::string_view digits = written;
    if (written.size() > 1 && written[0] == '0' && !is_digit(written[1]) && written[1] != '_') {
        base = (written[1] | 0x20) == 'x' ? 16 : (written[1] | 0x20) == 'o' ? 8 : 2;
        digits.remove_prefix(written.size() > 2 && written[2] == '_' ? 3 : 2);
    } else if (written[0] == '0' && written.find_first_not_of("0_") != written.npos) {
        refuse(begin, "an integer begins with 0: leave the zeros out, or write 0o for octal");
    }
    const bool is_spaced = digits.empty() || digits[0] == '_' || digits.back() == '_' ||
                           digits.find("__") != digits.npos;
    evaluation in{arena_, text_.size() * 8 + 64, text_.size() * 8 + 64};
    const auto value = is_spaced ? std::nullopt : parse_digits(in, digits, base);
    if (!value) refuse(begin, "'" + std::string{written} + "' is not a number, and a name cannot begin with a digit");
    return *value;
}

token lexer::read_symbol()
{
    const std::size_t begin = at_;
    for (const std::string_view symbol : symbols) {
        if (!text_.substr(at_).starts_with(symbol)) continue;
        at_ += symbol.size();
        return {token_kind::symbol, begin, symbol};
    }
    refuse(begin, "a character that has no meaning here: '" +
                      std::string{text_.substr(begin, code_point_bytes(text_.substr(begin)))} + "'");
}

token lexer::read_string(std::size_t begin, std::string_view prefix)
{
    bool is_raw = false;
    for (const char letter : prefix) {
        const char l = static_cast<char>(letter | 0x20);
        if (l == 'f') refuse(begin, "f-strings are not allowed: compare the values themselves");
        if (l == 'b') refuse(begin, "bytes are not allowed: write a string without b");
        if ((l != 'r' && l != 'u') || (l == 'u' && prefix.size() > 1))
            refuse(begin, "'" + std::string{prefix} + "' is no prefix of a string");
        is_raw = is_raw || l == 'r';
    }
    const char quote = peek();
    const bool is_long = peek(1) == quote && peek(2) == quote;
    const std::string closing(is_long ? 3 : 1, quote);
    at_ += closing.size();
    std::string text;
    while (!text_.substr(at_).starts_with(closing)) {
        if (at_ == text_.size()) refuse(begin, "the string is not closed: add " + closing);
        const char c = peek();
        if (c == '\n' && !is_long) refuse(begin, "the string is not closed on its line: add " + closing);
        if (c == '\\' && at_ + 1 < text_.size()) {
            if (!is_raw) {
                read_escape(text);
                continue;
            }
            text += c;
            ++at_;
        }
        text += peek();
        ++at_;
    }
    at_ += closing.size();
    token result{token_kind::literal, begin, text_.substr(begin, at_ - begin)};
    try {
        result.value = arena_.copy(text);
    } catch (const evaluation_error& e) {
        refuse(begin, e.text);
    }
    return result;
}

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
