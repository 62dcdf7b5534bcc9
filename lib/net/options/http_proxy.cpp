#include <weft/net/http_proxy.hpp>

#include <weft/base/error.hpp>

#include <algorithm>
#include <initializer_list>

namespace weft {

namespace {

[[noreturn]] void refuse_proxy(std::string detail)
{
    throw error{errc::invalid_configuration, "proxy", std::move(detail)};
}

int hex_digit(char c) noexcept
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::string percent_decoded(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0) refuse_proxy("its user or password has a '%' without two hexadecimal digits");
        result += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return result;
}

struct proxy_address {
    std::string address;
    std::string_view user_info;
};

/** The address with a scheme and without what stands before `@`. */
proxy_address split_proxy(std::string_view text)
{
    const std::size_t scheme_end = text.find("://");
    const std::string scheme{scheme_end == std::string_view::npos ? "http" : text.substr(0, scheme_end)};
    std::string_view rest = scheme_end == std::string_view::npos ? text : text.substr(scheme_end + 3);
    proxy_address parts;
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
        parts.user_info = authority.substr(0, at);
        rest.remove_prefix(at + 1);
    }
    parts.address = scheme + "://" + std::string{rest};
    return parts;
}

url address_of(std::string_view text)
{
    try {
        url address{split_proxy(text).address};
        if (address.target() != "/") refuse_proxy("its address must have no path");
        return address;
    } catch (const error& e) {
        if (e.code() != errc::invalid_url) throw;
        refuse_proxy(e.detail());
    }
}

bool has_control(std::string_view text) noexcept
{
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

std::string first_set(const environment_lookup& lookup, std::initializer_list<const char*> names, std::string& name)
{
    for (const char* candidate : names) {
        std::string value = lookup(candidate).value_or(std::string{});
        if (value.empty()) continue;
        name = candidate;
        return value;
    }
    return {};
}

}  // namespace

proxy_server::proxy_server(std::string_view address) : address_{address_of(address)}
{
    const std::string_view info = split_proxy(address).user_info;
    if (info.empty()) return;
    const std::size_t colon = std::min(info.find(':'), info.size());
    const std::string_view password = info.substr(std::min(colon + 1, info.size()));
    credentials(percent_decoded(info.substr(0, colon)), secret_string{percent_decoded(password)});
}

proxy_server& proxy_server::credentials(std::string user, secret_string password)
{
    if (user.find(':') != std::string::npos) refuse_proxy("its user has a colon, which Basic authentication forbids");
    if (has_control(user) || has_control(password.reveal()))
        refuse_proxy("its user or password has a control character");
    user_ = std::move(user);
    password_ = std::move(password);
    return *this;
}

http_proxy http_proxy::from_environment(const environment_lookup& lookup)
{
    http_proxy result;
    std::string variable;
    try {
        const std::string https = first_set(lookup, {"https_proxy", "HTTPS_PROXY"}, variable);
        if (!https.empty()) result.for_https(proxy_server{https});
        const bool is_cgi = lookup("REQUEST_METHOD").has_value();
        const std::string http = is_cgi ? first_set(lookup, {"http_proxy"}, variable)
                                        : first_set(lookup, {"http_proxy", "HTTP_PROXY"}, variable);
        if (!http.empty()) result.for_http(proxy_server{http});
        result.bypass(first_set(lookup, {"no_proxy", "NO_PROXY"}, variable));
    } catch (const error& e) {
        throw error{e.code(), variable, e.detail()};
    }
    return result.bypass("localhost,127.0.0.0/8,::1");
}

const proxy_server* http_proxy::find(const url& target) const
{
    const std::optional<proxy_server>& proxy = target.is_https() ? https_ : http_;
    return proxy && !bypass_.covers(target) ? &*proxy : nullptr;
}

}  // namespace weft
