#pragma once

#include <weft/async/async_start.hpp>
#include <weft/engine/runtime.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** Serves graphs on a port of this machine until the process gets SIGTERM or SIGINT; then the server drains.
 *  @param arguments   Of the program: the port, and how many loops there are.
 *  @param stores      Outlive the call; nothing: those of memory. */
inline int serve_until_stopped(int count, char** arguments, std::vector<weft::served_graph> graphs,
                               weft::server_options options = weft::server_options{},
                               std::optional<weft::server_stores> stores = std::nullopt)
{
    const std::string port = count > 1 ? arguments[1] : "8123";
    boost::asio::io_context context{1};
    weft::memory_store store;
    weft::memory_items items;
    const int loops = count > 2 ? std::stoi(arguments[2]) : 1;
    std::optional<weft::runtime> more;
    if (loops > 1) more.emplace(static_cast<std::size_t>(loops - 1));
    if (more) options.more_loops = &*more;
    options.allowed_origin = "*";
    options.on_error = [](std::string_view where, std::string_view what) {
        std::cerr << where << ": " << what << '\n';
    };
    if (!stores) stores.emplace(store, &items);
    weft::server server{weft::serial_loop::of(context), *stores, std::move(graphs), options};
    std::cout << server.listen(weft::listen_address{"127.0.0.1:" + port}).to_string() << '\n' << std::flush;
    boost::asio::signal_set signals{context, SIGTERM, SIGINT};
    signals.async_wait([&server](const boost::system::error_code& code, int) {
        if (!code) server.drain();
    });
    int status = 0;
    weft::async_start(server.loop(), server.run(), [&](std::exception_ptr failure) {
        signals.cancel();
        if (!failure) return;
        status = 1;
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& e) {
            std::cerr << e.what() << '\n';
        }
    });
    context.run();
    return status;
}
