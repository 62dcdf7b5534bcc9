#pragma once

#include "net/test_loop.hpp"

#include <weft/net/http_client.hpp>
#include <weft/net/http_server.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <functional>
#include <optional>
#include <string>

/** A server on a loop of its own and clients of several kinds. */
namespace server_fixture {

/** A client that sends what it is told, byte by byte if need be, and reads what comes. */
class raw_client {
public:
    raw_client(test_loop& where, std::uint16_t port) : where_{where}, socket_{where.context()}
    {
        socket_.connect({boost::asio::ip::address_v4::loopback(), port});
        socket_.non_blocking(true);
    }

    void send(std::string_view bytes)
    {
        while (!bytes.empty()) {
            boost::system::error_code code;
            bytes.remove_prefix(socket_.write_some(boost::asio::buffer(bytes), code));
            if (code && code != boost::asio::error::would_block) return;
            where_.settle();
            read_some();
        }
    }
    /** The same without a turn of the loop meanwhile; for what the system takes at once. */
    void send_ahead(std::string_view bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }
    void end_sending() { socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send); }
    void close() { socket_.close(); }

    /** Runs the loop until what has come contains `text`. */
    const std::string& read_until(std::string_view text)
    {
        where_.run_until([&] { return read_some(), received_.find(text) != std::string::npos; });
        return received_;
    }
    /** Runs the loop until the server has closed the connection; all that has come. */
    const std::string& read_to_end()
    {
        where_.run_until([&] { return read_some(), is_ended_; });
        return received_;
    }
    [[nodiscard]] bool is_ended()
    {
        read_some();
        return is_ended_;
    }
    /** What has come so far. */
    [[nodiscard]] std::string& received() { return received_; }
    /** True if the end came by a reset, which may have cost bytes. */
    [[nodiscard]] bool was_reset() const { return was_reset_; }

private:
    void read_some()
    {
        char bytes[16 * 1024];
        while (!is_ended_) {
            boost::system::error_code code;
            const std::size_t size = socket_.read_some(boost::asio::buffer(bytes), code);
            if (code == boost::asio::error::would_block) return;
            if (code) {
                is_ended_ = true;
                was_reset_ = code != boost::asio::error::eof;
            }
            received_.append(bytes, size);
        }
    }

    test_loop& where_;
    boost::asio::ip::tcp::socket socket_;
    std::string received_;
    bool is_ended_ = false;
    bool was_reset_ = false;
};

/** A server that runs. */
class running_server {
public:
    running_server(test_loop& where, weft::http_server::handler_function handler,
                   weft::http_server_options options = weft::http_server_options{})
        : where_{where}, server_{where.loop(), std::move(handler), std::move(options)},
          at_{server_.listen(weft::listen_address{"127.0.0.1:0"})}, running_{where, server_.run()}
    {
    }

    [[nodiscard]] weft::http_server& server() { return server_; }
    [[nodiscard]] std::uint16_t port() const { return at_.port(); }
    [[nodiscard]] weft::url url(std::string_view target = "/") const
    {
        return weft::url{"http://127.0.0.1:" + std::to_string(port()) + std::string{target}};
    }
    [[nodiscard]] raw_client connect() { return raw_client{where_, port()}; }
    /** Sends one request and gives all that the server answers until it closes. */
    std::string exchange(std::string_view request)
    {
        raw_client client = connect();
        client.send(request);
        return client.read_to_end();
    }
    /** `run` has returned. */
    [[nodiscard]] bool is_over() const { return running_.is_done(); }
    void stop() { running_.stop(); }
    void wait_until_over()
    {
        where_.run_until([this] { return running_.is_done(); });
    }

private:
    test_loop& where_;
    weft::http_server server_;
    weft::listen_address at_;
    started<void> running_;
};

/** Answers with method, target and body. */
inline weft::task<void> echo(weft::http_call& call)
{
    const std::string body = co_await call.read_body();
    weft::http_reply answer{200, std::string{call.method()} + ' ' + call.head().target + ' ' + body};
    co_await call.reply(std::move(answer));
}

}  // namespace server_fixture
