#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/wait/with_stop.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <functional>

using namespace weft_tests;
using weft::errc;
using weft::node_context;
using weft::run_status;
using weft::task;

BOOST_AUTO_TEST_SUITE(stop_polling_test)

namespace {

namespace this_task = weft::this_task;

/** Computes without a wait until it is to stop; each round takes a millisecond. */
struct computation {
    weft::testing::simulation sim{1};
    int rounds = 0;
    std::function<void()> in_round_ten;

    void round()
    {
        ++rounds;
        sim.clock().jump_to(sim.clock().now() + 1ms);
        if (rounds == 10 && in_round_ten) in_round_ten();
    }
    bool goes_on() const { return rounds < 1000; }
};

task<void> compute(node_context& context, computation& what)
{
    while (what.goes_on() && !context.stop_requested()) what.round();
    context.set(value, 1);
    co_return;
}
auto computes(computation& what)
{
    return [&what](node_context& context) { return compute(context, what); };
}

task<void> compute_after_a_wait(node_context& context, computation& what)
{
    co_await weft::sleep_for(5ms);
    bool is_to_stop = false;
    while (what.goes_on() && !is_to_stop) {
        what.round();
        is_to_stop = co_await this_task::stop_requested();
    }
    context.set(value, 1);
}

task<void> compute_in_a_child(node_context& context, computation& what)
{
    weft::scope children{context.context()};
    children.spawn(compute_after_a_wait(context, what));
    co_await children.join();
}

weft::graph one_node(auto work, weft::node_options options = {})
{
    return empty_graph().node("a", std::move(work), std::move(options)).edge(weft::start, "a").build();
}

void check_cancelled(const weft::run_result& result, const computation& what, int rounds_max)
{
    BOOST_TEST((result.status == run_status::cancelled));
    BOOST_TEST(result.state.find(value) == nullptr);
    BOOST_TEST(what.rounds >= 10);
    BOOST_TEST(what.rounds <= rounds_max);
}

void check_failed(const weft::run_result& result, const computation& what, errc code)
{
    BOOST_TEST((result.status == run_status::failed));
    BOOST_REQUIRE(result.why);
    BOOST_TEST((result.why->code == code));
    BOOST_TEST(result.state.find(value) == nullptr);
    BOOST_TEST(what.rounds >= 20);
    BOOST_TEST(what.rounds <= 32);
}

}  // namespace

BOOST_AUTO_TEST_CASE(P44_a_stop_from_another_os_thread_is_seen_at_once)
{
    computation what;
    std::stop_source source;
    what.in_round_ten = [&source] { source.request_stop(); };
    const auto result = run_in(what.sim, one_node(computes(what)), weft::run_request{}.stop(source.get_token()));
    check_cancelled(result, what, 10);
}

BOOST_AUTO_TEST_CASE(P44_after_a_wait_and_in_a_child_too)
{
    for (const bool in_child : {false, true}) {
        computation what;
        std::stop_source source;
        what.in_round_ten = [&source] { source.request_stop(); };
        const auto work = [&](node_context& context) {
            return in_child ? compute_in_a_child(context, what) : compute_after_a_wait(context, what);
        };
        const auto result = run_in(what.sim, one_node(work), weft::run_request{}.stop(source.get_token()));
        check_cancelled(result, what, 10);
    }
}

BOOST_AUTO_TEST_CASE(P44_a_plain_node_sees_it_and_counts_as_stopped)
{
    computation what;
    std::stop_source source;
    what.in_round_ten = [&source] { source.request_stop(); };
    bool has_gone_on = false;
    const auto work = [&what](node_context& context) {
        while (what.goes_on() && !context.stop_requested()) what.round();
        context.set(value, 1);
    };
    const weft::graph graph = empty_graph()
                                  .node("a", work).node("b", [&has_gone_on] { has_gone_on = true; })
                                  .edge(weft::start, "a").edge("a", "b")
                                  .build();
    check_cancelled(run_in(what.sim, graph, weft::run_request{}.stop(source.get_token())), what, 10);
    BOOST_TEST(!has_gone_on);
}

BOOST_AUTO_TEST_CASE(P44_a_node_timeout_is_seen_at_once)
{
    computation what;
    check_failed(run_in(what.sim, one_node(computes(what), {.timeout = 30ms})), what, errc::node_timeout);
}

BOOST_AUTO_TEST_CASE(P44_the_timeout_of_a_plain_node_is_seen_at_once)
{
    computation what;
    const auto work = [&what](node_context& context) {
        while (what.goes_on() && !context.stop_requested()) what.round();
    };
    check_failed(run_in(what.sim, one_node(work, {.timeout = 30ms})), what, errc::node_timeout);
}

BOOST_AUTO_TEST_CASE(P44_elapsed_max_is_seen_at_once)
{
    computation what;
    const auto result = run_in(what.sim, one_node(computes(what)), with(weft::run_options{}.elapsed_max(30ms)));
    check_failed(result, what, errc::run_timeout);
}

BOOST_AUTO_TEST_CASE(P44_a_branch_timeout_is_seen_at_once)
{
    computation what;
    const weft::graph graph = empty_graph()
                                  .node("fork", [] {}).node("a", computes(what)).node("b", [] {})
                                  .edge(weft::start, "fork").edge("fork", "a").edge("fork", "b")
                                  .fan_out("fork", {.branch_timeout = 30ms})
                                  .build();
    check_failed(run_in(what.sim, graph), what, errc::branch_timeout);
}

BOOST_AUTO_TEST_CASE(P44_a_graph_in_a_node_sees_the_stops_of_the_run_around_it)
{
    computation what;
    const weft::graph inner = one_node(computes(what));
    const auto late = run_in(what.sim, one_node(weft::subgraph{inner}, {.timeout = 30ms}));
    check_failed(late, what, errc::node_timeout);

    computation again;
    std::stop_source source;
    again.in_round_ten = [&source] { source.request_stop(); };
    const auto stopped = run_in(again.sim, one_node(weft::subgraph{one_node(computes(again))}),
                                weft::run_request{}.stop(source.get_token()));
    check_cancelled(stopped, again, 10);
}

namespace {

task<weft::run_result> run_and_cancel(computation& what)
{
    const weft::engine engine{one_node(computes(what))};
    weft::run_handle run = co_await engine.start(weft::run_request{});
    what.in_round_ten = [&run] { run.cancel(); };
    co_return co_await run.result();
}

task<weft::run_result> run_with_stop(computation& what, std::stop_token stop)
{
    const weft::engine engine{one_node(computes(what))};
    co_return co_await weft::with_stop(engine.run(weft::run_request{}), std::move(stop));
}

}  // namespace

BOOST_AUTO_TEST_CASE(P44_a_cancel_by_handle_and_a_stop_around_the_run_are_seen_at_once)
{
    computation what;
    check_cancelled(what.sim.run(run_and_cancel(what)), what, 10);
    computation around;
    std::stop_source source;
    around.in_round_ten = [&source] { source.request_stop(); };
    check_cancelled(around.sim.run(run_with_stop(around, source.get_token())), around, 10);
}

BOOST_AUTO_TEST_CASE(a_node_that_does_not_ask_ends_as_it_likes)
{
    computation what;
    std::stop_source source;
    what.in_round_ten = [&source] { source.request_stop(); };
    const auto work = [&what](node_context& context) {
        for (int i = 0; i < 20; ++i) what.round();
        context.set(value, 1);
    };
    const auto result = run_in(what.sim, one_node(work), weft::run_request{}.stop(source.get_token()));
    BOOST_TEST((result.status == run_status::finished));
}

BOOST_AUTO_TEST_CASE(F12_run_blocking_with_a_stop_from_before_starts_no_node)
{
    int visits = 0;
    std::stop_source source;
    source.request_stop();
    const weft::run_result result =
        weft::run_blocking(one_node([&visits] { ++visits; }), weft::run_request{}, source.get_token());
    BOOST_TEST((result.status == run_status::cancelled));
    BOOST_TEST(result.steps == 0U);
    BOOST_TEST(visits == 0);
}

BOOST_AUTO_TEST_SUITE_END()
