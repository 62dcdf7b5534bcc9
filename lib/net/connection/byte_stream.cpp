#include <weft/net/byte_stream.hpp>

#include <weft/async/loop/loop_executor.hpp>
#include <weft/base/error.hpp>
#include <weft/net/url.hpp>

#include "net/socket/host_lookup.hpp"
#include "net/socket/tcp_transport.hpp"
#include "net/tls/tls_transport.hpp"

#include <utility>

namespace weft {

namespace {

using net_detail::tls_context;

std::shared_ptr<const url> address_of_server(const std::string& host, std::uint16_t port, bool is_tls)
{
    const bool needs_brackets = host.find(':') != std::string::npos;
    std::string text = is_tls ? "https://" : "http://";
    text += needs_brackets ? "[" + host + "]" : host;
    text += ":" + std::to_string(port);
    try {
        auto address = std::make_shared<const url>(text);
        if (address->target() != "/" || address->port() != port)
            throw error{errc::invalid_configuration, "server", "the host is a name or an address, nothing else"};
        return address;
    } catch (const error& e) {
        throw error{errc::invalid_configuration, "server", "host and port cannot be used: " + e.detail()};
    }
}

/** A coroutine of values: the target may be gone before the connection stands. */
task<byte_stream> open_stream(url address, std::shared_ptr<tls_context> tls, std::chrono::nanoseconds limit)
{
    serial_loop& loop = co_await this_task::loop();
    const time_point deadline = loop.now() + limit;
    net_detail::host_lookup lookup{loop};
    net_detail::host_lookup::addresses addresses = co_await lookup.find(address, deadline);
    if (!tls) {
        auto plain = std::make_shared<net_detail::tcp_transport>(loop);
        co_await net_detail::connect_socket(loop, plain->socket(), plain, address, std::move(addresses), deadline);
        co_return byte_stream{plain};
    }
    auto secure = std::make_shared<net_detail::tls_transport>(tls, net_detail::tls_peer{address},
                                                              net_detail::tcp_socket{loop.executor()});
    co_await net_detail::connect_socket(loop, secure->layer(), secure, address, std::move(addresses), deadline);
    co_await secure->handshake(loop, deadline);
    co_return byte_stream{secure};
}

}  // namespace

byte_stream::byte_stream(std::shared_ptr<net_detail::transport> wire) noexcept : wire_{std::move(wire)} {}

byte_stream::operation byte_stream::read_some(boost::asio::mutable_buffer buffer, std::shared_ptr<const void> owner)
{
    return wire_->read_some(buffer, std::move(owner));
}

byte_stream::operation byte_stream::write_some(boost::asio::const_buffer buffer, std::shared_ptr<const void> owner)
{
    return wire_->write_some(buffer, std::move(owner));
}

bool byte_stream::is_quiet() const noexcept { return wire_ && wire_->is_quiet(); }

void byte_stream::close() noexcept
{
    if (wire_) wire_->close();
}

stream_target::stream_target(std::string host, std::uint16_t port) : address_{address_of_server(host, port, false)} {}

stream_target::stream_target(std::string host, std::uint16_t port, const tls_options& tls)
    : address_{address_of_server(host, port, true)},
      tls_{std::make_shared<tls_context>(tls, net_detail::tls_protocol::other)}
{
}

std::string stream_target::endpoint() const { return address_->endpoint(); }

bool stream_target::is_loopback() const noexcept { return address_->host_is_loopback(); }

task<byte_stream> stream_target::open(std::chrono::nanoseconds limit) const
{
    return open_stream(*address_, tls_, limit);
}

}  // namespace weft
