#include <weft/graph/spec/environment_references.hpp>

#include <weft/base/text/ascii_text.hpp>

#include <algorithm>
#include <array>

namespace weft::spec_detail {

namespace {

constexpr std::string_view opening = "${";

bool is_variable_name(std::string_view name) noexcept
{
    const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !name.empty() && is_letter(name.front()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

/** The name in the reference that a text begins with; empty if it is none. */
std::string_view leading_name(std::string_view text) noexcept
{
    const std::size_t end = text.find('}');
    if (!text.starts_with(opening) || end == std::string_view::npos) return {};
    const std::string_view name = text.substr(opening.size(), end - opening.size());
    return is_variable_name(name) ? name : std::string_view{};
}

}  // namespace

bool is_reference(std::string_view text) noexcept
{
    const std::string_view name = leading_name(text);
    return !name.empty() && text.size() == opening.size() + name.size() + 1;
}

std::string resolved(std::string_view text, const environment_lookup& environment, const json_path& at,
                     spec_mistakes& mistakes)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t dollar = text.find(opening);
        const bool is_escaped = dollar != std::string_view::npos && dollar > 0 && text[dollar - 1] == '$';
        result.append(text.substr(0, is_escaped ? dollar - 1 : dollar));
        if (dollar == std::string_view::npos) break;
        text.remove_prefix(dollar);
        if (is_escaped) {
            result.append(opening);
            text.remove_prefix(opening.size());
            continue;
        }
        const std::string_view name = leading_name(text);
        if (name.empty()) {
            mistakes.add(at, "'${' begins a reference to the environment: write '${NAME}', or '$${' for the "
                             "characters");
            return result;
        }
        const std::string value = environment(std::string{name}).value_or(std::string{});
        if (value.empty())
            mistakes.add(at, "the environment variable " + std::string{name} + " is not set, or empty");
        result.append(value);
        text.remove_prefix(opening.size() + name.size() + 1);
    }
    return result;
}

bool is_secret_header(std::string_view name)
{
    static constexpr std::array<std::string_view, 6> all{"authorization", "proxy-authorization", "api-key",
                                                         "x-api-key",     "x-goog-api-key",      "cookie"};
    return std::find(all.begin(), all.end(), ascii_lower_case(name)) != all.end();
}

}  // namespace weft::spec_detail
