#include "alone.hpp"
#include "durable/stores.hpp"
#include "harness/bench.hpp"
#include "harness/memory.hpp"
#include "lasting_server.hpp"
#include "mass_clients.hpp"
#include "socket_crowd.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#ifdef WEFT_HAS_SQLITE
#include <weft/store/sqlite_store.hpp>
#endif

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace weft_bench {

#ifdef WEFT_HAS_SQLITE

namespace {

constexpr std::size_t asked_at_once = 100;

inline constexpr weft::state_key<std::string> reply{"reply"};

weft::task<void> ask_reader(weft::node_context* ctx)
{
    weft::task<std::string> asking = ctx->ask<std::string>("Is it good?");
    ctx->set(reply, co_await std::move(asking));
}

weft::graph asker()
{
    return weft::graph_builder{"asker"}
        .state(reply)
        .node("ask", [](weft::node_context& ctx) { return ask_reader(&ctx); })
        .edge(weft::start, "ask")
        .build();
}

std::unique_ptr<weft::sqlite_store> open_file(const std::string& file)
{
    return weft::run_blocking(weft::sqlite_store::open(weft::sqlite_options{file}));
}

std::string wait_for(std::size_t thread, std::string_view body)
{
    return post_request("/threads/t" + std::to_string(thread) + "/runs/wait", body);
}

/** Begins runs, each of which waits for an answer, and leaves as if killed. */
[[noreturn]] void park(const std::string& file, std::size_t runs)
{
    const auto store = open_file(file);
    auto* server = new lasting_server{weft::server_stores{*store}, {asker()}};
    socket_crowd crowd{server->port(), std::min(asked_at_once, runs)};
    for (std::size_t first = 0; first < runs; first += asked_at_once) {
        const auto request_of = [first](std::size_t client) {
            return wait_for(first + client, R"({"assistant_id":"asker","input":{},"if_not_exists":"create"})");
        };
        for (const whole_answer& each : crowd.ask(request_of))
            require(each.body.find("__interrupt__") != std::string::npos, each.body.c_str());
    }
    std::printf("%zu\n", runs);
    std::fflush(stdout);
    _exit(0);
}

/** Opens the store, starts the server and answers some of the runs, all at the same time. */
[[noreturn]] void answer(const std::string& file, std::size_t runs)
{
    const double begun = wall_ms();
    const auto store = open_file(file);
    auto* server = new lasting_server{weft::server_stores{*store}, {asker()}};
    whole_answer ok;
    // It is ready once its first look for work is answered.
    do {
        socket_crowd first{server->port(), 1};
        ok = first.ask([](std::size_t) { return get_request("/readyz"); }).front();
    } while (ok.status == 503 && wall_ms() - begun < 10'000);
    const double ready = wall_ms() - begun;
    require(ok.status == 200, ok.body.c_str());
    const std::size_t sample = std::min(asked_at_once, runs);
    socket_crowd crowd{server->port(), sample};
    const auto request_of = [step = runs / sample](std::size_t client) {
        return wait_for(client * step, R"({"assistant_id":"asker","command":{"resume":"yes"}})");
    };
    const std::vector<whole_answer> answers = crowd.ask(request_of);
    const double answered = wall_ms() - begun;
    for (const whole_answer& each : answers)
        require(each.body.find(R"("reply":"yes")") != std::string::npos, each.body.c_str());
    std::printf("%f %f\n", ready, answered);
    std::fflush(stdout);
    _exit(0);
}

/** When a server that starts on so many parked runs is there for its clients. */
struct parked_figures {
    double ready_ms, answered_ms;
};

const parked_figures& figures_of_parked(int runs)
{
    static std::unique_ptr<parked_figures> of_many;
    static std::unique_ptr<parked_figures> of_one;
    std::unique_ptr<parked_figures>& known = runs > 100 ? of_many : of_one;
    if (known) return *known;
    const own_folder folder;
    const std::string rest = folder.file() + ' ' + std::to_string(runs);
    require(measure_alone("parked park " + rest) == runs, "runs were not parked");
    const std::vector<double> found = measure_several_alone("parked answer " + rest);
    require(found.size() == 2, "a start with parked runs was not measured");
    known = std::make_unique<parked_figures>(parked_figures{found[0], found[1]});
    return *known;
}

}  // namespace

void serve_parked_alone(const std::string& work)
{
    std::istringstream words{work};
    std::string parked;
    std::string what;
    std::string file;
    std::size_t runs = 0;
    words >> parked >> what >> file >> runs;
    raise_open_files();
    if (what == "park") park(file, runs);
    require(what == "answer", "--alone is for the program itself");
    answer(file, runs);
}

benchmarks parked_benchmarks()
{
    const std::string what = "10,000 runs in SQLite wait for answers, the server is killed and started anew: ";
    const auto many = [] { return amount(10'000, 200); };
    constexpr int few = 100;
    return {{"serve_parked_ready", "ms", what + "until /readyz answers 200; floor: the same with 100 runs", "<= 1000",
             [many] {
                 return take_cold_turns(
                     1, [&] { return figures_of_parked(many()).ready_ms; },
                     [] { return figures_of_parked(few).ready_ms; });
             }},
            {"serve_parked_answered", "ms",
             what + "until 100 that are answered at once have ended; floor: the same with 100 runs", "<= 1000", [many] {
                 return take_cold_turns(
                     1, [&] { return figures_of_parked(many()).answered_ms; },
                     [] { return figures_of_parked(few).answered_ms; });
             }}};
}

#else

void serve_parked_alone(const std::string&) { throw std::invalid_argument{"there is no SQLite here"}; }
benchmarks parked_benchmarks() { return {}; }

#endif

}  // namespace weft_bench
