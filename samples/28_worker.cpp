// Sample 28, a server that performs no runs, and a worker that does: what `weft serve --workers 0` and `weft worker`
// are, in a program of your own. Here both share a process and a memory_store; with a postgres_store each has machines
// of its own, as many as the work needs.
//
// The program asks itself once and ends.

#include <weft/weft.hpp>

#include <weft/asio.hpp>
#include <weft/net/http_client.hpp>
#include <weft/serve/server.hpp>
#include <weft/serve/worker.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/asio/io_context.hpp>

#include <exception>
#include <iostream>
#include <string>

inline constexpr weft::state_key<std::string> name{"name"};
inline constexpr weft::state_key<std::string> text{"text"};

void greet(weft::node_context& ctx) { ctx.set(text, "Hello, " + ctx.get(name) + "!"); }

/** What went wrong in a task ends the program by way of `context.run()`. */
void rethrow(std::exception_ptr failure)
{
    if (failure) std::rethrow_exception(failure);
}

weft::task<void> ask(weft::server& server, weft::listen_address at, weft::worker& worker)
{
    const weft::http_client client;
    weft::http_request request{"POST", weft::url{"http://" + at.to_string() + "/runs/wait"}};
    request.body(R"({"assistant_id": "greeting", "input": {"name": "Ada"}})", "application/json");
    weft::http_response response = co_await client.send(std::move(request));
    std::cout << co_await response.read_all(4096) << '\n';
    worker.drain();
    server.drain();
}

int main()
{
    const weft::graph greeting =
        weft::graph_builder{"greeting"}.state(name, text).node("greet", greet).edge(weft::start, "greet").build();
    weft::memory_store store;
    // [worker]
    boost::asio::io_context context{1};
    weft::worker_options options;
    options.concurrency = 200;
    weft::worker worker{weft::serial_loop::of(context), weft::server_stores{store}, {greeting}, options};
    weft::async_start(worker.loop(), worker.run(), rethrow);
    // [/worker]
    weft::server_options door;
    door.runs.performed_max = 0;  // it accepts runs, and others perform them
    weft::server server{weft::serial_loop::of(context), weft::server_stores{store}, {greeting}, door};
    const weft::listen_address at = server.listen(weft::listen_address{"127.0.0.1:0"});
    weft::async_start(server.loop(), server.run(), rethrow);
    weft::async_start(server.loop(), ask(server, at, worker), rethrow);
    context.run();
}
