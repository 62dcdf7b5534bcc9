#include "socket_connector.hpp"

#include "tcp_transport.hpp"
#include "tls_transport.hpp"

#include <weft/base/error.hpp>

namespace weft::net_detail {

namespace {

/** Refuses a host as a whole: one address that is not allowed is enough to suspect the others. */
void check_addresses(const http_client_options& options, const url& target, const host_lookup::addresses& addresses)
{
    if (!options.address_filter()) return;
    for (const boost::asio::ip::address& address : addresses)
        if (!options.address_filter()(address.to_string()))
            throw error{errc::invalid_configuration, target.endpoint(),
                        "its address " + address.to_string() + " is refused by the client's address filter"};
}

}  // namespace

task<std::shared_ptr<transport>> socket_connector::open(url target, std::chrono::nanoseconds limit)
{
    const time_point deadline = loop_.now() + limit;
    host_lookup::addresses addresses = co_await lookup_.find(target, deadline);
    check_addresses(*options_, target, addresses);
    if (!target.is_https()) {
        auto plain = std::make_shared<tcp_transport>(loop_);
        co_await connect_socket(loop_, plain->socket(), plain, target, std::move(addresses), deadline);
        co_return plain;
    }
    auto secure = std::make_shared<tls_transport>(loop_, tls_(), target);
    co_await connect_socket(loop_, secure->socket(), secure, target, std::move(addresses), deadline);
    co_await secure->handshake(loop_, deadline);
    co_return secure;
}

}  // namespace weft::net_detail
