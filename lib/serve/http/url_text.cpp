#include "url_text.hpp"

#include <weft/net/server/http_error.hpp>

#include <algorithm>

namespace weft::serve_detail {

namespace {

int digit_of(char c) noexcept
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank)
{
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '+' && plus_is_blank) c = ' ';
        if (c == '%') {
            const bool is_whole = i + 2 < text.size();
            const int high = is_whole ? digit_of(text[i + 1]) : -1;
            const int low = is_whole ? digit_of(text[i + 2]) : -1;
            if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
            c = static_cast<char>(high * 16 + low);
            i += 2;
        }
        result.push_back(c);
    }
    return result;
}

std::vector<std::string> query_values(std::string_view query, std::string_view name)
{
    std::vector<std::string> values;
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        if (percent_decoded(pair.substr(0, equals), true) != name) continue;
        std::optional<std::string> value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())), true);
        if (!value)
            throw http_error{422, "invalid_query",
                             "query." + std::string{name} +
                                 ": expected text in which % leads two hexadecimal digits, and no NUL (%00)"};
        values.push_back(std::move(*value));
    }
    return values;
}

std::vector<std::string> comma_separated(std::string_view text)
{
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        if (!part.empty()) parts.emplace_back(part);
    }
    return parts;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name)
{
    std::vector<std::string> values = query_values(query, name);
    return values.empty() ? std::nullopt : std::optional{std::move(values.front())};
}

}  // namespace weft::serve_detail
