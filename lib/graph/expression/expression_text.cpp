#include "expression_text.hpp"

#include <algorithm>
#include <iterator>
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

}  // namespace

std::size_t code_points(evaluation& in, std::string_view text)
{
    in.charge(text.size() / 8);
    return count_code_points(text);
}

std::size_t find_text(evaluation& in, std::string_view text, std::string_view part, std::size_t from)
{
    if (part.size() > text.size() - std::min(from, text.size())) return std::string_view::npos;
    constexpr std::size_t short_part = 16;  // not worth a table; costs at most so many steps for each byte
    in.charge((text.size() - from) / 8);
    if (part.size() <= short_part) return text.find(part, from);
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

}  // namespace weft::expression_detail
