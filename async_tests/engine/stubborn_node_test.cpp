#include <boost/asio/awaitable.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

#include <weft/asio.hpp>
#include <weft/async/join.hpp>
#include <weft/async/race.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/stream.hpp>
#include <weft/async/use_task.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <ostream>

using namespace weft_tests;
using weft::run_status;
using weft::task;

BOOST_AUTO_TEST_SUITE(stubborn_node_test)

namespace {

namespace asio = boost::asio;
namespace this_task = weft::this_task;

task<void> nap() { co_await weft::sleep_for(5ms); }

task<void> wait_for_timer()
{
    weft::serial_loop& loop = co_await this_task::loop();
    asio::steady_timer timer{loop.context(), 5ms};
    co_await timer.async_wait(weft::use_task);
}

task<void> pop()
{
    weft::stream<int> empty{1};
    co_await empty.pop();
}

task<void> join_two() { co_await weft::join(nap(), nap()); }

task<void> join_scope()
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    children.spawn(nap());
    co_await children.join();
}

task<void> run_a_graph()
{
    const weft::engine inner{empty_graph("inner").node("x", sleeps(5ms)).edge(weft::start, "x").build()};
    const weft::run_result result = co_await inner.run(weft::run_request{});
    if (result.status != run_status::finished) throw weft::error{weft::errc::cancelled};
}

/** Goes on whatever it catches. */
task<void> insist(task<void> (*wait)())
{
    for (;;) {
        try {
            co_await wait();
        } catch (const std::exception&) {
        }
    }
}

task<void> insist_in_a_scope(task<void> (*wait)())
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    children.spawn(insist(wait));
    co_await children.join();
}

task<void> insist_on_nap() { co_await insist(nap); }
task<void> insist_on_timer() { co_await insist(wait_for_timer); }
task<void> insist_on_pop() { co_await insist(pop); }
task<void> insist_on_join() { co_await insist(join_two); }
task<void> insist_on_scope() { co_await insist(join_scope); }
task<void> insist_on_run() { co_await insist(run_a_graph); }
task<void> insist_in_child() { co_await insist_in_a_scope(nap); }

asio::awaitable<void> insist_in_asio()
{
    asio::steady_timer timer{co_await asio::this_coro::executor};
    for (;;) {
        try {
            timer.expires_after(5ms);
            co_await timer.async_wait(asio::use_awaitable);
        } catch (const std::exception&) {
        }
    }
}

struct stubbornness {
    const char* name;
    std::function<void(weft::graph_builder&)> add_node;
    friend std::ostream& operator<<(std::ostream& to, const stubbornness& kind) { return to << kind.name; }
};

/** Adds a node "a" that never ends. */
template <class Work>
stubbornness stubborn(const char* name, Work work)
{
    return {name, [work](weft::graph_builder& builder) { builder.node("a", work); }};
}

const stubbornness all_kinds[] = {
    stubborn("sleep_for", insist_on_nap),
    stubborn("an operation", insist_on_timer),
    stubborn("a stream", insist_on_pop),
    stubborn("a join", insist_on_join),
    stubborn("a scope", insist_on_scope),
    stubborn("a run", insist_on_run),
    stubborn("a child of a scope", insist_in_child),
    stubborn("an asio::awaitable", insist_in_asio),
};

weft::graph graph_with(const stubbornness& kind)
{
    weft::graph_builder builder = empty_graph();
    kind.add_node(builder);
    return builder.edge(weft::start, "a").build();
}

weft::run_options with_grace() { return weft::run_options{}.stop_grace(50ms); }

/** Another run of the same loop. */
task<int> count_ticks(bool& is_over)
{
    int ticks = 0;
    for (; !is_over && ticks < 10'000; ++ticks) co_await weft::sleep_for(1ms);
    co_return ticks;
}

task<weft::run_result> run_to_end(weft::graph graph, weft::run_request request, bool& is_over)
{
    const weft::engine engine{std::move(graph)};
    weft::run_result result = co_await engine.run(std::move(request));
    is_over = true;
    co_return result;
}

task<std::pair<weft::run_result, int>> run_beside_another(weft::graph graph, weft::run_request request)
{
    bool is_over = false;
    auto [result, ticks] = co_await weft::join(run_to_end(std::move(graph), std::move(request), is_over),
                                               count_ticks(is_over));
    co_return std::pair{std::move(result), ticks};
}

void check_that_it_was_destroyed(const std::pair<weft::run_result, int>& ended, run_status status,
                                 std::chrono::nanoseconds at_most)
{
    const weft::run_result& result = ended.first;
    BOOST_TEST((result.status == status));
    BOOST_TEST((result.unresponsive == std::vector<std::string>{"a"}));
    BOOST_TEST((result.elapsed < at_most));
    BOOST_TEST(ended.second >= 40);
}

}  // namespace

BOOST_DATA_TEST_CASE(P7_a_node_that_goes_on_after_its_timeout_is_destroyed_when_the_grace_is_over, all_kinds, kind)
{
    weft::testing::simulation sim{1, {.steps_max = 50'000}};
    const auto ended = sim.run(run_beside_another(graph_with(kind), with(with_grace().node_timeout(12ms))));
    BOOST_TEST((ended.first.why->code == weft::errc::node_timeout));
    check_that_it_was_destroyed(ended, run_status::failed, 70ms);
}

BOOST_DATA_TEST_CASE(P7_a_node_that_goes_on_after_its_sibling_failed_is_destroyed, all_kinds, kind)
{
    weft::graph_builder builder = empty_graph();
    kind.add_node(builder);
    builder.node("fork", [] {}).node("b", fails(12ms));
    builder.edge(weft::start, "fork").edge("fork", "a").edge("fork", "b");
    weft::testing::simulation sim{1, {.steps_max = 50'000}};
    const auto ended = sim.run(run_beside_another(builder.build(), with(with_grace())));
    BOOST_TEST((ended.first.why->code == weft::errc::model_rejected));
    check_that_it_was_destroyed(ended, run_status::failed, 70ms);
}

namespace {

task<std::pair<weft::run_result, int>> stop_soon(weft::graph graph)
{
    std::stop_source source;
    weft::run_request request = with(with_grace()).stop(source.get_token());
    auto [ended, nothing] = co_await weft::join(
        run_beside_another(std::move(graph), std::move(request)), [](std::stop_source stop) -> task<void> {
            co_await weft::sleep_for(12ms);
            stop.request_stop();
        }(source));
    static_cast<void>(nothing);
    co_return std::move(ended);
}

}  // namespace

BOOST_DATA_TEST_CASE(P7_a_node_that_goes_on_after_a_stop_is_destroyed, all_kinds, kind)
{
    weft::testing::simulation sim{1, {.steps_max = 50'000}};
    check_that_it_was_destroyed(sim.run(stop_soon(graph_with(kind))), run_status::cancelled, 70ms);
}

BOOST_DATA_TEST_CASE(P7_the_same_holds_in_real_time, all_kinds, kind)
{
    const auto ended = weft::run_blocking(stop_soon(graph_with(kind)));
    BOOST_TEST((ended.first.status == run_status::cancelled));
    BOOST_TEST((ended.first.unresponsive == std::vector<std::string>{"a"}));
    BOOST_TEST(ended.second >= 3);  // on a busy machine
}

BOOST_AUTO_TEST_SUITE_END()
