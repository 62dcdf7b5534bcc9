#pragma once

#include "harness/cpu_clock.hpp"

#include <weft/async/async_start.hpp>
#include <weft/serve/server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <cstdint>
#include <exception>
#include <future>
#include <thread>
#include <utility>
#include <vector>

namespace weft_bench {

/** A server on an OS thread of its own that ends with its process, as a server that is killed: `_exit` ends it. */
class lasting_server {
public:
    lasting_server(weft::server_stores stores, std::vector<weft::served_graph> graphs,
                   weft::server_options options = weft::server_options{})
        : server_{weft::serial_loop::of(context_), stores, std::move(graphs), std::move(options)},
          port_{server_.listen(weft::listen_address{"127.0.0.1:0"}).port()}
    {
        weft::async_start(server_.loop(), server_.run(), [this](std::exception_ptr error) {
            if (error) ended_.set_exception(error);
            else ended_.set_value();
        });
        thread_ = std::thread{[this] { context_.run(); }};
    }

    /** Drains the server. @return  When its `run` has returned. */
    void drain()
    {
        boost::asio::post(context_, [this] { server_.drain(); });
        ended_.get_future().get();
    }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] double cpu_us() { return cpu_us_of(thread_.native_handle()); }

private:
    boost::asio::io_context context_{1};
    weft::server server_;
    std::uint16_t port_;
    std::promise<void> ended_;
    std::thread thread_;
};

}  // namespace weft_bench
