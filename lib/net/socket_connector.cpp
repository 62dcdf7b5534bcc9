#include "socket_connector.hpp"

#include "tcp_transport.hpp"
#include "tls_transport.hpp"

namespace weft::net_detail {

task<std::shared_ptr<transport>> socket_connector::open(url target, std::chrono::nanoseconds limit)
{
    const time_point deadline = loop_.now() + limit;
    host_lookup::addresses addresses = co_await lookup_.find(target, deadline);
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
