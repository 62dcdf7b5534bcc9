// A server of MCP with all that the protocol's own test suites ask for.
// usage: mcp_served stdio
//        mcp_served <port>

#include "everything.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/net/http_server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <iostream>
#include <optional>
#include <string>

namespace {

weft::task<weft::mcp_completion> complete(weft::mcp_server_context&, weft::mcp_completion_request wanted)
{
    weft::mcp_completion found;
    for (const char* const each : {"paris", "park", "party", "pisa"})
        if (std::string_view{each}.starts_with(wanted.value)) found.values.emplace_back(each);
    co_return found;
}

weft::mcp_server_options options()
{
    weft::mcp_server_options options;
    options.identity = {"weft-everything", "0.1.0"};
    options.instructions = "Tools for tests.";
    options.complete = complete;
    options.on_error = [](std::string_view where, std::string_view what) {
        std::cerr << where << ": " << what << '\n';
    };
    return options;
}

int serve_http(weft::mcp_server& server, const std::string& port)
{
    boost::asio::io_context context{1};
    weft::http_server http{weft::serial_loop::of(context), [&server](weft::http_call& call) {
                               return server.handle(call);
                           }};
    std::cout << http.listen(weft::listen_address{"127.0.0.1:" + port}).to_string() << '\n' << std::flush;
    boost::asio::signal_set signals{context, SIGTERM, SIGINT};
    signals.async_wait([&http](const boost::system::error_code& code, int) {
        if (!code) http.drain();
    });
    weft::async_start(http.loop(), http.run(), [&](std::exception_ptr failure) {
        signals.cancel();
        context.stop();
        if (failure) std::rethrow_exception(failure);
    });
    context.run();
    return 0;
}

}  // namespace

int main(int count, char** words)
{
    try {
        std::optional<weft::mcp_server> server;
        server.emplace(options());
        add_contents(*server);
        add_conversations(*server);
        add_questions(*server);
        const std::string how = count == 2 ? words[1] : "";
        if (how == "stdio") {
            weft::run_blocking(server->serve_stdio());
            return 0;
        }
        if (!how.empty()) return serve_http(*server, how);
        std::cerr << "usage: mcp_served stdio\n       mcp_served <port>\n";
        return 2;
    } catch (const std::exception& e) {
        std::cerr << "mcp_served: " << e.what() << '\n';
        return 1;
    }
}
