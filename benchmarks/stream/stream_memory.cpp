#include "stream_memory.hpp"

#include "beast_client.hpp"
#include "harness/bench.hpp"
#include "harness/floor.hpp"
#include "harness/memory.hpp"
#include "stream_client.hpp"
#include "stream_opening.hpp"
#include "stream_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>

#include <boost/asio/steady_timer.hpp>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>

namespace weft_bench {

namespace {

namespace asio = boost::asio;

constexpr int warm_streams = 20;  // what a program takes for its first ones is not counted
constexpr int settle_ms = 500;    // all streams have seen some pieces by then
constexpr int gap_ms = 100;
constexpr int chunks = 1'000;     // a hundred seconds: more than anybody waits for

/** The streams do not come to an end: the process does. */
[[noreturn]] void print_and_exit(double before, int streams)
{
    std::printf("%f\n", (resident_bytes() - before) / streams);
    std::fflush(stdout);
    _exit(0);
}

weft::task<void> stream_once(weft::chat_model* model, const char* question, opening_watch* watch)
{
    opening_sink sink{*watch};
    weft::chat_request request;
    request.user(question);
    const weft::chat_reply reply = co_await model->reply(std::move(request), sink);
}

weft::task<double> hold_streams(weft::chat_model* model, int streams)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    opening_watch warm;
    for (int i = 0; i < warm_streams; ++i) children.spawn(stream_once(model, ask_for_word, &warm));
    co_await children.join();
    const double before = resident_bytes();
    opening_watch watch;
    const auto make = [&] { return stream_once(model, ask_for_stream, &watch); };
    co_await open_streams(&children, &watch, streams, make);
    co_await weft::sleep_for(std::chrono::milliseconds{settle_ms});
    print_and_exit(before, streams);
}

asio::awaitable<void> stream_once_by_hand(beast::tls_stream* stream, std::uint16_t port, int* begun)
{
    const std::function<void()> count = [begun] { ++*begun; };
    co_await beast::connect(stream, port);
    co_await beast::ask(stream, ask_for_stream, count);
}

asio::awaitable<double> hold_streams_by_hand(const stream_server* server, int streams)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::ssl::context tls = beast::trusting(server->ca_pem());
    beast::connections open;
    asio::steady_timer timer{executor};
    constexpr std::chrono::milliseconds pause{1};
    for (int i = 0; i < warm_streams; ++i) {
        open.push_back(std::make_unique<beast::tls_stream>(executor, tls));
        co_await beast::connect(open.back().get(), server->port());
        co_await beast::ask(open.back().get(), ask_for_word);
    }
    const double before = resident_bytes();
    int begun = 0;
    for (int opened = 0; opened < streams; ++opened) {
        open.push_back(std::make_unique<beast::tls_stream>(executor, tls));
        asio::co_spawn(executor, stream_once_by_hand(open.back().get(), server->port(), &begun), beast::rethrow);
        while (opened + 1 - begun >= opened_at_once) {
            timer.expires_after(pause);
            co_await timer.async_wait(asio::use_awaitable);
        }
    }
    while (begun < streams) {
        timer.expires_after(pause);
        co_await timer.async_wait(asio::use_awaitable);
    }
    timer.expires_after(std::chrono::milliseconds{settle_ms});
    co_await timer.async_wait(asio::use_awaitable);
    print_and_exit(before, streams);
}

}  // namespace

double stream_bytes_alone(const std::string& work)
{
    const int streams = std::stoi(work.substr(work.find(' ')));
    const stream_server server{stream_shape{streams, chunks, gap_ms}};
    if (work.ends_with("floor")) return run_awaitable(hold_streams_by_hand(&server, streams));
    // The connections that are warm serve other streams; so they are as many more.
    weft::openai_model model = model_at(server, streams + warm_streams);
    return weft::run_blocking(hold_streams(&model, streams));
}

benchmarks stream_memory_benchmarks()
{
    return {{"stream_memory_1000", "bytes per stream",
             "memory of 1,000 open HTTPS streams through openai_model; floor: the same with Beast", "ratio <= 1.3", [] {
                 return take_cold_turns(
                     5, [] { return measure_alone("streams 1000 weft"); },
                     [] { return measure_alone("streams 1000 floor"); });
             }}};
}

}  // namespace weft_bench
