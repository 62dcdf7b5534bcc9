#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "server_thread.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace weft_bench {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t stall_message_bytes = 1'000;
constexpr std::size_t state_bytes = 8'000'000;

inline constexpr weft::state_key<weft::list<weft::message>> talk{"talk"};

/** What the node writes is there before: only what the server does with it is measured. */
weft::list<weft::message> long_talk()
{
    weft::list<weft::message> all;
    const std::size_t count = amount<std::size_t>(state_bytes, 100'000) / stall_message_bytes;
    for (std::size_t i = 0; i < count; ++i) {
        std::string text = std::to_string(i) + ' ';  // no two are one blob
        text.resize(stall_message_bytes, 'm');
        all.push_back(weft::message::user(std::move(text)));
    }
    return all;
}

weft::graph talker(weft::list<weft::message> all)
{
    return weft::graph_builder{"talker"}
        .state(talk)
        .node("say", [all = std::move(all)](weft::node_context& ctx) { ctx.set(talk, all); })
        .edge(weft::start, "say")
        .build();
}

/** The longest that a loop was at work before something else had its turn, in CPU time: other programs do not count. */
struct turn_watch {
    std::atomic<double> longest_ns = 0;

    weft::task<void> run()
    {
        double last = thread_cpu_ns();
        for (;;) {
            co_await weft::yield_now();
            const double now = thread_cpu_ns();
            if (now - last > longest_ns.load()) longest_ns.store(now - last);
            last = now;
        }
    }
};

struct served_talk {
    explicit served_talk(asio::io_context& context, weft::list<weft::message> all)
        : server{weft::serial_loop::of(context), weft::server_stores{store}, {talker(std::move(all))}}
    {
    }
    weft::memory_store store;
    weft::server server;
    turn_watch turns;
};

std::string post(std::string_view target, std::string_view body)
{
    return "POST " + std::string{target} + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
           "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           std::string{body};
}

std::string get(std::string_view target)
{
    return "GET " + std::string{target} + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
}

/** Sends a request and reads the whole answer. @return  Its size. */
std::size_t ask(std::uint16_t port, const std::string& request)
{
    asio::io_context context;
    tcp::socket socket{context};
    socket.connect({asio::ip::address_v4::loopback(), port});
    asio::write(socket, asio::buffer(request));
    std::string head;
    std::array<char, 64 * 1024> bytes{};
    std::size_t read = 0;
    for (;;) {
        boost::system::error_code code;
        const std::size_t size = socket.read_some(asio::buffer(bytes), code);
        if (read == 0) head.assign(bytes.data(), size);
        read += size;
        if (code) break;
    }
    require(head.starts_with("HTTP/1.1 200"), "the server refuses");
    return read;
}

/** The longest turn while each request is answered, in ms, after one that is not measured. */
double longest_turn_ms(const std::string& request, bool is_first_measured)
{
    std::unique_ptr<served_talk> talk_server;
    server_thread server{[&](asio::io_context& context) {
        talk_server = std::make_unique<served_talk>(context, long_talk());
        const weft::listen_address at = talk_server->server.listen(weft::listen_address{"127.0.0.1:0"});
        weft::async_start(talk_server->server.loop(), talk_server->server.run(), [](std::exception_ptr) {});
        weft::async_start(talk_server->server.loop(), talk_server->turns.run(), [](std::exception_ptr) {});
        return at.port();
    }};
    // A server ends before the context that its loop is on.
    const struct in_order {
        server_thread& thread;
        std::unique_ptr<served_talk>& served;
        ~in_order()
        {
            thread.stop();
            served.reset();
        }
    } at_end{server, talk_server};
    const std::string run = R"({"assistant_id":"talker","input":{},"if_not_exists":"create"})";
    if (!is_first_measured) ask(server.port(), post("/threads/t/runs/wait", run));
    talk_server->turns.longest_ns = 0;
    const std::size_t bytes = ask(server.port(), request);
    require(bytes > amount<std::size_t>(state_bytes, 100'000), "the state is not in the answer");
    return talk_server->turns.longest_ns / 1e6;
}

/** What a server takes that makes its answer in one go. */
double in_one_go_ms()
{
    const weft::graph of = talker({});
    weft::state values{of.layout()};
    values.assign_json({{"talk", weft::to_json(long_talk())}});
    const double before = thread_cpu_ns();
    const std::string text = boost::json::serialize(values.to_json());
    const double took = thread_cpu_ns() - before;
    require(text.size() > amount<std::size_t>(state_bytes, 100'000), "the state is not in the text");
    return took / 1e6;
}

benchmark stall(std::string name, std::string what, std::string request, bool is_first_measured = false)
{
    return {std::move(name), "ms CPU",
            "longest turn of the loop while " + std::move(what) + " a state of 8 MB; floor: its JSON in one go", "<= 5",
            [request, is_first_measured] {
                return take_cold_turns(
                    5, [&] { return longest_turn_ms(request, is_first_measured); }, [] { return in_one_go_ms(); });
            }};
}

}  // namespace

benchmarks stall_benchmarks()
{
    const std::string run = R"({"assistant_id":"talker","input":{},"if_not_exists":"create"})";
    return {stall("serve_stall_run", "a run that is kept writes, and its client waits for,",
                  post("/threads/t/runs/wait", run), true),
            stall("serve_stall_alone", "a run that is not kept leaves", post("/runs/wait", run)),
            stall("serve_stall_values", "a client streams", post("/runs/stream", run)),
            stall("serve_stall_state", "a client reads", get("/threads/t/state"))};
}

}  // namespace weft_bench
