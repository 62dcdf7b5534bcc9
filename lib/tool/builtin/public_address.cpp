#include <weft/tool/builtin/public_address.hpp>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace weft {

namespace {

namespace ip = boost::asio::ip;

struct ipv4_range {
    std::uint32_t first;
    unsigned bits;
};

constexpr std::uint32_t quad(unsigned a, unsigned b, unsigned c, unsigned d)
{
    return (a << 24) | (b << 16) | (c << 8) | d;
}

constexpr ipv4_range refused_ipv4[] = {
    {quad(0, 0, 0, 0), 8},       // this network
    {quad(10, 0, 0, 0), 8},      // private
    {quad(100, 64, 0, 0), 10},   // shared, carrier-grade NAT
    {quad(127, 0, 0, 0), 8},     // loopback
    {quad(169, 254, 0, 0), 16},  // link-local; metadata of clouds
    {quad(172, 16, 0, 0), 12},   // private
    {quad(192, 0, 0, 0), 24},    // protocol assignments
    {quad(192, 0, 2, 0), 24},    // documentation
    {quad(192, 31, 196, 0), 24},
    {quad(192, 52, 193, 0), 24},
    {quad(192, 88, 99, 0), 24},   // 6to4 relays
    {quad(192, 168, 0, 0), 16},   // private
    {quad(192, 175, 48, 0), 24},
    {quad(198, 18, 0, 0), 15},    // benchmarks
    {quad(198, 51, 100, 0), 24},  // documentation
    {quad(203, 0, 113, 0), 24},   // documentation
    {quad(224, 0, 0, 0), 4},      // multicast
    {quad(240, 0, 0, 0), 4},      // reserved, broadcast
};

bool is_public(const ip::address_v4& address)
{
    const std::uint32_t value = address.to_uint();
    return std::none_of(std::begin(refused_ipv4), std::end(refused_ipv4), [&](const ipv4_range& range) {
        return ((value ^ range.first) >> (32 - range.bits)) == 0;
    });
}

using bytes = ip::address_v6::bytes_type;

bool begins_with(const bytes& address, std::initializer_list<unsigned> prefix)
{
    return std::equal(prefix.begin(), prefix.end(), address.begin());
}

ip::address_v4 last_quad(const bytes& address)
{
    return ip::address_v4{{{address[12], address[13], address[14], address[15]}}};
}

bool is_public(const ip::address_v6& address)
{
    const bytes value = address.to_bytes();
    if (address.is_v4_mapped()) return is_public(last_quad(value));
    if (begins_with(value, {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) return is_public(last_quad(value));
    if ((value[0] & 0xe0) != 0x20) return false;  // global unicast is 2000::/3
    const bool is_protocol = begins_with(value, {0x20, 0x01}) && (value[2] & 0xfe) == 0;  // 2001::/23, Teredo
    const bool is_example = begins_with(value, {0x20, 0x01, 0x0d, 0xb8}) ||
                            (begins_with(value, {0x3f, 0xff}) && (value[2] & 0xf0) == 0);
    const bool is_tunnel = begins_with(value, {0x20, 0x02});  // 6to4
    return !is_protocol && !is_example && !is_tunnel;
}

}  // namespace

bool is_public_address(std::string_view address) noexcept
{
    constexpr std::size_t length_max = 45;  // of an IPv6 address as text
    std::array<char, length_max + 1> text{};
    if (address.size() > length_max || address.find_first_of(std::string_view{"%\0", 2}) != std::string_view::npos)
        return false;
    std::copy(address.begin(), address.end(), text.begin());
    boost::system::error_code broken;
    const ip::address parsed = ip::make_address(text.data(), broken);
    if (broken) return false;
    return parsed.is_v4() ? is_public(parsed.to_v4()) : is_public(parsed.to_v6());
}

}  // namespace weft
