#include "form_text.hpp"

#include <weft/base/text/percent_encoded.hpp>

#include <algorithm>

namespace weft::tool_detail {

namespace {

constexpr std::string_view digits = "0123456789ABCDEF";

int digit_of(char c) noexcept
{
    const std::size_t at = digits.find(c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c);
    return at == digits.npos ? -1 : static_cast<int>(at);
}

std::string decoded(std::string_view text)
{
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = text[i] == '%' && i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
        const int low = high >= 0 ? digit_of(text[i + 2]) : -1;
        if (low >= 0) {
            plain += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            // A `%` that begins no escape stands for itself, as browsers read it.
            plain += text[i] == '+' ? ' ' : text[i];
        }
    }
    return plain;
}

}  // namespace

std::string form_text(const form_fields& fields)
{
    std::string text;
    for (const auto& [name, value] : fields) {
        if (!text.empty()) text += '&';
        text += percent_encoded(name) + '=' + percent_encoded(value);
    }
    return text;
}

std::optional<form_fields> read_form(std::string_view text, std::size_t fields_max)
{
    form_fields fields;
    while (!text.empty()) {
        const std::string_view field = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(field.size() + 1, text.size()));
        if (field.empty()) continue;
        // The text is a request from a browser, so anything: without a bound it could fill the memory.
        if (fields.size() == fields_max) return std::nullopt;
        const std::string_view name = field.substr(0, field.find('='));
        const std::string_view value = name.size() == field.size() ? std::string_view{} : field.substr(name.size() + 1);
        fields.emplace_back(decoded(name), decoded(value));
    }
    return fields;
}

}  // namespace weft::tool_detail
