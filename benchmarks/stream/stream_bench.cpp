#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "stream_client.hpp"
#include "stream_curl.hpp"
#include "stream_floor.hpp"
#include "stream_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

class counting_sink final : public weft::chat_sink {
public:
    void on_text(std::string_view) override
    {
        if (pieces_++ == 0) first_at_ = wall_ms();
    }
    [[nodiscard]] int pieces() const noexcept { return pieces_; }
    [[nodiscard]] double first_at() const noexcept { return first_at_; }

private:
    int pieces_ = 0;
    double first_at_ = 0;
};

weft::task<void> ask(weft::chat_model* model, std::string question, weft::chat_sink* sink)
{
    weft::chat_request request;
    request.user(std::move(question));
    const weft::chat_reply reply = co_await model->reply(std::move(request), *sink);
    require(reply.stop == weft::stop_reason::stop, "a reply was not complete");
}

weft::task<void> ask_at_once(weft::chat_model* model, int streams, const char* question, weft::chat_sink* sink)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    for (int i = 0; i < streams; ++i) children.spawn(ask(model, question, sink));
    co_await children.join();
}

std::ptrdiff_t count_threads()
{
    return std::distance(std::filesystem::directory_iterator{"/proc/self/task"}, {});
}

weft::task<double> time_streams(weft::chat_model* model, stream_shape shape)
{
    const std::ptrdiff_t threads = count_threads();  // with those that rows before have left
    counting_sink warm;
    co_await ask_at_once(model, shape.streams, ask_for_word, &warm);  // opens the connections
    counting_sink sink;
    const double before = thread_cpu_ns();
    co_await ask_at_once(model, shape.streams, ask_for_stream, &sink);
    const double cost = (thread_cpu_ns() - before) / 1000 / shape.streams / shape.chunks;
    require(sink.pieces() == shape.streams * shape.chunks, "the streams of the model were short");
    require(count_threads() <= threads + 1, "streams use OS threads");  // one is for name lookups
    co_return cost;
}

double weft_us_per_chunk(const stream_server& server, const stream_shape& shape)
{
    weft::openai_model model = model_at(server, shape.streams);
    return weft::run_blocking(time_streams(&model, shape));
}

weft::task<double> time_first_token(weft::chat_model* model, int requests)
{
    counting_sink warm;
    co_await ask(model, ask_for_word, &warm);
    std::vector<double> times;
    for (int i = 0; i < requests; ++i) {
        counting_sink sink;
        const double before = wall_ms();
        co_await ask(model, ask_for_word, &sink);
        times.push_back(sink.first_at() - before);
    }
    co_return median_of(std::move(times));
}

double weft_first_token_ms(const stream_server& server, int requests)
{
    weft::openai_model model = model_at(server, 1);
    return weft::run_blocking(time_first_token(&model, requests));
}

stream_shape stream_shape_of(int streams)
{
    return {streams, streams > 1000 ? 50 : 100, streams / 25};  // 25,000 chunks a second
}

benchmark streams(int count, int rounds)
{
    const stream_shape shape = stream_shape_of(count);
    return {"stream_" + std::to_string(count), "us CPU per chunk",
            "HTTPS streams at once, " + std::to_string(shape.chunks) +
                " SSE chunks each, through openai_model; floor: read with Beast",
            "ratio <= 1", [count, rounds] {
                const stream_shape shape = stream_shape_of(amount(count, 20));
                const stream_server server{shape};
                const auto by_weft = [&] { return weft_us_per_chunk(server, shape); };
                const auto by_hand = [&] { return beast_us_per_chunk(server, shape); };
                return rounds > 1 ? take_turns(rounds, by_weft, by_hand) : take_cold_turns(1, by_weft, by_hand);
            }};
}

#ifdef WEFT_WITH_CURL
benchmark streams_beside_curl(int count)
{
    return {"stream_curl_" + std::to_string(count), "us CPU per chunk",
            "as stream_" + std::to_string(count) + "; floor: read with libcurl's multi interface and epoll",
            "ratio < 1",
            [count] {
                const stream_shape shape = stream_shape_of(amount(count, 20));
                const stream_server server{shape};
                return take_turns(
                    5, [&] { return weft_us_per_chunk(server, shape); },
                    [&] { return curl_us_per_chunk(server, shape); });
            }};
}
#endif

benchmark first_token()
{
    return {"stream_first_token", "ms", "wall time from a request to the first text; floor: first byte read with Beast",
            "floor + 0.1", [] {
                constexpr int requests = 200;
                const stream_server server{stream_shape{1, 1, 0}};
                return take_turns(
                    9, [&] { return weft_first_token_ms(server, requests); },
                    [&] { return beast_first_token_ms(server, requests); });
            }};
}

}  // namespace

benchmarks stream_benchmarks()
{
    benchmarks all{streams(500, 7), streams(1000, 7), streams(5000, 1), first_token()};
#ifdef WEFT_WITH_CURL
    all.push_back(streams_beside_curl(500));
    all.push_back(streams_beside_curl(1000));
#endif
    return all;
}

}  // namespace weft_bench
