#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/floor.hpp"
#include "stream/beast_client.hpp"
#include "stream/stream_client.hpp"
#include "stream/stream_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>

#include <memory>
#include <string>

namespace weft_bench {

namespace {

namespace asio = boost::asio;

constexpr int callers = 16;
constexpr int calls_each = 100;

constexpr const char* call_body =
    R"({"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user",)"
    R"("content":"one word, please"}]})";

double per_second(double before_ms) { return callers * calls_each / (wall_ms() - before_ms) * 1000; }

weft::task<void> call_often(weft::http_client client, weft::url target, int times)
{
    for (int i = 0; i < times; ++i) {
        weft::http_request request{"POST", target};
        request.header("Accept", "text/event-stream").body(call_body, "application/json");
        weft::http_response response = co_await client.send(std::move(request));
        require(response.status() == 200, "the server of the calls refused a request");
        const std::string body = co_await response.read_all(64 * 1024);
        require(!body.empty(), "an answer is empty");
    }
}

weft::task<void> call_at_once(weft::http_client client, weft::url target, int times)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    for (int i = 0; i < callers; ++i) children.spawn(call_often(client, target, times));
    co_await children.join();
}

weft::task<double> time_calls(weft::http_client client, weft::url target)
{
    co_await call_at_once(client, target, 1);  // opens the connections
    const double before = wall_ms();
    co_await call_at_once(client, target, calls_each);
    const double rate = per_second(before);
    require(client.counts().opened == callers, "a warm connection was not used again");
    co_return rate;
}

double weft_calls_per_second(const stream_server& server)
{
    const weft::url target{"https://localhost:" + std::to_string(server.port()) + "/v1/chat/completions"};
    return weft::run_blocking(time_calls(client_for(server, callers), target));
}

asio::awaitable<void> call_often_by_hand(beast::tls_stream* stream, int times, countdown* join)
{
    for (int i = 0; i < times; ++i) {
        const beast::reading answer = co_await beast::ask(stream, ask_for_word);
        require(answer.bytes > 0, "an answer is empty");
    }
    join->arrive();
}

asio::awaitable<double> time_calls_by_hand(const stream_server* server)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::ssl::context tls = beast::trusting(server->ca_pem());
    beast::connections open;
    for (int i = 0; i < callers; ++i) {
        open.push_back(std::make_unique<beast::tls_stream>(executor, tls));
        co_await beast::connect(open.back().get(), server->port());
    }
    countdown warm{callers};
    for (auto& stream : open) asio::co_spawn(executor, call_often_by_hand(stream.get(), 1, &warm), beast::rethrow);
    co_await warm.wait();
    countdown done{callers};
    const double before = wall_ms();
    for (auto& stream : open)
        asio::co_spawn(executor, call_often_by_hand(stream.get(), calls_each, &done), beast::rethrow);
    co_await done.wait();
    co_return per_second(before);
}

}  // namespace

benchmarks call_benchmarks()
{
    return {{"calls_warm", "calls per s",
             "HTTPS requests over 16 open connections, each read whole; floor: the same with Beast",
             "ratio >= 0.9", [] {
                 const stream_server server{stream_shape{callers, 1, 0}};
                 return take_turns(
                     9, [&] { return weft_calls_per_second(server); },
                     [&] { return run_awaitable(time_calls_by_hand(&server)); });
             }}};
}

}  // namespace weft_bench
