#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

#include <weft/asio.hpp>
#include <weft/engine/runtime.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

// Real OS threads and real time: whatever is awaited is awaited by its completion.
using namespace weft_tests;
using weft::run_result;
using weft::run_status;
namespace asio = boost::asio;

BOOST_AUTO_TEST_SUITE(async_run_test)

namespace {

weft::graph quick_graph()
{
    return empty_graph()
        .node("a", writes(1ms, 1)).node("b", writes(1ms, 2)).node("j", [] {})
        .edge(weft::start, "a").edge(weft::start, "b").edge("a", "j").edge("b", "j")
        .build();
}

weft::graph endless_graph(std::atomic<bool>& has_begun)
{
    const auto begins = [&has_begun] { has_begun = true; };
    return empty_graph().node("a", begins).node("b", sleeps(1h)).edge(weft::start, "a").edge("a", "b").build();
}

asio::awaitable<run_result> awaited(const weft::engine& engine)
{
    run_result result = co_await engine.async_run(weft::run_request{}, asio::use_awaitable);
    co_return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_callback_gets_the_result)
{
    asio::io_context io;
    const weft::engine engine{quick_graph(), io};
    std::optional<run_result> result;
    engine.async_run(weft::run_request{}, [&result](run_result r) { result.emplace(std::move(r)); });
    io.run();
    BOOST_REQUIRE(result);
    BOOST_TEST((result->status == run_status::finished));
    BOOST_TEST(result->state.get(total) == 2);
}

BOOST_AUTO_TEST_CASE(a_future_gets_the_result_from_a_runtime)
{
    weft::runtime cores{2};
    const weft::engine engine{quick_graph(), cores};
    std::vector<std::future<run_result>> futures;
    for (int i = 0; i < 50; ++i) futures.push_back(engine.async_run(weft::run_request{}, asio::use_future));
    for (auto& future : futures) BOOST_TEST((future.get().status == run_status::finished));
}

BOOST_AUTO_TEST_CASE(an_asio_coroutine_awaits_a_run)
{
    asio::io_context io;
    const weft::engine engine{quick_graph(), io};
    auto future = asio::co_spawn(io, awaited(engine), asio::use_future);
    io.run();
    BOOST_TEST((future.get().status == run_status::finished));
}

BOOST_AUTO_TEST_CASE(a_node_may_be_an_asio_coroutine)
{
    struct asio_node {
        static asio::awaitable<void> work(weft::node_context& context)
        {
            const auto executor = co_await asio::this_coro::executor;
            asio::steady_timer timer{executor, 1ms};
            co_await timer.async_wait(asio::use_awaitable);
            context.set(value, 5);
        }
        static asio::awaitable<void> fail(weft::node_context&)
        {
            throw weft::error{weft::errc::model_rejected};
            co_return;
        }
    };
    const auto result =
        weft::run_blocking(empty_graph().node("a", asio_node::work).edge(weft::start, "a").build());
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(value) == 5);
    const auto failed = weft::run_blocking(empty_graph().node("a", asio_node::fail).edge(weft::start, "a").build());
    BOOST_TEST((failed.why->code == weft::errc::model_rejected));
}

BOOST_AUTO_TEST_CASE(the_cancellation_slot_of_the_token_cancels_the_run)
{
    asio::io_context io;
    std::atomic<bool> has_begun{false};
    const weft::engine engine{endless_graph(has_begun), io};
    asio::cancellation_signal cancel;
    std::optional<run_result> result;
    engine.async_run(weft::run_request{}, asio::bind_cancellation_slot(cancel.slot(), [&result](run_result r) {
                         result.emplace(std::move(r));
                     }));
    while (!has_begun) io.run_one();
    cancel.emit(asio::cancellation_type::terminal);
    io.run();
    BOOST_REQUIRE(result);
    BOOST_TEST((result->status == run_status::cancelled));
}

BOOST_AUTO_TEST_CASE(a_stop_token_reaches_a_run_from_another_os_thread)
{
    std::atomic<bool> has_begun{false};
    std::stop_source stop;
    std::jthread asker{[&] {
        has_begun.wait(false);
        stop.request_stop();
    }};
    const weft::graph graph = [&] {
        const auto begins = [&has_begun] {
            has_begun = true;
            has_begun.notify_all();
        };
        return empty_graph().node("a", begins).node("b", sleeps(1h)).edge(weft::start, "a").edge("a", "b").build();
    }();
    const auto result = weft::run_blocking(graph, weft::run_request{}.stop(stop.get_token()));
    BOOST_TEST((result.status == run_status::cancelled));
    BOOST_TEST(path_of(result) == "a b");
}

BOOST_AUTO_TEST_CASE(a_stop_token_that_is_stopped_already_runs_nothing_for_long)
{
    std::stop_source stop;
    stop.request_stop();
    std::atomic<bool> has_begun{false};
    const auto result = weft::run_blocking(endless_graph(has_begun), weft::run_request{}.stop(stop.get_token()));
    BOOST_TEST((result.status == run_status::cancelled));
}

BOOST_AUTO_TEST_CASE(a_stop_of_the_blocking_call_cancels_the_run)
{
    std::stop_source stop;
    stop.request_stop();
    std::atomic<bool> has_begun{false};
    const auto result = weft::run_blocking(endless_graph(has_begun), weft::run_request{}, stop.get_token());
    BOOST_TEST((result.status == run_status::cancelled));
}

BOOST_AUTO_TEST_CASE(a_thousand_runs_on_a_runtime_stop_together)
{
    weft::runtime cores{2};
    std::atomic<bool> has_begun{false};
    const weft::engine engine{endless_graph(has_begun), cores};
    std::stop_source stop;
    std::vector<std::future<run_result>> futures;
    for (int i = 0; i < 1000; ++i)
        futures.push_back(engine.async_run(weft::run_request{}.stop(stop.get_token()), asio::use_future));
    stop.request_stop();
    for (auto& future : futures) BOOST_REQUIRE((future.get().status == run_status::cancelled));
}

BOOST_AUTO_TEST_CASE(runs_on_strands_of_a_pool_do_not_overlap_with_themselves)
{
    struct guard {
        static weft::task<void> check(weft::node_context&, std::atomic<int>& inside, std::atomic<bool>& is_alone)
        {
            for (int i = 0; i < 20; ++i) {
                if (inside.fetch_add(1) != 0) is_alone = false;
                inside.fetch_sub(1);
                co_await weft::sleep_for(0ms);
            }
        }
    };
    asio::io_context pool{2};
    std::atomic<int> inside{0};
    std::atomic<bool> is_alone{true};
    const auto checks = [&](weft::node_context& context) { return guard::check(context, inside, is_alone); };
    weft::runtime strands{pool, 1};
    const weft::engine engine{empty_graph()
                                  .node("a", checks).node("b", checks).node("j", [] {})
                                  .edge(weft::start, "a").edge(weft::start, "b").edge("a", "j").edge("b", "j")
                                  .build(),
                              strands};
    std::vector<std::future<run_result>> futures;
    for (int i = 0; i < 20; ++i) futures.push_back(engine.async_run(weft::run_request{}, asio::use_future));
    std::jthread second{[&pool] { pool.run(); }};
    pool.run();
    for (auto& future : futures) BOOST_TEST((future.get().status == run_status::finished));
    BOOST_TEST(is_alone.load());
}

BOOST_AUTO_TEST_CASE(runs_are_spread_over_the_loops_of_a_runtime)
{
    weft::runtime cores{3};
    BOOST_TEST(cores.size() == 3u);
    const weft::serial_loop* first = &cores.next_loop();
    BOOST_TEST(&cores.next_loop() != first);
    BOOST_TEST(&cores.next_loop() != first);
    BOOST_TEST(&cores.next_loop() == first);
}

BOOST_AUTO_TEST_SUITE_END()
