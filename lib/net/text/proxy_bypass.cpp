#include <weft/net/text/proxy_bypass.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>

namespace weft {

namespace {

namespace ip = boost::asio::ip;

constexpr std::string_view bypass_separators = ", \t\r\n";

[[noreturn]] void refuse_bypass(std::string_view entry, const char* what)
{
    throw error{errc::invalid_configuration, "no_proxy", "the entry '" + std::string{entry} + "' " + what};
}

template <class Number>
std::optional<Number> whole_number(std::string_view digits)
{
    Number number{};
    const auto [stopped_at, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_whole = ec == std::errc{} && stopped_at == digits.data() + digits.size();
    return is_whole ? std::optional{number} : std::nullopt;
}

/** The text without brackets around it. */
std::string_view unbracketed(std::string_view text)
{
    const bool has_brackets = text.size() > 2 && text.front() == '[' && text.back() == ']';
    return has_brackets ? text.substr(1, text.size() - 2) : text;
}

/** Where the port of an entry begins, at its colon; an IPv6 address without brackets has no port. */
std::size_t port_colon(std::string_view text)
{
    const std::size_t last = text.rfind(':');
    if (last == std::string_view::npos) return last;
    const bool is_alone = text.find(':') == last;
    const bool is_behind_bracket = last > 0 && text[last - 1] == ']';
    return is_alone || is_behind_bracket ? last : std::string_view::npos;
}

bool shares_prefix(const std::uint8_t* a, const std::uint8_t* b, unsigned bits) noexcept
{
    const unsigned bytes = bits / 8;
    if (!std::equal(a, a + bytes, b)) return false;
    const unsigned rest = bits % 8;
    return rest == 0 || ((a[bytes] ^ b[bytes]) >> (8 - rest)) == 0;
}

std::array<std::uint8_t, 16> bytes_of(const ip::address& address)
{
    if (address.is_v6()) return address.to_v6().to_bytes();
    std::array<std::uint8_t, 16> bytes{};
    const auto four = address.to_v4().to_bytes();
    std::copy(four.begin(), four.end(), bytes.begin());
    return bytes;
}

bool is_host_or_below(std::string_view host, std::string_view name)
{
    if (host == name) return true;
    return host.size() > name.size() && host.ends_with(name) && host[host.size() - name.size() - 1] == '.';
}

}  // namespace

void proxy_bypass::add(std::string_view list)
{
    for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find_first_of(bypass_separators, begin), list.size());
        const std::string_view text = list.substr(begin, end - begin);
        begin = end + 1;
        if (text.empty()) continue;
        if (entries_.size() >= entries_max) refuse_bypass(text, "is one too many");
        entries_.push_back(parse_entry(text));
    }
}

bool proxy_bypass::set_network(entry& to, const std::string& address)
{
    boost::system::error_code ec;
    const ip::address parsed = ip::make_address(address, ec);
    if (ec) return false;
    to.what = kind::network;
    to.is_ipv4 = parsed.is_v4();
    to.network = bytes_of(parsed);
    to.prefix = parsed.is_v4() ? 32 : 128;
    return true;
}

proxy_bypass::entry proxy_bypass::parse_entry(std::string_view text)
{
    entry result;
    if (text == "*") {
        result.what = kind::everything;
        return result;
    }
    if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
        const auto bits = whole_number<unsigned>(text.substr(slash + 1));
        if (!set_network(result, std::string{unbracketed(text.substr(0, slash))}) || !bits || *bits > result.prefix)
            refuse_bypass(text, "is no network such as 10.0.0.0/8");
        result.prefix = *bits;
        return result;
    }
    std::string_view host = text;
    if (const std::size_t colon = port_colon(text); colon != std::string_view::npos) {
        result.port = whole_number<std::uint16_t>(text.substr(colon + 1));
        if (!result.port || *result.port == 0) refuse_bypass(text, "has a port that is no number from 1 to 65535");
        host = text.substr(0, colon);
    }
    if (set_network(result, std::string{unbracketed(host)})) return result;
    if (host.starts_with('*')) host.remove_prefix(1);
    if (host.starts_with('.')) host.remove_prefix(1);
    if (host.ends_with('.')) host.remove_suffix(1);
    if (host.empty()) refuse_bypass(text, "names no host");
    result.name = ascii_lower_case(host);
    return result;
}

bool proxy_bypass::covers(const url& target) const
{
    std::optional<ip::address> address;
    if (target.host_is_address()) address = ip::make_address(target.host());
    const std::array<std::uint8_t, 16> bytes = address ? bytes_of(*address) : std::array<std::uint8_t, 16>{};
    return std::any_of(entries_.begin(), entries_.end(), [&](const entry& e) {
        if (e.port && *e.port != target.port()) return false;
        if (e.what == kind::everything) return true;
        if (e.what == kind::name) return !address && is_host_or_below(target.host(), e.name);
        return address && address->is_v4() == e.is_ipv4 && shares_prefix(bytes.data(), e.network.data(), e.prefix);
    });
}

}  // namespace weft
