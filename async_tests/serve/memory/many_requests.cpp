// Sends requests to a server in this process, over a network in memory, and counts the bytes that are live after a
// tenth of them, after half and after all: GET /ok, runs that are waited for and streamed, mistakes of clients, and
// what is no HTTP.
//
//     many_requests [--requests 1000000]
//
// Exit status: 0, memory is flat; 1, it grows.

#include "heap_count.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/net/http_client.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/virtual_network.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using weft::testing::simulation;
using weft::testing::virtual_network;
using weft::testing::virtual_peer;
using namespace std::chrono_literals;

constexpr int clients = 16;
constexpr std::int64_t growth_max = 64 * 1024;

inline constexpr weft::state_key<std::string> name{"name"};
inline constexpr weft::state_key<std::string> greeting{"greeting"};

weft::graph greeter()
{
    return weft::graph_builder{"greeter"}
        .state(name, greeting)
        .node("look", [](weft::node_context& ctx) { ctx.emit("looking"); })
        .node("greet", [](weft::node_context& ctx) { ctx.set(greeting, "hello " + ctx.get(name)); })
        .edge(weft::start, "look")
        .edge("look", "greet")
        .build();
}

/** One of several kinds of requests, and the status that its answer must have. */
struct kind {
    const char* method;
    const char* target;
    const char* body;
    int status;
};
constexpr const char* run_body = R"({"assistant_id":"greeter","input":{"name":"Ada"}})";
constexpr std::array<kind, 8> kinds{{{"GET", "/ok", "", 200},
                                     {"POST", "/runs/wait", run_body, 200},
                                     {"GET", "/ok", "", 200},
                                     {"POST", "/runs/stream", run_body, 200},
                                     {"POST", "/runs/wait", "{", 422},
                                     {"GET", "/nothing/here", "", 404},
                                     {"POST", "/runs/wait", R"({"assistant_id":"nobody","input":{}})", 422},
                                     {"PUT", "/runs/wait", "", 405}}};

weft::task<void> send_some(weft::http_client client, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        const kind& one = kinds[i % kinds.size()];
        weft::http_request request{one.method, weft::url{std::string{"http://localhost"} + one.target}};
        if (*one.body != '\0') request.body(one.body, "application/json");
        weft::http_response answer = co_await client.send(std::move(request));
        const int status = answer.status();
        const std::string body = co_await answer.read_all(64 * 1024);
        if (status != one.status)
            throw std::runtime_error{std::string{one.target} + " is answered with " + std::to_string(status) + ": " +
                body};
    }
}

/** Connections of clients that speak no HTTP, or go away in the middle. */
weft::task<void> break_some(virtual_network& network, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        virtual_peer peer = co_await network.connect("localhost");
        co_await peer.send(i % 2 == 0 ? "nonsense\r\n\r\n" : "POST /runs/stream HTTP/1.1\r\nHost: localhost\r\nConte");
        if (i % 2 == 0) (void)co_await peer.receive();
        else co_await weft::sleep_for(2ms);
        peer.reset();
    }
}

/** Sends `count` requests, from all clients at once. */
void play(simulation& world, virtual_network& network, const weft::http_client& client, std::uint64_t count)
{
    std::deque<simulation::root<void>> all;
    for (int i = 0; i < clients; ++i) all.emplace_back(world, send_some(client, count / clients));
    all.emplace_back(world, break_some(network, count / 64));
    for (auto& each : all) {
        while (!each.has_ended()) world.step();
        each.take();
    }
}

int run(std::uint64_t requests)
{
    weft::testing::simulation_limits limits;
    limits.steps_max = SIZE_MAX;
    limits.elapsed_max = std::chrono::hours{24 * 365};
    simulation world{1, limits};
    virtual_network network{world};
    weft::memory_store store{weft::hash_key{}};
    weft::server server{world.loop(), weft::server_stores{store}, {greeter()}};
    server.listen_on(network.listen("localhost"));
    simulation::root running{world, server.run()};
    const weft::http_client client = network.client();
    const auto began = std::chrono::steady_clock::now();
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::uint64_t sent = 0;
    for (const std::uint64_t until : {requests / 10, requests / 2, requests}) {
        play(world, network, client, until - sent);
        sent = until;
        last = heap_count::live_bytes;
        if (first == 0) first = last;
        const auto span = std::chrono::steady_clock::now() - began;
        std::cout << sent << " requests: " << last << " bytes live, after "
                  << std::chrono::duration_cast<std::chrono::seconds>(span).count() << " s" << '\n' << std::flush;
    }
    std::cout << server.counts().requests << " were handled, " << server.counts().refused << " were no requests\n";
    return last - first <= growth_max ? 0 : 1;
}

}  // namespace

int main(int count, char** words)
{
    std::uint64_t requests = 1'000'000;
    const std::string_view given = count == 3 && std::string_view{words[1]} == "--requests" ? words[2] : "";
    if (count != 1 && std::from_chars(given.data(), given.data() + given.size(), requests).ec != std::errc{}) {
        std::cerr << "many_requests [--requests N]\n";
        return 1;
    }
    try {
        return run(requests);
    } catch (const std::exception& e) {
        std::cerr << "many_requests: " << e.what() << '\n';
        return 1;
    }
}
