#include "stream_memory.hpp"

#include "beast_client.hpp"
#include "bench.hpp"
#include "floor.hpp"
#include "memory.hpp"
#include "stream_client.hpp"
#include "stream_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace weft_bench {

namespace {

namespace asio = boost::asio;

constexpr int warm_streams = 20;  // what a program takes for its first ones is not counted
constexpr int pieces_seen = 3;    // of each stream, before it counts

/** Prints the bytes and ends the process, once each stream has seen some pieces. The streams go on till then. */
class memory_watch {
public:
    explicit memory_watch(int streams) : streams_{streams}, before_{resident_bytes()} {}
    void on_piece()
    {
        if (++pieces_ < streams_ * pieces_seen) return;
        std::printf("%f\n", (resident_bytes() - before_) / streams_);
        std::fflush(stdout);
        _exit(0);
    }

private:
    int streams_;
    double before_;
    int pieces_ = 0;
};

class watching_sink final : public weft::chat_sink {
public:
    explicit watching_sink(memory_watch* watch) : watch_{watch} {}
    void on_text(std::string_view) override
    {
        if (watch_) watch_->on_piece();
    }

private:
    memory_watch* watch_;
};

weft::task<void> stream_once(weft::chat_model* model, const char* question, weft::chat_sink* sink)
{
    weft::chat_request request;
    request.user(question);
    const weft::chat_reply reply = co_await model->reply(std::move(request), *sink);
}

weft::task<double> hold_streams(weft::chat_model* model, int streams)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    watching_sink nothing{nullptr};
    for (int i = 0; i < warm_streams; ++i) children.spawn(stream_once(model, ask_for_word, &nothing));
    co_await children.join();
    memory_watch watch{streams};
    watching_sink sink{&watch};
    for (int i = 0; i < streams; ++i) children.spawn(stream_once(model, ask_for_stream, &sink));
    co_await children.join();
    throw std::logic_error{"the streams came to an end"};
}

asio::awaitable<void> stream_once_by_hand(beast::tls_stream* stream, std::uint16_t port, memory_watch* watch)
{
    co_await beast::connect(stream, port);
    co_await beast::ask(stream, ask_for_stream, [watch] { watch->on_piece(); });
}

asio::awaitable<double> hold_streams_by_hand(const stream_server* server, int streams)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::ssl::context tls = beast::trusting(server->ca_pem());
    beast::connections open;
    for (int i = 0; i < warm_streams; ++i) {
        open.push_back(std::make_unique<beast::tls_stream>(executor, tls));
        co_await beast::connect(open.back().get(), server->port());
        co_await beast::ask(open.back().get(), ask_for_word);
    }
    memory_watch watch{streams};
    for (int i = 0; i < streams; ++i) {
        open.push_back(std::make_unique<beast::tls_stream>(executor, tls));
        asio::co_spawn(executor, stream_once_by_hand(open.back().get(), server->port(), &watch), beast::rethrow);
    }
    countdown never{1};
    co_await never.wait();
    co_return 0.0;
}

}  // namespace

double stream_bytes_alone(const std::string& work)
{
    const int streams = std::stoi(work.substr(work.find(' ')));
    const stream_server server{stream_shape{streams, 1000, 500}};
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
