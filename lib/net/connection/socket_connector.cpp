#include "socket_connector.hpp"

#include "net/socket/tcp_transport.hpp"
#include "net/tls/tls_transport.hpp"
#include "proxy_tunnel.hpp"

#include <weft/async/loop/loop_executor.hpp>
#include <weft/base/error.hpp>

#include <optional>
#include <utility>

namespace weft::net_detail {

namespace {

/** Refuses a host as a whole: one address that is not allowed is enough to suspect the others. */
void check_addresses(const http_client_options& options, const url& target, const host_lookup::addresses& addresses)
{
    if (!options.address_filter) return;
    for (const boost::asio::ip::address& address : addresses)
        if (!options.address_filter(address.to_string()))
            throw error{errc::address_refused, target.endpoint(),
                        "its address filter does not allow " + address.to_string()};
}

}  // namespace

host_lookup_options socket_connector::lookup_options(const http_client_options& options)
{
    host_lookup_options result;
    result.name_servers = options.name_servers;
    result.lookups_max = options.lookups_max;
    return result;
}

task<std::shared_ptr<transport>> socket_connector::open(url target, std::chrono::nanoseconds limit)
{
    const time_point deadline = loop_.now() + limit;
    const proxy_server* const proxy = options_->proxy_for(target);
    return proxy ? open_through(*proxy, std::move(target), deadline) : open_directly(std::move(target), deadline);
}

task<std::shared_ptr<transport>> socket_connector::open_directly(url target, time_point deadline)
{
    host_lookup::addresses addresses = co_await lookup_.find(target, deadline);
    check_addresses(*options_, target, addresses);
    if (!target.is_https()) {
        auto plain = std::make_shared<tcp_transport>(loop_);
        co_await connect_socket(loop_, plain->socket(), plain, target, std::move(addresses), deadline);
        co_return plain;
    }
    auto secure = std::make_shared<tls_transport>(tls_(), tls_peer{target}, tcp_socket{loop_.executor()});
    co_await connect_socket(loop_, secure->layer(), secure, target, std::move(addresses), deadline);
    co_await secure->handshake(loop_, deadline);
    co_return secure;
}

task<std::shared_ptr<transport>> socket_connector::open_through(const proxy_server& proxy, url target,
                                                                time_point deadline)
{
    std::shared_ptr<transport> wire;
    std::optional<error> failure;
    try {
        std::shared_ptr<transport> opened = co_await open_to_proxy(proxy, deadline);
        wire = std::move(opened);
    } catch (const error& e) {
        failure = e;
    }
    // The caller asked for the target: that its way leads through a proxy is news.
    if (failure)
        throw error{failure->code(), target.endpoint(),
                    "the proxy " + proxy.address().endpoint() + ": " + failure->detail()};
    if (!target.is_https()) co_return wire;

    auto tunnel = std::make_shared<proxy_tunnel>(target, proxy, options_->user_agent);
    co_await open_tunnel(loop_, wire, std::move(tunnel), deadline);
    if (proxy.address().is_https()) {
        auto& outer = static_cast<tls_transport&>(*wire);
        auto secure = std::make_shared<nested_tls_transport>(tls_(), tls_peer{target}, outer, wire);
        co_await secure->handshake(loop_, deadline);
        co_return secure;
    }
    auto& plain = static_cast<tcp_transport&>(*wire);
    auto secure = std::make_shared<tls_transport>(tls_(), tls_peer{target}, std::move(plain.socket()));
    co_await secure->handshake(loop_, deadline);
    co_return secure;
}

task<std::shared_ptr<transport>> socket_connector::open_to_proxy(const proxy_server& proxy, time_point deadline)
{
    host_lookup::addresses addresses = co_await lookup_.find(proxy.address(), deadline);
    auto plain = std::make_shared<tcp_transport>(loop_);
    co_await connect_socket(loop_, plain->socket(), plain, proxy.address(), std::move(addresses), deadline);
    if (!proxy.address().is_https()) co_return plain;
    auto secure = std::make_shared<tls_transport>(tls_(), tls_peer{proxy.address(), tls_role::proxy},
                                                  std::move(plain->socket()));
    co_await secure->handshake(loop_, deadline);
    co_return secure;
}

}  // namespace weft::net_detail
