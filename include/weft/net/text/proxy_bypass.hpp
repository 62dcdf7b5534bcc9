#pragma once

#include <weft/net/url.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** The hosts that are reached without a proxy: what `NO_PROXY` says.
 *
 *  An entry is
 *  - `example.com`, the host and all below it; `.example.com` and `*.example.com` are the same;
 *  - an IPv4 or IPv6 address, or a network of them, `10.0.0.0/8`, `fd00::/8`: for hosts that are written as an address,
 *    since names are for the proxy to look up;
 *  - one of these with a port, `example.com:8080`, `[::1]:8080`, for that port only;
 *  - `*`, every host.
 *
 *  @par Thread safety   As a value.
 *  @par Source          There is no specification. This is what curl does, with the networks of Go's `net/http`.
 */
class proxy_bypass {
public:
    /** How many entries there may be. */
    static constexpr std::size_t entries_max = 1024;

    /** Adds entries, separated by commas or white space.
     *
     *  @par Errors
     *    - `errc::invalid_configuration`  a network or port is none, or there are too many entries. */
    void add(std::string_view list);

    /** True if `target` is reached without a proxy. */
    [[nodiscard]] bool covers(const url& target) const;

    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

private:
    enum class kind : std::uint8_t { everything, name, network };
    struct entry {
        kind what = kind::name;
        std::string name;                         // in lower case, without a dot in front
        std::array<std::uint8_t, 16> network{};   // IPv4 in the first four bytes
        unsigned prefix = 0;                      // bits of it that count
        bool is_ipv4 = false;
        std::optional<std::uint16_t> port;
    };

    static entry parse_entry(std::string_view text);
    static bool set_network(entry& to, const std::string& address);

    std::vector<entry> entries_;
};

}  // namespace weft
