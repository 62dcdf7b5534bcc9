#include "mass_floor.hpp"

#include "stream/beast_client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace weft_bench {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::string_view mass_stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/** What the connections of the relay share. */
struct relay {
    asio::ssl::context tls;
    std::uint16_t port;
};

asio::awaitable<void> send_chunk(tcp::socket* socket, std::string_view bytes)
{
    char size[20];
    const int digits = std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    const std::array<asio::const_buffer, 3> whole{asio::buffer(size, static_cast<std::size_t>(digits)),
                                                  asio::buffer(bytes), asio::buffer("\r\n", 2)};
    co_await asio::async_write(*socket, whole, asio::use_awaitable);
}

asio::awaitable<void> relay_client(tcp::socket socket, std::shared_ptr<relay> to)
{
    socket.set_option(tcp::no_delay{true});
    boost::beast::flat_buffer buffer;
    try {
        http::request<http::string_body> request;
        co_await http::async_read(socket, buffer, request, asio::use_awaitable);
        co_await asio::async_write(socket, asio::buffer(mass_stream_head), asio::use_awaitable);
        co_await send_chunk(&socket, "event: metadata\ndata: {}\n\n");
        beast::tls_stream upstream{socket.get_executor(), to->tls};
        co_await beast::connect(&upstream, to->port);
        const beast::piece_function forward = [&socket](std::string_view bytes) { return send_chunk(&socket, bytes); };
        co_await beast::ask_for_pieces(&upstream, ask_for_stream, forward);
        co_await asio::async_write(socket, asio::buffer("0\r\n\r\n", 5), asio::use_awaitable);
    } catch (const std::exception&) {
        // The client is gone, and sees it.
    }
}

asio::awaitable<void> accept_clients(std::shared_ptr<tcp::acceptor> acceptor, std::shared_ptr<relay> to)
{
    for (;;) {
        tcp::socket socket = co_await acceptor->async_accept(asio::use_awaitable);
        asio::co_spawn(acceptor->get_executor(), relay_client(std::move(socket), to), asio::detached);
    }
}

}  // namespace

std::uint16_t start_beast_relay(asio::io_context& context, const stream_server& upstream)
{
    const auto to = std::make_shared<relay>(relay{beast::trusting(upstream.ca_pem()), upstream.port()});
    const auto acceptor =
        std::make_shared<tcp::acceptor>(context, tcp::endpoint{asio::ip::address_v4::loopback(), 0});
    acceptor->listen(4096);
    asio::co_spawn(context, accept_clients(acceptor, to), asio::detached);
    return acceptor->local_endpoint().port();
}

}  // namespace weft_bench
