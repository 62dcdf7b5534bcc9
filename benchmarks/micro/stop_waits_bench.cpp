#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/outside_stopper.hpp"
#include "stop_floor.hpp"

#include <weft/asio.hpp>
#include <weft/async/join.hpp>
#include <weft/async/race.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/stream.hpp>
#include <weft/async/use_task.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/async/wait/token_bucket.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;

namespace weft_bench {

namespace {

constexpr std::chrono::minutes stopped_wait{10};
constexpr int runs_of_each = 84;  // of twelve kinds: 1,008

/** What all runs wait for together. Nothing of it ever comes. */
struct held_up {
    explicit held_up(asio::io_context& io) : bucket{weft::serial_loop::of(io), {.per_second = 1e-3, .burst = 1}}
    {
        static_cast<void>(bucket.try_take());
    }

    weft::slot_limiter limiter{0};
    weft::token_bucket bucket;
};

weft::task<void> sleep_long() { co_await weft::sleep_for(stopped_wait); }

weft::task<void> wait_for_signal()
{
    weft::signal never;
    co_await never.wait();
}

weft::task<void> wait_for_item()
{
    weft::stream<int> empty{1};
    static_cast<void>(co_await empty.pop());
}

weft::task<void> wait_for_slot(std::shared_ptr<held_up> held)
{
    const weft::slot_limiter::slot slot = co_await held->limiter.acquire();
}

weft::task<void> wait_for_tokens(std::shared_ptr<held_up> held) { co_await held->bucket.take(); }

weft::task<void> wait_for_timer(asio::io_context* io)
{
    asio::steady_timer timer{*io, stopped_wait};
    co_await timer.async_wait(weft::use_task);
}

weft::task<void> wait_for_bytes(asio::io_context* io)
{
    asio::local::stream_protocol::socket mute{*io};
    asio::local::stream_protocol::socket reader{*io};
    asio::local::connect_pair(mute, reader);
    std::array<char, 64> bytes{};
    static_cast<void>(co_await reader.async_read_some(asio::buffer(bytes), weft::use_task));
}

asio::awaitable<void> wait_in_awaitable()
{
    asio::steady_timer timer{co_await asio::this_coro::executor, stopped_wait};
    co_await timer.async_wait(asio::use_awaitable);
}

weft::task<void> wait_for_both()
{
    std::vector<weft::task<void>> both;
    both.push_back(sleep_long());
    both.push_back(sleep_long());
    co_await weft::join(std::move(both));
}

weft::task<int> sleep_for_one()
{
    co_await weft::sleep_for(stopped_wait);
    co_return 1;
}

weft::task<void> wait_for_first()
{
    std::vector<weft::task<int>> contenders;
    contenders.push_back(sleep_for_one());
    contenders.push_back(sleep_for_one());
    static_cast<void>(co_await weft::race(std::move(contenders)));
}

template <class Body>
weft::graph one_node(const char* name, Body body)
{
    return weft::graph_builder{name}.node("wait", std::move(body)).edge(weft::start, "wait").build();
}

weft::graph two_branches()
{
    weft::graph_builder builder{"branches"};
    builder.node("split", [] {}).node("join", [] {}).edge(weft::start, "split");
    for (const char* name : {"left", "right"})
        builder.node(name, [] { return sleep_long(); }).edge("split", name).edge(name, "join");
    return builder.build();
}

std::vector<weft::graph> twelve_kinds(asio::io_context& io)
{
    const auto held = std::make_shared<held_up>(io);
    std::vector<weft::graph> kinds;
    kinds.push_back(one_node("sleep", [] { return sleep_long(); }));
    kinds.push_back(one_node("signal", [] { return wait_for_signal(); }));
    kinds.push_back(one_node("stream", [] { return wait_for_item(); }));
    kinds.push_back(one_node("slot", [held] { return wait_for_slot(held); }));
    kinds.push_back(one_node("tokens", [held] { return wait_for_tokens(held); }));
    kinds.push_back(one_node("timer", [&io] { return wait_for_timer(&io); }));
    kinds.push_back(one_node("socket", [&io] { return wait_for_bytes(&io); }));
    kinds.push_back(one_node("awaitable", [] { return wait_in_awaitable(); }));
    kinds.push_back(one_node("both", [] { return wait_for_both(); }));
    kinds.push_back(one_node("first", [] { return wait_for_first(); }));
    kinds.push_back(one_node("inner", weft::subgraph{one_node("inner sleep", [] { return sleep_long(); })}));
    kinds.push_back(two_branches());
    return kinds;
}

double time_stop_of_wait()
{
    asio::io_context io{1};
    outside_stopper stopper{io};
    int left = 0;
    double ended_at = 0;
    asio::post(io, [&] {
        for (const weft::graph& kind : twelve_kinds(io)) {
            const weft::engine engine{kind, io};
            for (int i = 0; i < runs_of_each; ++i) {
                ++left;
                engine.async_run(weft::run_request{}.stop(stopper.token()), [&](const weft::run_result& result) {
                    require(result.status == weft::run_status::cancelled, "a stopped run did not end as cancelled");
                    if (--left == 0) ended_at = wall_ms();
                });
            }
        }
        // Behind the starts, which are posted as well.
        asio::post(io, [&] { stopper.tell_all_wait(); });
    });
    io.run();
    require(left == 0, "not every stopped run gave a result");
    return ended_at - stopper.stopped_at();
}

}  // namespace

benchmarks stop_waits_benchmarks()
{
    return {{"stop_waits", "ms", "wall time from a stop to the last of 1,008 results, twelve kinds of wait", "<= 25",
             [] { return take_turns(21, &time_stop_of_wait, [] { return time_stop_by_hand(12 * runs_of_each); }); }}};
}

}  // namespace weft_bench
