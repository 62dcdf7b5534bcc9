#include "alone.hpp"
#include "audience_floor.hpp"
#include "harness/bench.hpp"
#include "harness/memory.hpp"
#include "lasting_server.hpp"
#include "mass_clients.hpp"
#include "socket_crowd.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/json/parse.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace weft_bench {

namespace {

using std::chrono::milliseconds;

weft::task<void> talk_on(weft::node_context* ctx, talk* what)
{
    while (!what->may_begin) co_await weft::sleep_for(milliseconds{5});
    for (std::size_t i = 0; i < what->events; ++i) {
        ctx->emit("chatter", what->text);
        if (what->gap > milliseconds{0}) co_await weft::sleep_for(what->gap);
        else co_await weft::yield_now();
    }
    ctx->emit("chatter", last_word);
    what->has_ended = true;
    while (!what->may_leave) co_await weft::sleep_for(milliseconds{5});
}

weft::graph graph_that_talks(talk* what)
{
    return weft::graph_builder{"talker"}
        .node("talk", [what](weft::node_context& ctx) { return talk_on(&ctx, what); })
        .edge(weft::start, "talk")
        .build();
}

void wait_for(const std::atomic<bool>& flag)
{
    while (!flag) std::this_thread::sleep_for(milliseconds{1});
    std::this_thread::sleep_for(milliseconds{500});  // what is under way comes to rest
}

/** Begins a run of a thread. @return  The request of what follows it. */
std::string begin_run(std::uint16_t port, const std::string& thread)
{
    socket_crowd one{port, 1};
    const std::string path = "/threads/" + thread + "/runs";
    const whole_answer answer = one.ask([&](std::size_t) {
        return post_request(path, R"({"assistant_id":"talker","input":{},"if_not_exists":"create"})");
    }).front();
    require(answer.status == 200, answer.body.c_str());
    const std::string run{boost::json::parse(answer.body).at("run_id").as_string()};
    return get_request(path + "/" + run + "/stream?stream_mode=custom");
}

/** CPU of the server for an event and a subscriber, in us. */
template <class Server>
double fan_out_us(Server& server, socket_crowd& crowd, const std::string& request, std::size_t clients, talk& what)
{
    crowd.ask_until([&](std::size_t) { return request; }, "\r\n\r\n");
    std::this_thread::sleep_for(milliseconds{500});
    const double before = server.cpu_us();
    what.may_begin = true;
    crowd.read_until(last_word);
    return (server.cpu_us() - before) / static_cast<double>(clients * (what.events + 1));
}

/** What the kernel keeps that a local port has written, in bytes. */
double unsent_bytes(std::uint16_t port)
{
    std::ifstream table{"/proc/net/tcp"};
    std::string line;
    std::getline(table, line);
    double sum = 0;
    while (std::getline(table, line)) {
        unsigned from = 0;
        unsigned long queued = 0;
        if (std::sscanf(line.c_str(), " %*d: %*x:%x %*x:%*x %*x %lx:", &from, &queued) == 2 && from == port)
            sum += static_cast<double>(queued);
    }
    return sum;
}

/** Bytes that are held for a subscriber that reads nothing. */
double stalled_bytes(std::uint16_t port, const std::string& request, std::size_t clients, talk& what, double live)
{
    socket_crowd crowd{port, clients};
    crowd.ask_until([&](std::size_t) { return request; }, "\r\n\r\n");
    what.may_begin = true;
    wait_for(what.has_ended);
    return (live_bytes() - live + unsent_bytes(port)) / static_cast<double>(clients);
}

/** What the same run adds that is not followed. */
double unheard_bytes(std::uint16_t port, talk& what)
{
    const double before = live_bytes();
    begin_run(port, "unheard");
    what.may_begin = true;
    wait_for(what.has_ended);
    const double added = live_bytes() - before;
    what.may_leave = true;
    std::this_thread::sleep_for(milliseconds{500});
    what.may_begin = what.has_ended = what.may_leave = false;
    return added;
}

[[noreturn]] void tell(double figure)
{
    std::printf("%f\n", figure);
    std::fflush(stdout);
    _exit(0);
}

[[noreturn]] void measure_floor(bool is_stalled, std::size_t clients, talk& what)
{
    auto* server = new beast_audience{what, clients};
    const std::string request = get_request("/");
    const double live = live_bytes();
    if (is_stalled) tell(stalled_bytes(server->port(), request, clients, what, live));
    socket_crowd crowd{server->port(), clients};
    tell(fan_out_us(*server, crowd, request, clients, what));
}

[[noreturn]] void measure_weft(bool is_stalled, std::size_t clients, talk& what)
{
    weft::memory_store store;
    auto* server = new lasting_server{weft::server_stores{store}, {graph_that_talks(&what)}};
    const std::uint16_t port = server->port();
    if (!is_stalled) {
        const std::string request = begin_run(port, "heard");
        socket_crowd crowd{port, clients};
        tell(fan_out_us(*server, crowd, request, clients, what));
    }
    const double unheard = unheard_bytes(port, what);
    const double live = live_bytes();
    tell(stalled_bytes(port, begin_run(port, "stalled"), clients, what, live + unheard));
}

measurement measure(const std::string& kind, int clients, int rounds)
{
    const std::string work = "audience " + kind + ' ' + std::to_string(amount(clients, 20));
    return take_cold_turns(
        rounds, [&] { return measure_alone(work); }, [&] { return measure_alone(work + " floor"); });
}

}  // namespace

void serve_audience_alone(const std::string& work)
{
    std::istringstream words{work};
    std::string audience;
    std::string kind;
    std::string floor;
    std::size_t clients = 0;
    words >> audience >> kind >> clients >> floor;
    raise_open_files();
    const bool is_stalled = kind == "stalled";
    require(is_stalled || kind == "fan_out", "--alone is for the program itself");
    talk what;
    what.events = is_stalled ? 10'000 : 100;
    what.gap = milliseconds{is_stalled ? 0 : 25};
    what.text = std::string(is_stalled ? 500 : 200, 'w');
    if (floor.empty()) measure_weft(is_stalled, clients, what);
    measure_floor(is_stalled, clients, what);
}

benchmarks audience_benchmarks()
{
    return {{"serve_fan_out_1000", "us CPU",
             "a run tells 1,000 event streams of each event: per event and stream; floor: Beast writes the same bytes",
             "ratio <= 1.2", [] { return measure("fan_out", 1'000, 3); }},
            {"serve_stalled_1000", "bytes per client",
             "1,000 event streams of a run that says much, whose clients read nothing: what is allocated, and what the "
             "kernel has of it; floor: Beast, which drops what is not taken",
             "<= 65536", [] { return measure("stalled", 1'000, 1); }}};
}

}  // namespace weft_bench
