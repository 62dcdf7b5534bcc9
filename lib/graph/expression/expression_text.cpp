#include "expression_text.hpp"

#include "expression_case_table.hpp"
#include "expression_container.hpp"
#include "expression_integers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

namespace weft::expression_detail {

namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

bool contains_code_point(std::string_view text, std::string_view code)
{
    for (std::size_t bytes = 0; !text.empty(); text.remove_prefix(bytes)) {
        bytes = code_point_bytes(text);
        if (text.substr(0, bytes) == code) return true;
    }
    return false;
}

std::size_t last_code_point_bytes(std::string_view text)
{
    std::size_t bytes = 1;
    while (bytes < std::min<std::size_t>(text.size(), 4) && is_continuation(text[text.size() - bytes])) ++bytes;
    return code_point_bytes(text.substr(text.size() - bytes)) == bytes ? bytes : 1;
}

/** For each beginning of `part`, the length of its longest proper end that is also a beginning (Knuth-Morris-Pratt). */
std::vector<std::uint32_t> borders_of(std::string_view part)
{
    // Searching at every place would take longer than the steps that are charged for it.
    std::vector<std::uint32_t> borders(part.size());
    for (std::uint32_t i = 1, length = 0; i < part.size();) {
        if (part[i] == part[length])
            borders[i++] = ++length;
        else if (length != 0)
            length = borders[length - 1];
        else
            borders[i++] = 0;
    }
    return borders;
}

constexpr char32_t capital_sigma = 0x3a3;
constexpr char32_t final_sigma = 0x3c2;
constexpr char32_t dotted_capital_i = 0x130;

char32_t mapped(char32_t code, std::span<const case_run> runs)
{
    const auto run = std::lower_bound(runs.begin(), runs.end(), code,
                                      [](const case_run& r, char32_t c) { return r.last < c; });
    if (run == runs.end() || code < run->first || (code - run->first) % static_cast<unsigned>(run->stride) != 0)
        return code;
    return static_cast<char32_t>(static_cast<std::int32_t>(code) + run->delta);
}

char32_t lower_of(char32_t code)
{
    if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 32 : code;
    return mapped(code, lower_runs);
}

char32_t upper_of(char32_t code)
{
    if (code < 0x80) return code >= 'a' && code <= 'z' ? code - 32 : code;
    return mapped(code, upper_runs);
}

const case_expansion* expansion_of(char32_t code)
{
    const auto found = std::lower_bound(std::begin(upper_expansions), std::end(upper_expansions), code,
                                        [](const case_expansion& e, char32_t c) { return e.code < c; });
    return found == std::end(upper_expansions) || found->code != code ? nullptr : found;
}

bool is_cased(char32_t code)
{
    return lower_of(code) != code || upper_of(code) != code || expansion_of(code) != nullptr;
}

/** Calls `f` with every code point, the bytes before it and those behind it; stray bytes stay as they are. */
template <class F>
std::string transformed(std::string_view text, F f)
{
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0, bytes = 0; at < text.size(); at += bytes) {
        const char32_t code = first_code_point(text.substr(at), bytes);
        if (bytes == 1 && code >= 0x80)
            result += text[at];
        else
            f(result, code, text.substr(at + bytes));
    }
    return result;
}

constexpr int nesting_max = 200;

/** Writes values as Python shows them; counts what it writes, so that the text is bounded while it grows. */
class representation {
public:
    explicit representation(evaluation& in) : in_{in} {}

    void write(const expression_value& value, int depth = 0)
    {
        // The text grows on the heap; the arena bounds it before it is copied there.
        in_.charge(1);
        in_.arena.require(text_.size());
        if (depth > nesting_max)
            refuse("RecursionError", "a value is nested deeper than " + std::to_string(nesting_max));
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
        // As Python: double quotes only where they save escapes.
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

std::size_t code_points(evaluation& in, std::string_view text)
{
    in.charge(text.size() / 8);
    return count_code_points(text);
}

std::size_t find_text(evaluation& in, std::string_view text, std::string_view part, std::size_t from)
{
    if (part.size() > text.size() - std::min(from, text.size())) return std::string_view::npos;
    // The usual case: a word in a sentence.
    constexpr std::size_t short_needle = 16;  // not worth a table; costs at most so many steps for each byte
    in.charge((text.size() - from) / 8);
    if (part.size() <= short_needle) return text.find(part, from);
    in.charge(text.size() - from);
    const std::vector<std::uint32_t> borders = borders_of(part);
    std::size_t matched = 0;
    for (std::size_t i = from; i < text.size(); ++i) {
        while (matched != 0 && text[i] != part[matched]) matched = borders[matched - 1];
        if (text[i] == part[matched]) ++matched;
        if (matched == part.size()) return i + 1 - matched;
    }
    return std::string_view::npos;
}

bool is_space(char32_t code) noexcept
{
    return (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x20) || code == 0x85 || code == 0xa0 ||
           code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
           code == 0x202f || code == 0x205f || code == 0x3000;
}

bool is_printable(char32_t code) noexcept
{
    struct range {
        char32_t first;
        char32_t last;
    };
    // Unicode 14: categories Cc, Cf, Cs, Co, Zl, Zp and Zs, and code points that are no characters.
    static constexpr range unprintable[] = {
        {0x00, 0x1f},         {0x7f, 0xa0},         {0xad, 0xad},         {0x600, 0x605},       {0x61c, 0x61c},
        {0x6dd, 0x6dd},       {0x70f, 0x70f},       {0x890, 0x891},       {0x8e2, 0x8e2},       {0x1680, 0x1680},
        {0x180e, 0x180e},     {0x2000, 0x200f},     {0x2028, 0x202f},     {0x205f, 0x206f},     {0x3000, 0x3000},
        {0xd800, 0xf8ff},     {0xfdd0, 0xfdef},     {0xfeff, 0xfeff},     {0xfff0, 0xfffb},     {0xfffe, 0xffff},
        {0x110bd, 0x110bd},   {0x110cd, 0x110cd},   {0x13430, 0x13438},   {0x1bca0, 0x1bca3},   {0x1d173, 0x1d17a},
        {0xe0000, 0xe00ff},   {0xf0000, 0x10ffff},
    };
    const auto found = std::lower_bound(std::begin(unprintable), std::end(unprintable), code,
                                        [](const range& r, char32_t c) { return r.last < c; });
    return found == std::end(unprintable) || code < found->first;
}

std::string hexadecimal(char32_t code, std::size_t digits_min)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (std::uint32_t rest = code; rest != 0 || text.size() < digits_min; rest >>= 4) text += digits[rest & 15];
    std::reverse(text.begin(), text.end());
    return text;
}

std::string_view stripped_number(evaluation& in, std::string_view text)
{
    const auto is_separator = [](char c) { return c >= 0x1c && c <= 0x1f; };
    const std::string_view rest = stripped(in, text, std::nullopt);
    const auto begin = static_cast<std::size_t>(rest.data() - text.data());
    const std::string_view before = text.substr(0, begin);
    const std::string_view behind = text.substr(begin + rest.size());
    const bool has_separator = std::any_of(before.begin(), before.end(), is_separator) ||
                               std::any_of(behind.begin(), behind.end(), is_separator);
    return has_separator ? text : rest;
}

std::string_view stripped(evaluation& in, std::string_view text, std::optional<std::string_view> of)
{
    const auto goes = [&](std::string_view code) {
        in.charge(1 + (of ? of->size() / 4 : 0));
        if (of) return contains_code_point(*of, code);
        std::size_t bytes = 0;
        const char32_t first = first_code_point(code, bytes);
        return is_space(first) && (bytes > 1 || first < 0x80);
    };
    while (!text.empty()) {
        const std::size_t bytes = code_point_bytes(text);
        if (!goes(text.substr(0, bytes))) break;
        text.remove_prefix(bytes);
    }
    while (!text.empty()) {
        const std::size_t bytes = last_code_point_bytes(text);
        if (!goes(text.substr(text.size() - bytes))) break;
        text.remove_suffix(bytes);
    }
    return text;
}

std::string lower_case(std::string_view text)
{
    // Sigma is the one letter whose small form depends on what is around it (SpecialCasing.txt, Final_Sigma).
    bool follows_letter = false;
    return transformed(text, [&](std::string& result, char32_t code, std::string_view rest) {
        std::size_t bytes = 0;
        const bool ends_word = follows_letter && (rest.empty() || !is_cased(first_code_point(rest, bytes)));
        follows_letter = is_cased(code);
        if (code == dotted_capital_i) return static_cast<void>(result += "i\xcc\x87");
        append_code_point(result, code == capital_sigma && ends_word ? final_sigma : lower_of(code));
    });
}

std::string upper_case(std::string_view text)
{
    return transformed(text, [](std::string& result, char32_t code, std::string_view) {
        const case_expansion* const found = expansion_of(code);
        if (!found) return append_code_point(result, upper_of(code));
        for (const char32_t part : found->becomes)
            if (part != 0) append_code_point(result, part);
    });
}

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
