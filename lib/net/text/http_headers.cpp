#include <weft/net/text/http_headers.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <algorithm>

namespace weft {

namespace {

// RFC 9110 §5.6.2.
bool is_token_character(char c) noexcept
{
    constexpr std::string_view punctuation = "!#$%&'*+-.^_`|~";
    const char letter = ascii_lower(c);
    return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') ||
           punctuation.find(c) != std::string_view::npos;
}

bool is_control(char c) noexcept { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return x == y || ascii_lower(x) == ascii_lower(y); });
}

bool is_http_token(std::string_view text) noexcept
{
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

void check_header(std::string_view name, std::string_view value)
{
    if (!is_http_token(name))
        throw error{errc::invalid_configuration, "HTTP header",
                    "a header name must be a token of letters, digits and -"};
    // The value may be a secret: it is not repeated.
    if (std::any_of(value.begin(), value.end(), is_control))
        throw error{errc::invalid_configuration, "HTTP header " + std::string{name},
                    "the value has a line break or another control character"};
    // Such space is no part of a value (RFC 9110 §5.5): what the peer reads would differ from what was meant.
    if (!value.empty() && (is_blank(value.front()) || is_blank(value.back())))
        throw error{errc::invalid_configuration, "HTTP header " + std::string{name},
                    "the value begins or ends with white space"};
}

void http_headers::add(std::string_view name, std::string_view value)
{
    check_header(name, value);
    const std::string own_value{value};  // it may be a view into this object
    add_unchecked(name, own_value);
}

void http_headers::add_unchecked(std::string_view name, std::string_view value)
{
    entries_.push_back({static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(name.size()),
                        static_cast<std::uint32_t>(value.size())});
    text_.append(name).append(value);
}

void http_headers::set(std::string_view name, std::string_view value)
{
    check_header(name, value);
    const std::string own_name{name};  // both may be views into this object
    const std::string own_value{value};
    erase(own_name);
    add_unchecked(own_name, own_value);
}

std::size_t http_headers::erase(std::string_view name)
{
    http_headers kept;
    for (std::size_t i = 0; i < size(); ++i) {
        const field f = (*this)[i];
        if (!equals_ignoring_case(f.name, name)) kept.add_unchecked(f.name, f.value);
    }
    const std::size_t erased = size() - kept.size();
    if (erased > 0) *this = std::move(kept);
    return erased;
}

std::optional<std::string_view> http_headers::find(std::string_view name) const noexcept
{
    for (std::size_t i = 0; i < size(); ++i) {
        if (entries_[i].name_size != name.size()) continue;
        const field f = (*this)[i];
        if (equals_ignoring_case(f.name, name)) return f.value;
    }
    return std::nullopt;
}

std::string media_type_of(std::string_view content_type)
{
    return ascii_lower_case(trimmed(content_type.substr(0, content_type.find(';'))));
}

std::string http_headers::media_type() const
{
    return media_type_of(find("content-type").value_or(""));
}

bool http_headers::lists(std::string_view name, std::string_view token) const noexcept
{
    for (std::size_t i = 0; i < size(); ++i) {
        const field f = (*this)[i];
        if (!equals_ignoring_case(f.name, name)) continue;
        for (std::string_view rest = f.value; !rest.empty();) {
            const std::size_t end = std::min(rest.find(','), rest.size());
            if (equals_ignoring_case(trimmed(rest.substr(0, end)), token)) return true;
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return false;
}

http_headers::field http_headers::operator[](std::size_t index) const noexcept
{
    const entry& e = entries_[index];
    const std::string_view text = text_;
    return {text.substr(e.begin, e.name_size), text.substr(e.begin + e.name_size, e.value_size)};
}

}  // namespace weft
