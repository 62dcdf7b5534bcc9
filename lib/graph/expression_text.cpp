#include "expression_text.hpp"

#include <algorithm>
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
