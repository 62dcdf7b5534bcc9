#pragma once

#include "scripted_endpoint_connection.hpp"
#include "scripted_endpoint_tls.hpp"

#include <weft/testing/endpoint/scripted_endpoint_options.hpp>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace weft::testing {

/** Accepts connections on a free port and runs them on an OS thread of its own. */
class scripted_endpoint_server {
public:
    scripted_endpoint_server(const scripted_endpoint_options& options,
                             scripted_endpoint_answers& answers, scripted_endpoint_record& record);
    /** Closes all connections and joins the OS thread, after every handler has run to its end. */
    ~scripted_endpoint_server();
    scripted_endpoint_server(const scripted_endpoint_server&) = delete;
    scripted_endpoint_server& operator=(const scripted_endpoint_server&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] const std::string& ca_pem() const noexcept { return tls_.ca_pem; }

    /** Closes all connections; returns when they are closed. */
    void drop_connections();

private:
    using acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp,
                                                        boost::asio::io_context::executor_type>;
    void listen();
    void accept();
    void close_connections();

    scripted_transport transport_;
    scripted_endpoint_tls tls_;
    scripted_endpoint_shared shared_;
    boost::asio::io_context context_{1};
    acceptor acceptor_{context_.get_executor()};
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>,
                                      boost::asio::io_context::executor_type>
        accept_pause_{context_.get_executor()};
    std::uint16_t port_ = 0;
    std::size_t accepted_ = 0;
    std::thread thread_;
};

}  // namespace weft::testing
