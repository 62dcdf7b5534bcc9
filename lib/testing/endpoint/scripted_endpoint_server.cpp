#include "scripted_endpoint_server.hpp"

#include <weft/base/error.hpp>

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <future>
#include <memory>
#include <utility>
#include <vector>

namespace weft::testing {

namespace {

// How long a failing accept waits; it fails when the process has no file descriptors left.
constexpr std::chrono::milliseconds accept_pause{10};

}  // namespace

scripted_endpoint_server::scripted_endpoint_server(const scripted_endpoint_options& options,
                                                   scripted_endpoint_answers& answers,
                                                   scripted_endpoint_record& record)
    : transport_{options.transport()}, tls_{options}, shared_{answers, record, {}}
{
    try {
        listen();
    } catch (const boost::system::system_error& e) {
        throw error{errc::invalid_configuration, "listening on 127.0.0.1", e.code().message()};
    }
    accept();
    thread_ = std::thread{[this] { context_.run(); }};
}

// Connections are closed on their own OS thread: elsewhere a handler could be at work with them.
scripted_endpoint_server::~scripted_endpoint_server()
{
    boost::asio::post(context_, [this] {
        boost::system::error_code is_unimportant;
        acceptor_.close(is_unimportant);
        accept_pause_.cancel();
        close_connections();
    });
    thread_.join();
}

void scripted_endpoint_server::listen()
{
    namespace ip = boost::asio::ip;
    acceptor_.open(ip::tcp::v4());
    acceptor_.bind({ip::address_v4::loopback(), 0});
    acceptor_.listen();
    port_ = acceptor_.local_endpoint().port();
}

void scripted_endpoint_server::accept()
{
    acceptor_.async_accept(context_.get_executor(), [this](boost::system::error_code error,
                                                           auto socket) {
        if (!acceptor_.is_open()) return;
        if (error) {
            accept_pause_.expires_after(accept_pause);
            accept_pause_.async_wait([this](boost::system::error_code is_stopped) {
                if (!is_stopped) accept();
            });
            return;
        }
        const bool is_silent = transport_ == scripted_transport::silent;
        const bool is_plain = transport_ == scripted_transport::plain;
        scripted_endpoint_connection::role role{
            is_silent || is_plain ? nullptr : &tls_.context, is_silent, ++accepted_};
        shared_.record.change([](auto& counts) {
            ++counts.connections;
            ++counts.connections_open;
        });
        std::make_shared<scripted_endpoint_connection>(shared_, std::move(socket), role)->start();
        accept();
    });
}

// When this returns they are closed: a test that goes on can rely on its next request needing a new one.
void scripted_endpoint_server::drop_connections()
{
    std::promise<void> closed;
    boost::asio::post(context_, [&] {
        close_connections();
        closed.set_value();
    });
    closed.get_future().wait();
}

void scripted_endpoint_server::close_connections()
{
    const std::vector<scripted_endpoint_connection*> open{shared_.open.begin(), shared_.open.end()};
    for (scripted_endpoint_connection* connection : open) connection->close();
}

}  // namespace weft::testing
