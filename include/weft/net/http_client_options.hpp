#pragma once

#include <weft/base/chrono.hpp>
#include <weft/net/http_proxy.hpp>
#include <weft/net/http_timeouts.hpp>
#include <weft/net/tls_options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace weft {

/** What an `http_client` may do and how much of it. Each limit holds per loop that uses the client.
 *
 *      http_client_options options;
 *      options.tls.ca_file = "company.pem";
 *      options.connections_max = 200;
 *
 *  @par Errors   `errc::invalid_configuration` from `http_client`, which lists all values that are out of range.
 */
struct http_client_options {
    using address_filter_function = std::function<bool(std::string_view address)>;

    http_timeouts timeouts{};
    tls_options tls{};
    /** Which requests go through which proxy; none by default. */
    http_proxy proxy{};
    std::string user_agent = "weft/0.1";  ///< Empty: not sent.

    /** Largest head of a response; interim responses count as part of it. */
    std::size_t head_bytes_max = 64 * 1024;
    /** Largest body of a response, streamed ones included. */
    std::uint64_t body_bytes_max = 256 * 1024 * 1024;

    /** Requests under way to one origin, each on a connection of its own; more wait in line. At least 1. */
    std::size_t connections_max = 1024;
    /** How many may wait in line for an origin; more are an error at once. */
    std::size_t waiting_max = 4096;
    /** How long one may wait in line. */
    std::chrono::nanoseconds waiting_time_max = std::chrono::seconds{60};

    /** Unused connections kept open per origin. */
    std::size_t idle_max = 256;
    /** Unused connections kept open for all origins together. */
    std::size_t idle_total_max = 512;
    /** How long a connection may stay unused. */
    std::chrono::nanoseconds idle_time_max = std::chrono::seconds{30};

    /** Asks these name servers in place of the system's: `address`, `address:port` or `[address]:port`, separated by
     *  commas. Empty: those of the system. */
    std::string name_servers{};
    /** Names that are looked up at the same time; more wait in line, within their time to connect. At least 1. */
    std::size_t lookups_max = 64;

    /** Asked about every address of a host before any connection to it; one that is refused, and there is none.
     *  Connections go to the addresses that were asked about, without another lookup, and never through a proxy. Null:
     *  all are fine. */
    address_filter_function address_filter{};

    /** Lets secrets go over `http://` to other machines, where they can be read and changed on the way. */
    bool secrets_without_tls = false;

    /** What requests to `target` go through; null for none. A proxy would look the name up itself, and connect to
     *  addresses that the filter has not seen: with a filter there is none. */
    [[nodiscard]] const proxy_server* proxy_for(const url& target) const
    {
        return address_filter ? nullptr : proxy.find(target);
    }
};

}  // namespace weft
