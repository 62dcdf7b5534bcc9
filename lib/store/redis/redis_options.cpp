#include <weft/store/redis/redis_options.hpp>

#include <weft/base/error.hpp>

#include <charconv>

namespace weft {

namespace {

[[noreturn]] void refuse_redis_url(std::string detail)
{
    throw error{errc::invalid_configuration, "Redis URL",
                std::move(detail) + "; it looks like redis://:password@host:6379/0, or rediss:// for TLS"};
}

/** Takes what stands before `mark` out of `rest`, and the mark. */
std::optional<std::string_view> taken_until(std::string_view& rest, std::size_t mark)
{
    if (mark == std::string_view::npos) return std::nullopt;
    const std::string_view taken = rest.substr(0, mark);
    rest.remove_prefix(mark + 1);
    return taken;
}

template <class Number>
Number number_in_url(std::string_view digits, const char* what)
{
    Number value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc{} || end != digits.data() + digits.size())
        refuse_redis_url(std::string{"its "} + what + " is no number, or too large");
    return value;
}

std::string unescaped(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        const std::string_view digits = text.substr(i + 1, 2);
        unsigned byte = 0;
        const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
        if (digits.size() != 2 || code != std::errc{} || end != digits.data() + 2)
            refuse_redis_url("a % in user or password is not followed by two hexadecimal digits");
        plain += static_cast<char>(byte);
        i += 2;
    }
    return plain;
}

}  // namespace

redis_options redis_options::from_url(std::string_view text)
{
    const bool is_tls = text.starts_with("rediss://");
    if (!is_tls && !text.starts_with("redis://")) refuse_redis_url("it begins with neither redis:// nor rediss://");
    std::string_view rest = text.substr(text.find("//") + 2);

    redis_options options;
    if (is_tls) options.tls = tls_options{};
    if (std::optional<std::string_view> login = taken_until(rest, rest.rfind('@'))) {
        const std::size_t colon = login->find(':');
        options.user = unescaped(login->substr(0, colon));
        if (colon != std::string_view::npos) {
            std::string password = unescaped(login->substr(colon + 1));
            options.password = secret_string{password};
        }
    }
    std::string_view address = rest;
    if (const std::optional<std::string_view> before = taken_until(rest, rest.find('/'))) {
        address = *before;
        if (!rest.empty()) options.database = number_in_url<std::uint32_t>(rest, "database");
    }
    const std::size_t bracket = address.starts_with('[') ? address.find(']') : std::string_view::npos;
    const bool has_brackets = bracket != std::string_view::npos;
    const std::size_t colon = address.find(':', has_brackets ? bracket : 0);
    if (colon != std::string_view::npos)
        options.port = number_in_url<std::uint16_t>(address.substr(colon + 1), "port");
    options.host = has_brackets ? address.substr(1, bracket - 1) : address.substr(0, colon);
    if (options.host.empty()) refuse_redis_url("it has no host");
    return options;
}

}  // namespace weft
