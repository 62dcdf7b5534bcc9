#include <weft/net/url.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>

namespace weft {

namespace {

namespace ip = boost::asio::ip;

constexpr std::uint16_t default_port(url_scheme scheme) noexcept { return scheme == url_scheme::https ? 443 : 80; }

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_alpha(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/** The text itself is not repeated: where a secret was pasted into a URL, the message would carry it on. */
[[noreturn]] void refuse(std::string detail) { throw error{errc::invalid_url, "url", std::move(detail)}; }

url_scheme take_scheme(std::string_view& rest)
{
    const std::size_t end = rest.find("://");
    if (end == std::string_view::npos) refuse("it must begin with https:// or http://");
    const std::string name = ascii_lower_case(rest.substr(0, end));
    rest.remove_prefix(end + 3);
    if (name == "https") return url_scheme::https;
    if (name == "http") return url_scheme::http;
    refuse("its scheme must be https or http");
}

std::uint16_t parse_port(std::string_view digits)
{
    unsigned port = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stopped_at, ec] = std::from_chars(digits.data(), end, port);
    if (ec != std::errc{} || stopped_at != end || port == 0 || port > 65'535)
        refuse("its port must be a number from 1 to 65535");
    return static_cast<std::uint16_t>(port);
}

bool is_host_label(std::string_view label) noexcept
{
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
    return std::all_of(label.begin(), label.end(),
                       [](char c) { return is_alpha(c) || is_digit(c) || c == '-' || c == '_'; });
}

/** A name whose last label is a number is read as an address by some resolvers; which one, they do not agree on. */
bool looks_like_address(std::string_view host) noexcept
{
    const std::string_view last = host.substr(host.rfind('.') + 1);
    if (last.size() > 1 && last[0] == '0' && ascii_lower(last[1]) == 'x') return true;
    return std::all_of(last.begin(), last.end(), is_digit);
}

// 253 characters are the limit of DNS (RFC 1035 §2.3.4, without the length bytes).
void check_name(std::string_view host)
{
    if (host.size() > 253) refuse("its host name is longer than 253 characters");
    for (std::size_t begin = 0; begin <= host.size();) {
        const std::size_t end = std::min(host.find('.', begin), host.size());
        if (!is_host_label(host.substr(begin, end - begin)))
            refuse("its host name may have letters, digits, '-', '_' and single dots only");
        begin = end + 1;
    }
}

struct host_text {
    std::string name;
    bool is_address;
};

host_text parse_bracketed(std::string_view inside)
{
    boost::system::error_code ec;
    const auto address = ip::make_address_v6(std::string{inside}, ec);
    // A zone names an interface of this machine, which a URL from elsewhere cannot know.
    if (ec || inside.find('%') != std::string_view::npos) refuse("its brackets must hold an IPv6 address without zone");
    return {address.to_string(), true};
}

host_text parse_host(std::string_view text)
{
    if (text.empty()) refuse("it has no host");
    if (text.front() == '[') return parse_bracketed(text.substr(1, text.size() - 2));
    if (looks_like_address(text)) {
        boost::system::error_code ec;
        // Octal, hexadecimal and short forms are refused: filters of addresses read them in other ways than resolvers.
        const auto address = ip::make_address_v4(std::string{text}, ec);
        if (ec || address.to_string() != text) refuse("its IPv4 address must be four decimal numbers");
        return {std::string{text}, true};
    }
    check_name(text);
    return {ascii_lower_case(text), false};
}

/** Unreserved, sub-delims, `:`, `@`, `/` and `?` of RFC 3986, and percent escapes with two hex digits. */
void check_target(std::string_view target)
{
    constexpr std::string_view punctuation = "-._~!$&'()*+,;=:@/?";
    for (std::size_t i = 0; i < target.size(); ++i) {
        const char c = target[i];
        if (is_alpha(c) || is_digit(c) || punctuation.find(c) != std::string_view::npos) continue;
        if (c == '#') refuse("it has a fragment (#…), which is never sent; leave it out");
        if (c != '%') refuse("its path or query has a character that must be percent-encoded");
        if (i + 2 >= target.size() || !is_hex(target[i + 1]) || !is_hex(target[i + 2]))
            refuse("its path or query has a '%' without two hexadecimal digits");
        i += 2;
    }
}

}  // namespace

url::url(std::string_view text)
{
    if (text.size() > length_max) refuse("it is longer than " + std::to_string(length_max) + " bytes");
    std::string_view rest = text;
    scheme_ = take_scheme(rest);

    const std::size_t authority_end = std::min(rest.find_first_of("/?#"), rest.size());
    std::string_view authority = rest.substr(0, authority_end);
    // Credentials in a URL end up in logs and error messages.
    std::string_view target = rest.substr(authority_end);
    if (authority.find('@') != std::string_view::npos)
        refuse("it has user info before '@'; give credentials as a secret instead");

    port_ = default_port(scheme_);
    const std::size_t bracket = authority.empty() || authority.front() != '[' ? 0 : authority.find(']');
    if (bracket == std::string_view::npos) refuse("its '[' has no ']'");
    if (const std::size_t colon = authority.find(':', bracket); colon != std::string_view::npos) {
        port_ = parse_port(authority.substr(colon + 1));
        authority = authority.substr(0, colon);
    }
    if (bracket != 0 && authority.size() != bracket + 1) refuse("it has text between ']' and the port");

    host_text host = parse_host(authority);
    host_ = std::move(host.name);
    host_is_address_ = host.is_address;

    check_target(target);
    if (target.empty() || target.front() != '/') target_ = '/';
    target_ += target;
}

bool url::host_is_loopback() const noexcept
{
    if (host_ == "localhost") return true;
    if (!host_is_address_) return false;
    boost::system::error_code ec;
    return ip::make_address(host_, ec).is_loopback();
}

std::string url::endpoint() const
{
    const bool is_v6 = host_.find(':') != std::string::npos;
    return (is_v6 ? '[' + host_ + ']' : host_) + ':' + std::to_string(port_);
}

std::string url::authority() const
{
    std::string text = endpoint();
    if (port_ == default_port(scheme_)) text.resize(text.rfind(':'));
    return text;
}

std::string url::origin() const { return (is_https() ? "https://" : "http://") + endpoint(); }

url url::appended(std::string_view path) const
{
    std::string_view own = target_;
    const std::size_t query_at = std::min(own.find('?'), own.size());
    std::string_view query = own.substr(query_at);
    own = own.substr(0, query_at);
    if (own.ends_with('/')) own.remove_suffix(1);
    if (path.starts_with('/')) path.remove_prefix(1);
    check_target(path);
    if (path.find('?') != std::string_view::npos && !query.empty()) refuse("both parts have a query");

    url result = *this;
    result.target_.assign(own).append("/").append(path).append(query);
    return result;
}

std::string url::to_string() const { return (is_https() ? "https://" : "http://") + authority() + target_; }

}  // namespace weft
