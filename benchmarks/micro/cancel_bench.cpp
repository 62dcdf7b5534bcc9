#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/floor.hpp"
#include "stream/beast_client.hpp"
#include "stream/stream_client.hpp"
#include "stream/stream_opening.hpp"
#include "stream/stream_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/model/model_error.hpp>

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace weft_bench {

namespace {

namespace asio = boost::asio;

// Streams go on for ten minutes, longer than anybody waits for. The server lays out the whole of each beforehand, so
// that chunks are memory: a hundred for each of 10,000 streams are some 200 MB.
constexpr int chunks = 100;
constexpr int gap_ms = 6'000;

/** When each of so many streams was closed. */
struct cancel_watch {
    explicit cancel_watch(int streams) : streams{streams} {}

    const int streams;
    double stopped_at = 0;
    std::vector<double> closed_after;  // in ms

    void closed() { closed_after.push_back(wall_ms() - stopped_at); }

    [[nodiscard]] double p99()
    {
        require(closed_after.size() == static_cast<std::size_t>(streams), "a stream was not closed");
        std::sort(closed_after.begin(), closed_after.end());
        return closed_after[closed_after.size() * 99 / 100];
    }
};

weft::task<void> stream_until_stopped(weft::chat_model* model, opening_watch* opening, cancel_watch* watch)
{
    opening_sink sink{*opening};
    weft::chat_request request;
    request.user(ask_for_stream);
    try {
        const weft::chat_reply reply = co_await model->reply(std::move(request), sink);
    } catch (const weft::model_error& e) {
        require(e.code() == weft::errc::cancelled, e.what());
    }
    watch->closed();  // the response went with the frames that held it
}

weft::task<double> time_cancel(weft::chat_model* model, weft::http_client client, int streams)
{
    cancel_watch watch{streams};
    opening_watch opening;
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    const auto make = [&] { return stream_until_stopped(model, &opening, &watch); };
    co_await open_streams(&children, &opening, streams, make);
    require(client.counts().open == static_cast<std::uint64_t>(streams), "a stream has no connection of its own");
    watch.stopped_at = wall_ms();
    children.request_stop();
    co_await children.join();
    require(client.counts().open == 0, "a connection was left open");
    co_return watch.p99();
}

double weft_cancel_ms(const stream_server& server, int streams)
{
    const weft::http_client client = client_for(server, streams);
    weft::openai_model model = model_at(server, client);
    return weft::run_blocking(time_cancel(&model, client, streams));
}

/** Sockets of this process. */
std::ptrdiff_t count_sockets()
{
    std::ptrdiff_t count = 0;
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator{"/proc/self/fd"})
        if (std::filesystem::read_symlink(file.path(), ignored).string().starts_with("socket:")) ++count;
    return count;
}

using clock_function = double (*)() noexcept;

double thread_cpu_ms() noexcept { return thread_cpu_ns() / 1e6; }

/** From the stop until the last socket is closed, by when the stop itself returns. */
weft::task<double> time_stop(weft::chat_model* model, int streams, clock_function now_ms)
{
    cancel_watch watch{streams};
    opening_watch opening;
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    const std::ptrdiff_t before = count_sockets();
    const auto make = [&] { return stream_until_stopped(model, &opening, &watch); };
    co_await open_streams(&children, &opening, streams, make);
    require(count_sockets() >= before + streams, "a stream has no socket of its own");
    const double begun = now_ms();
    children.request_stop();
    const double took = now_ms() - begun;
    require(count_sockets() <= before, "a stop returns before all sockets are closed");
    co_await children.join();
    co_return took;
}

template <clock_function now_ms>
double weft_stop_ms(const stream_server& server, int streams)
{
    weft::openai_model model = model_at(server, streams);
    return weft::run_blocking(time_stop(&model, streams, now_ms));
}

struct note_moment {
    double* at;
    void operator()() const noexcept { *at = wall_ms(); }
};
using loops_meet = std::barrier<note_moment>;

/** One of several loops that are stopped at the same moment.
 *  @param before   How many sockets there were without all of their streams. */
weft::task<void> stop_at_once(weft::chat_model* model, int streams, std::ptrdiff_t before, loops_meet* open,
                              loops_meet* closed)
{
    cancel_watch watch{streams};
    opening_watch opening;
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    const auto make = [&] { return stream_until_stopped(model, &opening, &watch); };
    co_await open_streams(&children, &opening, streams, make);
    open->arrive_and_wait();  // holds the loop, which has nothing to do
    children.request_stop();
    closed->arrive_and_wait();
    require(count_sockets() <= before, "a stop returns before all sockets are closed");
    co_await children.join();
}

/** Two loops, each on an OS thread of its own: until the later of them has closed its sockets. */
double weft_stop_two_loops_ms(const stream_server& server, int streams)
{
    constexpr int loops = 2;
    const std::ptrdiff_t before = count_sockets();
    double begun = 0;
    double ended = 0;
    loops_meet open{loops, note_moment{&begun}};
    loops_meet closed{loops, note_moment{&ended}};
    const auto run_loop = [&] {
        weft::openai_model model = model_at(server, streams / loops);
        weft::run_blocking(stop_at_once(&model, streams / loops, before, &open, &closed));
    };
    std::thread other{run_loop};
    run_loop();
    other.join();
    return ended - begun;
}

struct hand_watch {
    cancel_watch times;
    int begun = 0;
    countdown ended;
};

asio::awaitable<void> stream_until_closed(beast::tls_stream* stream, std::uint16_t port, hand_watch* watch)
{
    const std::function<void()> count = [watch] { ++watch->begun; };
    co_await beast::connect(stream, port);
    try {
        co_await beast::ask(stream, ask_for_stream, count);
    } catch (const std::runtime_error&) {  // the stream broke: it was closed here
    }
    watch->times.closed();
    watch->ended.arrive();
}

/** @param only_sockets   Gives the time until all sockets are closed, by this clock; null: that until all readers
 *                        know it. */
asio::awaitable<double> time_close(const stream_server* server, int streams, clock_function only_sockets)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::ssl::context tls = beast::trusting(server->ca_pem());
    hand_watch watch{cancel_watch{streams}, 0, countdown{static_cast<std::size_t>(streams)}};
    beast::connections open;
    asio::steady_timer timer{executor};
    constexpr std::chrono::milliseconds pause{1};
    for (int opened = 0; opened < streams; ++opened) {
        open.push_back(std::make_unique<beast::tls_stream>(executor, tls));
        asio::co_spawn(executor, stream_until_closed(open.back().get(), server->port(), &watch), beast::rethrow);
        while (opened + 1 - watch.begun >= opened_at_once) {
            timer.expires_after(pause);
            co_await timer.async_wait(asio::use_awaitable);
        }
    }
    while (watch.begun < streams) {
        timer.expires_after(pause);
        co_await timer.async_wait(asio::use_awaitable);
    }
    watch.times.stopped_at = wall_ms();
    const double begun = only_sockets ? only_sockets() : 0;
    for (auto& stream : open) stream->lowest_layer().close();
    const double closed = only_sockets ? only_sockets() - begun : 0;
    co_await watch.ended.wait();
    co_return only_sockets ? closed : watch.times.p99();
}

using stop_function = double (*)(const stream_server& server, int streams);

benchmark stop_sockets(std::string name, std::string unit, std::string what, stop_function stop, clock_function now_ms)
{
    return {std::move(name), std::move(unit), std::move(what), "<= 100", [stop, now_ms] {
                const int streams = allowed_streams(amount(10'000, 100));
                const stream_server server{stream_shape{streams, chunks, gap_ms}};
                return take_cold_turns(
                    1, [&] { return stop(server, streams); },
                    [&] { return run_awaitable(time_close(&server, streams, now_ms)); });
            }};
}

}  // namespace

benchmarks cancel_benchmarks()
{
    return {{"cancel_10000", "ms",
             "stopping 10,000 streaming calls, or as many as files may be open: from the stop to the closed socket, "
             "p99; floor: closing the sockets with Beast",
             "<= 50", [] {
                 const int streams = allowed_streams(amount(10'000, 100));
                 const stream_server server{stream_shape{streams, chunks, gap_ms}};
                 return take_cold_turns(
                     1, [&] { return weft_cancel_ms(server, streams); },
                     [&] { return run_awaitable(time_close(&server, streams, nullptr)); });
             }},
            stop_sockets("stop_sockets_10000", "ms",
                         "as cancel_10000, from the stop to the last closed socket; floor: closing them with Beast",
                         &weft_stop_ms<wall_ms>, &wall_ms),
            stop_sockets("stop_sockets_10000_two_loops", "ms",
                         "stop_sockets_10000 on two loops; floor: one loop of Beast", &weft_stop_two_loops_ms,
                         &wall_ms),
            stop_sockets("stop_sockets_cpu_10000", "ms CPU", "stop_sockets_10000 in CPU time",
                         &weft_stop_ms<thread_cpu_ms>, &thread_cpu_ms)};
}

}  // namespace weft_bench
