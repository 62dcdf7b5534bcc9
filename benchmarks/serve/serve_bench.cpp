#include "harness/bench.hpp"
#include "serve_bench.hpp"
#include "serve_floor.hpp"
#include "server_thread.hpp"

#include <weft/async/async_start.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr int connections = 64;
constexpr int serve_rounds = 5;

/** What a client sends, and how it sees that an answer is whole. */
struct served_exchange {
    std::string request;
    std::string_view end;
};

served_exchange get(std::string_view target, std::string_view end)
{
    return {"GET " + std::string{target} + " HTTP/1.1\r\nHost: localhost\r\n\r\n", end};
}

served_exchange post(std::string_view target, std::string_view body, std::string_view end)
{
    return {"POST " + std::string{target} + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body},
            end};
}

/** Clients that each have one request under way. */
class clients {
public:
    clients(std::uint16_t port, served_exchange what) : what_{std::move(what)}
    {
        for (int i = 0; i < connections; ++i)
            sockets_.emplace_back(context_).connect({asio::ip::address_v4::loopback(), port});
    }
    void ask_all()
    {
        for (tcp::socket& socket : sockets_) asio::write(socket, asio::buffer(what_.request));
        for (tcp::socket& socket : sockets_) read_answer(socket);
    }

private:
    void read_answer(tcp::socket& socket)
    {
        std::string answer;
        char bytes[16 * 1024];
        do answer.append(bytes, socket.read_some(asio::buffer(bytes)));
        while (!answer.ends_with(what_.end));
        require(answer.starts_with("HTTP/1.1 200"), "the server refuses");
    }

    asio::io_context context_;
    served_exchange what_;
    std::vector<tcp::socket> sockets_;
};

/** CPU of the server for a request, in microseconds. */
double cost_of(const server_thread::start_function& start, const served_exchange& what)
{
    server_thread server{start};
    clients all{server.port(), what};
    const int turns = amount(300, 2);
    for (int i = 0; i < turns / 10; ++i) all.ask_all();
    const double before = server.cpu_us();
    for (int i = 0; i < turns; ++i) all.ask_all();
    return (server.cpu_us() - before) / (turns * connections);
}

inline constexpr weft::state_key<std::string> input{"input"};
inline constexpr weft::state_key<std::string> output{"output"};

/** A server with what it needs, as long as its thread. */
struct served {
    served(asio::io_context& context, std::vector<weft::served_graph> graphs)
        : server{weft::serial_loop::of(context), weft::server_stores{store}, std::move(graphs)}
    {
    }
    weft::memory_store store;
    weft::server server;
};

benchmark figure(std::string name, std::string what, std::string goal, served_exchange of_weft,
                 served_exchange of_floor)
{
    const auto measure = [of_weft, of_floor] {
        return take_turns(
            serve_rounds, [&] { return cost_of(start_two_nodes, of_weft); },
            [&] { return cost_of(start_beast_server, of_floor); });
    };
    return {std::move(name), "us CPU per request", std::move(what), std::move(goal), measure};
}

}  // namespace

weft::graph two_nodes()
{
    return weft::graph_builder{"two"}
        .state(input, output)
        .node("first", [](weft::node_context& ctx) { ctx.set(output, "a " + ctx.get(input)); })
        .node("second", [](weft::node_context& ctx) { ctx.set(output, ctx.get(output) + " b"); })
        .edge(weft::start, "first")
        .edge("first", "second")
        .build();
}

std::uint16_t start_server(asio::io_context& context, std::vector<weft::served_graph> graphs)
{
    static thread_local std::unique_ptr<served> kept;
    kept = std::make_unique<served>(context, std::move(graphs));
    const weft::listen_address at = kept->server.listen(weft::listen_address{"127.0.0.1:0"});
    weft::async_start(kept->server.loop(), kept->server.run(), [](std::exception_ptr) {});
    return at.port();
}

std::uint16_t start_two_nodes(asio::io_context& context) { return start_server(context, {two_nodes()}); }

void serve_two_nodes()
{
    asio::io_context context{1};
    std::printf("http://127.0.0.1:%u\n", static_cast<unsigned>(start_two_nodes(context)));
    std::fflush(stdout);
    context.run();
}

benchmarks serve_benchmarks()
{
    const std::string_view run_body = R"({"assistant_id":"two","input":{"input":"hello"}})";
    const served_exchange echoed = post("/", run_body, run_body);
    return {
        figure("serve_get", "GET of some bytes; floor: Beast with asio::awaitable", "10 us", get("/ok", "true}"),
               get("/ok", "true}")),
        figure("serve_run_wait", "a run of two nodes over HTTP; floor: Beast sends the body back", "20 us",
               post("/runs/wait", run_body, "a hello b\"}"), echoed),
        figure("serve_run_stream", "the same as a stream of values; floor: Beast sends the body back", "30 us",
               post("/runs/stream", run_body, "0\r\n\r\n"), echoed),
    };
}

}  // namespace weft_bench
