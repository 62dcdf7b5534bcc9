#include "mass_bench.hpp"

#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/memory.hpp"
#include "mass_clients.hpp"
#include "mass_floor.hpp"
#include "stream/stream_client.hpp"
#include "stream/stream_server.hpp"

#include <weft/agent/react_agent.hpp>
#include <weft/async/async_start.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/asio/io_context.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

namespace weft_bench {

namespace {

namespace asio = boost::asio;
using std::chrono::seconds;

/** How many clients there are and how fast each stream is: 4,000 pieces a second in all. Streams do not come to an end
 *  before they are measured, and the upstream lays each out beforehand. */
stream_shape mass_shape_of(int clients)
{
    return {clients, 240, std::max(clients / 4, 100)};
}

constexpr seconds settle{1};
constexpr seconds window{5};

enum class server_kind { agent, thread, floor };

server_kind kind_of(const std::string& name)
{
    if (name == "agent") return server_kind::agent;
    if (name == "thread") return server_kind::thread;
    require(name == "floor", "--alone is for the program itself");
    return server_kind::floor;
}

/** Both ends of a stream are open files of the server's process, and of nothing else more are open. */
int allowed_clients(int wanted)
{
    constexpr std::size_t others = 40;
    return std::min(wanted, static_cast<int>((raise_open_files() - others) / 2));
}

std::string request_for(server_kind kind)
{
    std::string body = std::string{R"({"assistant_id":"agent","stream_mode":["messages-tuple"],)"} +
                       R"("input":{"messages":[{"role":"user","content":")" + ask_for_stream + R"("}]})";
    // Of a thread, a run is kept in the store, with its events.
    const bool is_kept = kind == server_kind::thread;
    body += is_kept ? R"(,"if_not_exists":"create"})" : "}";
    const std::string path = is_kept ? std::string{"/threads/"} + client_number + "/runs/stream" : "/runs/stream";
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

/** A server of one agent, whose model streams over TLS. */
struct served_agent {
    served_agent(asio::io_context& context, const stream_server& upstream, int clients)
        : server{weft::serial_loop::of(context), weft::server_stores{store}, {agent_at(upstream, clients)},
                 options_for(clients)}
    {
    }

    static weft::graph agent_at(const stream_server& upstream, int clients)
    {
        weft::react_options options;
        options.settings.system = "You answer at length.";
        const auto model = std::make_shared<weft::openai_model>(model_at(upstream, clients));
        return weft::react_agent{model, std::move(options)}.graph();
    }
    static weft::server_options options_for(int clients)
    {
        weft::server_options options;
        options.runs_max = options.http.connections_max = static_cast<std::size_t>(clients) + 10;
        options.heartbeat = seconds{60};
        return options;
    }

    weft::memory_store store;
    weft::server server;
};

/** Told apart: what a process takes for its clients, and what it takes at all. */
struct process_size {
    double resident = resident_bytes();
    double live = live_bytes();
};

/** Beside the loop, which is on the first OS thread as in a server. */
[[noreturn]] void measure(mass_clients& clients, std::uint16_t port, int count)
{
    const process_size before;
    const opening_times times = clients.open(port);
    std::this_thread::sleep_for(settle);
    const process_size begun;
    const double events = static_cast<double>(clients.events());
    const double cpu = process_cpu_us();
    std::this_thread::sleep_for(window);
    const double spent = process_cpu_us() - cpu;
    const double read = static_cast<double>(clients.events()) - events;
    const process_size later;
    clients.leave();  // or they say that their streams ended
    std::printf("%d %f %f %f %f %f %f %f %f %f %f\n", count, begun.resident, (begun.resident - before.resident) / count,
                (begun.live - before.live) / count, (later.live - begun.live) / read, spent / read, times.event_p50,
                times.event_p99, times.token_p50, times.token_p99, read);
    std::fflush(stdout);
    _exit(0);
}

/** The figures of a process, as it prints them. */
struct figures {
    double clients, resident, resident_each, live_each, live_growth, cpu, event_p50, event_p99, token_p50, token_p99,
        read;
};

/** A measurement takes half a minute: each is made once, for all figures. */
const figures& figures_of(int clients, const std::string& kind)
{
    static std::map<std::pair<int, std::string>, figures> known;
    const auto [place, is_new] = known.try_emplace({clients, kind});
    if (!is_new) return place->second;
    const std::vector<double> found =
        measure_several_alone("mass " + std::to_string(clients) + ' ' + kind);
    require(found.size() == 11, "a server of many clients was not measured");
    place->second = {found[0], found[1], found[2], found[3], found[4], found[5],
                     found[6], found[7], found[8], found[9], found[10]};
    return place->second;
}

using figure_function = double (*)(const figures& of);

benchmark figure(int clients, std::string name, std::string unit, std::string what, std::string goal,
                 figure_function take, const std::string& kind = "agent")
{
    return {std::move(name), std::move(unit), std::move(what), std::move(goal), [clients, take, kind] {
                const int count = amount(clients, 50);
                return take_cold_turns(
                    1, [&] { return take(figures_of(count, kind)); },
                    [&] { return take(figures_of(count, "floor")); });
            }};
}

}  // namespace

void serve_mass_alone(const std::string& work)
{
    std::istringstream words{work};
    std::string mass;
    std::string name;
    int clients = 0;
    words >> mass >> clients >> name;
    const server_kind kind = kind_of(name);
    clients = allowed_clients(clients);
    const stream_server upstream{mass_shape_of(clients)};
    mass_clients crowd{clients, request_for(kind), "piece"};
    asio::io_context context{1};
    std::unique_ptr<served_agent> agent;
    std::uint16_t port = 0;
    if (kind == server_kind::floor) {
        port = start_beast_relay(context, upstream);
    } else {
        agent = std::make_unique<served_agent>(context, upstream, clients);
        port = agent->server.listen(weft::listen_address{"127.0.0.1:0"}).port();
        weft::async_start(agent->server.loop(), agent->server.run(), [](std::exception_ptr error) {
            if (error) std::rethrow_exception(error);
        });
    }
    std::thread beside{[&] { measure(crowd, port, clients); }};
    context.run();
    beside.join();
    throw std::logic_error{"the server of many clients has ended"};
}

benchmarks mass_benchmarks()
{
    const std::string whole = "clients that each stream an agent whose model streams over TLS; floor: a relay with "
                              "Beast, which makes nothing of the bytes";
    benchmarks all;
    for (const int clients : {1'000, 10'000}) {
        const std::string count = std::to_string(clients);
        const std::string as = "as serve_mass_" + count + ": ";
        const bool is_largest = clients == 10'000;
        all.push_back(figure(clients, "serve_mass_" + count, "MB",
                             "memory of a server with " + count +
                                 (is_largest ? " (or half of the files that may be open) " : " ") + whole,
                             is_largest ? "<= 640" : "", [](const figures& of) { return of.resident / 1e6; }));
        all.push_back(figure(clients, "serve_mass_each_" + count, "bytes per client",
                             as + "what a client adds to the process", "",
                             [](const figures& of) { return of.resident_each; }));
        all.push_back(figure(clients, "serve_mass_live_" + count, "bytes per client", as + "of that, what is allocated",
                             "", [](const figures& of) { return of.live_each; }));
        all.push_back(figure(clients, "serve_mass_cpu_" + count, "us CPU per chunk",
                             as + "from the model's TLS to the client's socket", "",
                             [](const figures& of) { return of.cpu; }));
        all.push_back(figure(clients, "serve_mass_event_" + count, "ms",
                             as + "from the request to the first event, p99, 100 at once", "",
                             [](const figures& of) { return of.event_p99; }));
        all.push_back(figure(clients, "serve_mass_token_" + count, "ms",
                             as + "from the request to the model's first text, p99, 100 at once", "",
                             [](const figures& of) { return of.token_p99; }));
    }
    return all;
}

}  // namespace weft_bench
