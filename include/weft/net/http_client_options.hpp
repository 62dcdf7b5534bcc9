#pragma once

#include <weft/net/http_proxy.hpp>
#include <weft/net/http_timeouts.hpp>
#include <weft/net/tls_options.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** What an `http_client` may do and how much of it. Each limit holds per loop that uses the client. */
class http_client_options {
public:
    http_client_options() {}

    http_client_options& timeouts(http_timeouts limits) noexcept { return timeouts_ = limits, *this; }
    http_client_options& tls(tls_options options) { return tls_ = std::move(options), *this; }
    /** Which requests go through which proxy; none by default. */
    http_client_options& proxy(http_proxy how) { return proxy_ = std::move(how), *this; }
    http_client_options& user_agent(std::string name) { return user_agent_ = std::move(name), *this; }

    /** Largest head of a response; interim responses count as part of it. */
    http_client_options& head_bytes_max(std::size_t size) noexcept { return head_bytes_max_ = size, *this; }
    /** Largest body of a response, streamed ones included. */
    http_client_options& body_bytes_max(std::uint64_t size) noexcept { return body_bytes_max_ = size, *this; }

    /** Requests under way to one origin, each on a connection of its own; more wait in line. At least 1. */
    http_client_options& connections_max(std::size_t count) noexcept
    {
        return connections_max_ = std::max<std::size_t>(count, 1), *this;
    }
    /** How many may wait in line for an origin; more are an error at once. */
    http_client_options& waiting_max(std::size_t count) noexcept { return waiting_max_ = count, *this; }
    /** How long one may wait in line. */
    http_client_options& waiting_time_max(std::chrono::nanoseconds limit) noexcept
    {
        return waiting_time_max_ = limit, *this;
    }

    /** Unused connections kept open per origin. */
    http_client_options& idle_max(std::size_t count) noexcept { return idle_max_ = count, *this; }
    /** Unused connections kept open for all origins together. */
    http_client_options& idle_total_max(std::size_t count) noexcept { return idle_total_max_ = count, *this; }
    /** How long a connection may stay unused. */
    http_client_options& idle_time_max(std::chrono::nanoseconds limit) noexcept
    {
        return idle_time_max_ = limit, *this;
    }

    /** Asks these name servers in place of the system's: `address`, `address:port` or `[address]:port`, separated by
     *  commas. Empty: those of the system. */
    http_client_options& name_servers(std::string list) { return name_servers_ = std::move(list), *this; }
    /** Names that are looked up at the same time; more wait in line, within their time to connect. At least 1. */
    http_client_options& lookups_max(std::size_t count) noexcept
    {
        return lookups_max_ = std::max<std::size_t>(count, 1), *this;
    }

    /** Lets secrets go over `http://` to other machines, where anybody on the way can read them. */
    http_client_options& secrets_without_tls(bool allowed) noexcept { return secrets_without_tls_ = allowed, *this; }

    /** Asked about every address of a host before any connection to it; one that is refused, and there is none.
     *  Connections go to the addresses that were asked about, without another lookup, and never through a proxy. Null:
     *  all are fine. */
    using address_filter_function = std::function<bool(std::string_view address)>;
    http_client_options& address_filter(address_filter_function allows)
    {
        return address_filter_ = std::move(allows), *this;
    }

    [[nodiscard]] const http_timeouts& timeouts() const noexcept { return timeouts_; }
    [[nodiscard]] const tls_options& tls() const noexcept { return tls_; }
    [[nodiscard]] const http_proxy& proxy() const noexcept { return proxy_; }
    /** What requests to `target` go through; null for none. A proxy would look the name up itself, and connect to
     *  addresses that the filter has not seen: with a filter there is none. */
    [[nodiscard]] const proxy_server* proxy_for(const url& target) const
    {
        return address_filter_ ? nullptr : proxy_.find(target);
    }
    [[nodiscard]] const std::string& user_agent() const noexcept { return user_agent_; }
    [[nodiscard]] std::size_t head_bytes_max() const noexcept { return head_bytes_max_; }
    [[nodiscard]] std::uint64_t body_bytes_max() const noexcept { return body_bytes_max_; }
    [[nodiscard]] std::size_t connections_max() const noexcept { return connections_max_; }
    [[nodiscard]] std::size_t waiting_max() const noexcept { return waiting_max_; }
    [[nodiscard]] std::chrono::nanoseconds waiting_time_max() const noexcept { return waiting_time_max_; }
    [[nodiscard]] std::size_t idle_max() const noexcept { return idle_max_; }
    [[nodiscard]] std::size_t idle_total_max() const noexcept { return idle_total_max_; }
    [[nodiscard]] std::chrono::nanoseconds idle_time_max() const noexcept { return idle_time_max_; }
    [[nodiscard]] const std::string& name_servers() const noexcept { return name_servers_; }
    [[nodiscard]] std::size_t lookups_max() const noexcept { return lookups_max_; }
    [[nodiscard]] const address_filter_function& address_filter() const noexcept { return address_filter_; }
    [[nodiscard]] bool secrets_without_tls() const noexcept { return secrets_without_tls_; }

private:
    http_timeouts timeouts_;
    tls_options tls_;
    http_proxy proxy_;
    std::string user_agent_ = "weft/0.1";
    std::size_t head_bytes_max_ = 64 * 1024;
    std::uint64_t body_bytes_max_ = 256 * 1024 * 1024;
    std::size_t connections_max_ = 1024;
    std::size_t waiting_max_ = 4096;
    std::chrono::nanoseconds waiting_time_max_ = std::chrono::seconds{60};
    std::size_t idle_max_ = 256;
    std::size_t idle_total_max_ = 512;
    std::chrono::nanoseconds idle_time_max_ = std::chrono::seconds{30};
    std::string name_servers_;
    std::size_t lookups_max_ = 64;
    address_filter_function address_filter_;
    bool secrets_without_tls_ = false;
};

}  // namespace weft
