#include "harness/bench.hpp"
#include "mass_clients.hpp"
#include "serve_bench.hpp"
#include "serve_floor.hpp"
#include "server_thread.hpp"
#include "socket_crowd.hpp"

#include <weft/async/sleep.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace weft_bench {

namespace {

namespace asio = boost::asio;

constexpr std::string_view run_body = R"({"assistant_id":"two","input":{"input":"hello"}})";

/** What is asked, and how a client sees that its answer has begun and is whole. */
struct exchange {
    std::string request;
    std::string_view first;
    std::string_view end;
};

/** So many clients ask at the same moment, again and again: from the request of each to its first event, in ms. */
double first_event_ms(const server_thread::start_function& start, const exchange& what, double share)
{
    raise_open_files();
    server_thread server{start};
    socket_crowd crowd{server.port(), amount<std::size_t>(1'000, 50)};
    const auto request_of = [&what](std::size_t) { return what.request; };
    std::vector<double> all;
    constexpr int rounds = 5;
    for (int round = 0; round <= rounds; ++round) {
        const std::vector<double> times = crowd.ask_until(request_of, what.first);
        crowd.read_until(what.end);
        if (round > 0) all.insert(all.end(), times.begin(), times.end());
    }
    return share_of(std::move(all), share);
}

weft::task<void> think(weft::node_context*) { co_await weft::sleep_for(std::chrono::minutes{10}); }

weft::graph thinker()
{
    return weft::graph_builder{"thinker"}
        .node("think", [](weft::node_context& ctx) { return think(&ctx); })
        .edge(weft::start, "think")
        .build();
}

std::uint16_t start_thinker(asio::io_context& context) { return start_server(context, {two_nodes(), thinker()}); }

/** One client asks again and again, while the streams of so many others are open and their runs are under way. */
double first_event_beside_ms(std::size_t others)
{
    raise_open_files();
    server_thread server{start_thinker};
    socket_crowd streams{server.port(), others};
    const std::string thinking = post_request("/runs/stream", R"({"assistant_id":"thinker","input":{}})");
    streams.ask_until([&](std::size_t) { return thinking; }, "\ndata: ");
    socket_crowd one{server.port(), 1};
    std::vector<double> all;
    for (int i = 0; i < amount(2'000, 20); ++i) {
        const auto request_of = [](std::size_t) { return post_request("/runs/stream", run_body); };
        all.push_back(one.ask_until(request_of, "\ndata: ").front());
        one.read_until("0\r\n\r\n");
    }
    return share_of(std::move(all), 0.99);
}

benchmark first_event(std::string name, std::string which, std::string goal, double share)
{
    const exchange of_weft{post_request("/runs/stream", run_body), "\ndata: ", "0\r\n\r\n"};
    const exchange of_floor{post_request("/", run_body), "\r\n\r\n", run_body};
    return {std::move(name), "ms",
            "from the request to the first event of a run of two nodes, " + which +
                " of 1,000 clients that ask at the same moment; floor: Beast sends the body back",
            std::move(goal), [of_weft, of_floor, share] {
                return take_turns(
                    3, [&] { return first_event_ms(start_two_nodes, of_weft, share); },
                    [&] { return first_event_ms(start_beast_server, of_floor, share); });
            }};
}

}  // namespace

benchmarks first_event_benchmarks()
{
    return {first_event("serve_first_event_p50", "the middle", "", 0.5),
            first_event("serve_first_event_p99", "p99", "<= 5", 0.99),
            {"serve_first_event_beside", "ms",
             "the same, p99 of a client that asks while the streams of 1,000 others are open; floor: without them",
             "<= 5", [] {
                 return take_turns(
                     3, [] { return first_event_beside_ms(amount<std::size_t>(1'000, 50)); },
                     [] { return first_event_beside_ms(0); });
             }}};
}

}  // namespace weft_bench
