#include "stream_floor.hpp"

#include "beast_client.hpp"
#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/floor.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace asio = boost::asio;

namespace weft_bench {

namespace {

using beast::ask;
using beast::connect;
using beast::connections;
using beast::reading;
using beast::rethrow;
using beast::tls_stream;
using beast::trusting;

asio::awaitable<void> connect_and_ask(tls_stream* stream, std::uint16_t port, countdown* join)
{
    co_await connect(stream, port);
    co_await ask(stream, ask_for_word);
    join->arrive();
}

asio::awaitable<void> read_stream(tls_stream* stream, std::size_t* bytes, countdown* join)
{
    const reading got = co_await ask(stream, ask_for_stream);
    *bytes += got.bytes;
    join->arrive();
}

asio::awaitable<double> time_streams(const stream_server* server, stream_shape shape)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::ssl::context tls = trusting(server->ca_pem());
    connections open;
    countdown warm{static_cast<std::size_t>(shape.streams)};
    for (int i = 0; i < shape.streams; ++i) {
        open.push_back(std::make_unique<tls_stream>(executor, tls));
        asio::co_spawn(executor, connect_and_ask(open.back().get(), server->port(), &warm), rethrow);
    }
    co_await warm.wait();

    std::size_t bytes = 0;
    countdown done{static_cast<std::size_t>(shape.streams)};
    const double before = thread_cpu_ns();
    for (auto& stream : open) asio::co_spawn(executor, read_stream(stream.get(), &bytes, &done), rethrow);
    co_await done.wait();
    const double cost = (thread_cpu_ns() - before) / 1000 / shape.streams / shape.chunks;
    require(bytes > static_cast<std::size_t>(shape.streams * shape.chunks) * 50,
            "the streams read with Beast were short");
    co_return cost;
}

asio::awaitable<double> time_first_token(const stream_server* server, int requests)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::ssl::context tls = trusting(server->ca_pem());
    tls_stream stream{executor, tls};
    co_await connect(&stream, server->port());
    std::vector<double> times;
    for (int i = 0; i < requests; ++i) {
        const double before = wall_ms();
        const reading got = co_await ask(&stream, ask_for_word);
        times.push_back(got.first_at - before);
    }
    co_return median_of(std::move(times));
}

}  // namespace

double median_of(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double beast_us_per_chunk(const stream_server& server, const stream_shape& shape)
{
    return run_awaitable(time_streams(&server, shape));
}

double beast_first_token_ms(const stream_server& server, int requests)
{
    return run_awaitable(time_first_token(&server, requests));
}

}  // namespace weft_bench
