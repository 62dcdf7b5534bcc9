#include "words_in_text.hpp"

#include <weft/base/text/ascii_text.hpp>

#include <algorithm>

namespace weft::agent_detail {

namespace {

template <class IsPart>
std::vector<std::string> runs_of(std::string_view text, IsPart is_part)
{
    std::vector<std::string> runs;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_part(text[end])) ++end;
        if (end > at) runs.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return runs;
}

}  // namespace

bool is_word_character(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

std::vector<std::string> words_in(std::string_view text) { return runs_of(text, is_word_character); }

std::vector<std::string> split_at_blanks(std::string_view text)
{
    return runs_of(text, [](char c) { return ascii_blanks.find(c) == std::string_view::npos; });
}

std::string_view without_quotes(std::string_view text)
{
    text = trimmed(text);
    const bool is_quoted =
        text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
    return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::size_t find_in_any_case(std::string_view text, std::string_view lower, std::size_t at) noexcept
{
    if (at > text.size()) return std::string_view::npos;
    const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), lower.begin(),
                                   lower.end(), [](char a, char b) { return ascii_lower(a) == b; });
    return found == text.end() && !lower.empty() ? std::string_view::npos
                                                 : static_cast<std::size_t>(found - text.begin());
}

}  // namespace weft::agent_detail
