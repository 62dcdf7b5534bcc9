#include "serve_floor.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace weft_bench {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

asio::awaitable<void> serve_client(tcp::socket socket)
{
    socket.set_option(tcp::no_delay{true});
    beast::tcp_stream stream{std::move(socket)};
    beast::flat_buffer buffer;
    try {
        for (;;) {
            stream.expires_after(std::chrono::seconds{30});
            http::request<http::string_body> request;
            co_await http::async_read(stream, buffer, request, asio::use_awaitable);
            http::response<http::string_body> response{http::status::ok, request.version()};
            response.set(http::field::content_type, "application/json");
            response.keep_alive(request.keep_alive());
            const bool has_body = request.method() == http::verb::post;
            if (has_body) response.body() = std::move(request.body());
            else response.body() = R"({"ok":true})";
            response.prepare_payload();
            co_await http::async_write(stream, response, asio::use_awaitable);
        }
    } catch (const boost::system::system_error&) {
        // The client is gone.
    }
}

asio::awaitable<void> accept_clients(std::shared_ptr<tcp::acceptor> acceptor)
{
    for (;;) {
        tcp::socket socket = co_await acceptor->async_accept(asio::use_awaitable);
        asio::co_spawn(acceptor->get_executor(), serve_client(std::move(socket)), asio::detached);
    }
}

}  // namespace

std::uint16_t start_beast_server(asio::io_context& context)
{
    const auto acceptor =
        std::make_shared<tcp::acceptor>(context, tcp::endpoint{asio::ip::address_v4::loopback(), 0});
    asio::co_spawn(context, accept_clients(acceptor), asio::detached);
    return acceptor->local_endpoint().port();
}

}  // namespace weft_bench
