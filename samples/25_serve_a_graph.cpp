// Sample 25, a graph behind HTTP: what `weft serve` does, in a program of your own. Clients of LangGraph's Agent Server
// create threads, begin runs and follow their streams; any program can POST to /runs/wait:
//
//   curl -s localhost:8123/runs/wait -H 'content-type: application/json' -d @request.json
//
// where request.json is {"assistant_id": "greeting", "input": {"name": "Ada"}}.
//
// With --once the program asks itself and ends.

#include <weft/weft.hpp>

#include <weft/asio.hpp>
#include <weft/net/http_client.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <string_view>

inline constexpr weft::state_key<std::string> name{"name"};
inline constexpr weft::state_key<std::string> text{"text"};

void greet(weft::node_context& ctx) { ctx.set(text, "Hello, " + ctx.get(name) + "!"); }

weft::task<void> ask(weft::server& server, weft::listen_address at)
{
    const weft::http_client client;
    weft::http_request request{"POST", weft::url{"http://" + at.to_string() + "/runs/wait"}};
    request.body(R"({"assistant_id": "greeting", "input": {"name": "Ada"}})", "application/json");
    weft::http_response response = co_await client.send(std::move(request));
    std::cout << co_await response.read_all(4096) << '\n';
    server.drain();
}

/** What went wrong in a task ends the program by way of `context.run()`. */
void rethrow(std::exception_ptr failure)
{
    if (failure) std::rethrow_exception(failure);
}

int main(int count, char** arguments)
{
    const bool is_once = count > 1 && arguments[1] == std::string_view{"--once"};
    // [serve]
    const weft::graph greeting =
        weft::graph_builder{"greeting"}.state(name, text).node("greet", greet).edge(weft::start, "greet").build();
    boost::asio::io_context context{1};
    weft::memory_store store;  // sqlite_store and postgres_store keep threads when the program ends
    weft::server server{weft::serial_loop::of(context), weft::server_stores{store}, {greeting}};
    const weft::listen_address at = server.listen(weft::listen_address{is_once ? "127.0.0.1:0" : "127.0.0.1:8123"});
    weft::async_start(server.loop(), server.run(), rethrow);
    // [/serve]
    std::cout << "http://" << at.to_string() << '\n' << std::flush;
    boost::asio::signal_set signals{context};
    if (is_once) {
        weft::async_start(server.loop(), ask(server, at), rethrow);
    } else {
        signals.add(SIGINT);
        signals.add(SIGTERM);
        signals.async_wait([&server](const boost::system::error_code&, int) { server.drain(); });
    }
    context.run();
}
