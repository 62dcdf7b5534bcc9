#include "beast_client.hpp"
#include "bench.hpp"
#include "cpu_clock.hpp"
#include "floor.hpp"
#include "stream_client.hpp"
#include "stream_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/signal.hpp>
#include <weft/model/model_error.hpp>

#include <boost/asio/redirect_error.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace weft_bench {

namespace {

namespace asio = boost::asio;

constexpr int shape_chunks = 10'000;  // more than anybody waits for
constexpr int shape_gap_ms = 5'000;

/** Where so many streams are: how many have begun, and when each was closed. */
struct cancel_watch {
    explicit cancel_watch(int streams) : streams{streams} {}

    void began()
    {
        if (++begun == streams) all_began.notify();
    }

    const int streams;
    int begun = 0;
    weft::signal all_began;
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

class first_piece_sink final : public weft::chat_sink {
public:
    explicit first_piece_sink(cancel_watch& watch) : watch_{watch} {}
    void on_text(std::string_view) override
    {
        if (!std::exchange(has_begun_, true)) watch_.began();
    }

private:
    cancel_watch& watch_;
    bool has_begun_ = false;
};

weft::task<void> stream_until_stopped(weft::chat_model* model, cancel_watch* watch)
{
    first_piece_sink sink{*watch};
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
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    for (int i = 0; i < streams; ++i) children.spawn(stream_until_stopped(model, &watch));
    co_await watch.all_began.wait();
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

struct hand_watch {
    cancel_watch times;
    countdown began;
    countdown ended;
};

asio::awaitable<void> stream_until_closed(beast::tls_stream* stream, std::uint16_t port, hand_watch* watch)
{
    co_await beast::connect(stream, port);
    bool has_begun = false;
    try {
        co_await beast::ask(stream, ask_for_stream, [&] {
            if (!std::exchange(has_begun, true)) watch->began.arrive();
        });
    } catch (const std::runtime_error&) {  // the stream broke: it was closed here
    }
    watch->times.closed();
    watch->ended.arrive();
}

asio::awaitable<double> time_close(const stream_server* server, int streams)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::ssl::context tls = beast::trusting(server->ca_pem());
    const auto count = static_cast<std::size_t>(streams);
    hand_watch watch{cancel_watch{streams}, countdown{count}, countdown{count}};
    beast::connections open;
    for (int i = 0; i < streams; ++i) {
        open.push_back(std::make_unique<beast::tls_stream>(executor, tls));
        asio::co_spawn(executor, stream_until_closed(open.back().get(), server->port(), &watch), beast::rethrow);
    }
    co_await watch.began.wait();
    watch.times.stopped_at = wall_ms();
    for (auto& stream : open) stream->lowest_layer().close();
    co_await watch.ended.wait();
    co_return watch.times.p99();
}

}  // namespace

benchmarks cancel_benchmarks()
{
    return {{"cancel_10000", "ms",
             "stopping 10,000 streaming calls, or as many as files may be open: from the stop to the closed socket, "
             "p99; floor: closing the sockets with Beast",
             "<= 50", [] {
                 const int streams = allowed_streams(10'000);
                 const stream_server server{stream_shape{streams, shape_chunks, shape_gap_ms}};
                 return take_cold_turns(
                     3, [&] { return weft_cancel_ms(server, streams); },
                     [&] { return run_awaitable(time_close(&server, streams)); });
             }}};
}

}  // namespace weft_bench
