#include "expression_container.hpp"
#include "expression_integers.hpp"
#include "expression_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace weft::expression_detail {

namespace {

constexpr int depth_max = 200;

/** Writes values as Python shows them; counts what it writes, so that the text is bounded while it grows. */
class representation {
public:
    explicit representation(evaluation& in) : in_{in} {}

    void write(const expression_value& value, int depth = 0)
    {
        in_.charge(1);
        in_.arena.require(text_.size());
        if (depth > depth_max) refuse("RecursionError", "a value is nested deeper than " + std::to_string(depth_max));
        switch (value.kind()) {
        case expression_kind::none: text_ += "None"; break;
        case expression_kind::boolean: text_ += value.as_integer() ? "True" : "False"; break;
        case expression_kind::integer:
        case expression_kind::big_integer: text_ += integer_text(in_, value); break;
        case expression_kind::real: text_ += represent_real(value.as_real()); break;
        case expression_kind::text: write_text(value.as_text()); break;
        default: write_container(whole(in_, value), depth);
        }
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void write_container(const expression_value& value, int depth)
    {
        if (value.is(expression_kind::set) && value.size() == 0) {
            text_ += "set()";
            return;
        }
        const auto [open, close] = brackets_of(value);
        text_ += open;
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (i != 0) text_ += ", ";
            write(item_at(value, i), depth + 1);
            if (!value.is(expression_kind::dict)) continue;
            text_ += ": ";
            write(member_at(value, i), depth + 1);
        }
        if (value.is(expression_kind::tuple) && value.size() == 1) text_ += ',';
        text_ += close;
    }

    static std::pair<std::string_view, std::string_view> brackets_of(const expression_value& value)
    {
        switch (value.kind()) {
        case expression_kind::tuple: return {"(", ")"};
        case expression_kind::set:
        case expression_kind::dict: return {"{", "}"};
        case expression_kind::keys: return {"dict_keys([", "])"};
        case expression_kind::values: return {"dict_values([", "])"};
        case expression_kind::items: return {"dict_items([", "])"};
        default: return {"[", "]"};
        }
    }

    void write_text(std::string_view text)
    {
        in_.charge(text.size() / 4);
        in_.arena.require(text.size());
        const bool doubles = text.find('\'') != text.npos && text.find('"') == text.npos;
        const char quote = doubles ? '"' : '\'';
        text_ += quote;
        for (std::size_t bytes = 0; !text.empty(); text.remove_prefix(bytes)) {
            const char32_t code = first_code_point(text, bytes);
            write_character(code, text.substr(0, bytes), quote);
        }
        text_ += quote;
    }

    void write_character(char32_t code, std::string_view bytes, char quote)
    {
        if (code == '\n') {
            text_ += "\\n";
        } else if (code == '\r') {
            text_ += "\\r";
        } else if (code == '\t') {
            text_ += "\\t";
        } else if (code == static_cast<unsigned char>(quote) || code == '\\') {
            text_ += '\\';
            text_ += bytes;
        } else if (is_printable(code)) {
            text_ += bytes;
        } else if (code < 0x100) {
            text_.append("\\x").append(hexadecimal(code, 2));
        } else if (code < 0x10000) {
            text_.append("\\u").append(hexadecimal(code, 4));
        } else {
            text_.append("\\U").append(hexadecimal(code, 8));
        }
    }

    evaluation& in_;
    std::string text_;
};

}  // namespace

std::string represent_real(double value)
{
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    const std::string_view text{buffer, static_cast<std::size_t>(end - buffer)};
    const std::size_t e = text.find('e');
    int exponent = 0;
    std::from_chars(text.data() + e + 1 + (text[e + 1] == '+'), end, exponent);
    if (exponent < -4 || exponent >= 16) return std::string{text};
    std::string digits;
    for (const char c : text.substr(0, e))
        if (c >= '0' && c <= '9') digits += c;
    std::string result = std::signbit(value) ? "-" : "";
    if (exponent < 0) return result + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    const auto whole_digits = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() <= whole_digits) return result + digits + std::string(whole_digits - digits.size(), '0') + ".0";
    return result + digits.substr(0, whole_digits) + "." + digits.substr(whole_digits);
}

std::string represent(evaluation& in, const expression_value& value)
{
    representation text{in};
    text.write(value);
    return text.take();
}

std::string to_text(evaluation& in, const expression_value& value)
{
    return value.is(expression_kind::text) ? std::string{value.as_text()} : represent(in, value);
}

}  // namespace weft::expression_detail
