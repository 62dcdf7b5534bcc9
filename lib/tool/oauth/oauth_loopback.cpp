#include <weft/tool/oauth/oauth_loopback.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/use_task.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/assert.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

namespace weft {

namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;

constexpr std::size_t head_bytes_max = 16 * 1024;
constexpr std::size_t connections_max = 16;
constexpr std::chrono::nanoseconds connection_time_max = std::chrono::seconds{10};

constexpr std::string_view page =
    "<!doctype html><meta charset=\"utf-8\"><title>weft</title><p>The program has its answer. You can close this "
    "window.</p>\n";

/** What a request for the redirect says. */
struct loopback_request {
    bool is_ours = false;
    std::string query{};
};

/** An open port, and what came to it. */
struct loopback_port {
    using socket = boost::asio::basic_stream_socket<ip::tcp, loop_executor>;
    using acceptor_type = boost::asio::basic_socket_acceptor<ip::tcp, loop_executor>;

    explicit loopback_port(const loop_executor& on) : acceptor{on} {}

    acceptor_type acceptor;
    std::uint16_t number = 0;
    std::string path;
    std::string query;  // of the redirect; empty: it has not come
};

/** One connection of a browser. Its operations keep it. */
struct loopback_peer {
    explicit loopback_peer(loopback_port::socket accepted) : stream{std::move(accepted)} {}
    loopback_port::socket stream;
    std::string head;
    std::array<char, 4096> piece{};
    std::string reply;
};

std::string_view host_in(std::string_view head)
{
    for (std::size_t line = head.find("\r\n"); line != head.npos; line = head.find("\r\n", line + 2)) {
        const std::string_view rest = head.substr(line + 2, head.find("\r\n", line + 2) - line - 2);
        if (ascii_lower_case(rest.substr(0, 5)) == "host:") return trimmed(rest.substr(5));
    }
    return {};
}

loopback_request read_request(const loopback_port& port, std::string_view head)
{
    loopback_request read;
    // Another host leads a browser here by a name of its own: that is no redirect of the authorization server.
    const std::string number = ":" + std::to_string(port.number);
    const std::string_view host = host_in(head);
    if (host != "127.0.0.1" + number && host != "localhost" + number) return read;
    if (!head.starts_with("GET ")) return read;
    head.remove_prefix(4);
    const std::string_view target = head.substr(0, head.find_first_of(" \r\n"));
    const std::size_t mark = target.find('?');
    if (mark == target.npos || target.substr(0, mark) != port.path) return read;
    read.query = target.substr(mark + 1);
    read.is_ours = !read.query.empty();
    return read;
}

std::string reply_text(bool is_ours)
{
    const std::string_view body = is_ours ? page : std::string_view{"Nothing is here.\n"};
    std::string text = is_ours ? "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                               : "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n";
    text += "Content-Length: " + std::to_string(body.size()) +
            "\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nContent-Security-Policy: default-src "
            "'none'\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
    return text.append(body);
}

task<void> answer(std::shared_ptr<loopback_port> port, std::shared_ptr<loopback_peer> peer)
{
    while (peer->head.find("\r\n\r\n") == std::string::npos) {
        const auto [code, size] =
            co_await peer->stream.async_read_some(boost::asio::buffer(peer->piece), use_task_keeping{peer});
        if (code || peer->head.size() + size > head_bytes_max) co_return;
        peer->head.append(peer->piece.data(), size);
    }
    loopback_request request = read_request(*port, peer->head);
    peer->reply = reply_text(request.is_ours);
    const auto [code, size] =
        co_await boost::asio::async_write(peer->stream, boost::asio::buffer(peer->reply), use_task_keeping{peer});
    static_cast<void>(code);  // the browser may be gone, and its answer counts all the same
    static_cast<void>(size);
    error_code ignored;
    peer->stream.shutdown(ip::tcp::socket::shutdown_both, ignored);
    if (!request.is_ours || !port->query.empty()) co_return;
    port->query = std::move(request.query);
    port->acceptor.close(ignored);
}

task<void> serve(std::shared_ptr<loopback_port> port, std::shared_ptr<loopback_peer> peer)
{
    task<void> answering = answer(std::move(port), std::move(peer));
    try {
        co_await with_deadline(std::move(answering), connection_time_max);
    } catch (const error&) {
        // A connection that says nothing: browsers open some that they do not need.
    }
}

task<std::string> wait_for_browser(std::shared_ptr<loopback_port> port,
                                   std::function<void(const std::string& url)> show, std::string target)
{
    const task_context& context = co_await this_task::context();
    scope connections{context, failure_policy::keep_going};
    show(target);
    while (port->query.empty()) {
        auto [code, accepted] = co_await port->acceptor.async_accept(use_task_keeping{port});
        if (context.scope->stop_requested()) throw error{errc::cancelled, "OAuth", "while a person was asked"};
        if (!code && connections.running() < connections_max)
            connections.spawn(serve(port, std::make_shared<loopback_peer>(std::move(accepted))));
        else if (code && code != boost::asio::error::connection_aborted && port->query.empty())
            throw error{errc::invalid_configuration, "OAuth", "the port of the redirect: " + code.message()};
    }
    connections.request_stop();
    co_await connections.join();
    co_return port->query;
}

task<oauth_redirect> open_port(oauth_loopback_options options)
{
    const serial_loop& loop = co_await this_task::loop();
    const auto port = std::make_shared<loopback_port>(loop.executor());
    port->path = std::move(options.path);
    error_code code;
    port->acceptor.open(ip::tcp::v4(), code);
    if (!code) port->acceptor.set_option(ip::tcp::acceptor::reuse_address{true}, code);
    if (!code) port->acceptor.bind({ip::address_v4::loopback(), options.port}, code);
    if (!code) port->acceptor.listen(boost::asio::socket_base::max_listen_connections, code);
    if (code)
        throw error{errc::invalid_configuration, "OAuth",
                    "port " + std::to_string(options.port) + " of 127.0.0.1 is not to be had: " + code.message()};
    port->number = port->acceptor.local_endpoint().port();
    oauth_redirect redirect;
    redirect.uri = "http://127.0.0.1:" + std::to_string(port->number) + port->path;
    redirect.visit = [port, show = std::move(options.show)](std::string target) {
        return wait_for_browser(port, show, std::move(target));
    };
    co_return redirect;
}

}  // namespace

std::function<task<oauth_redirect>()> oauth_loopback(oauth_loopback_options options)
{
    BOOST_ASSERT_MSG(options.show, "a loopback redirect needs a function that shows the URL");
    return [options = std::move(options)] { return open_port(options); };
}

}  // namespace weft
