#include "facade/turn/turn_graphs.hpp"

#include <weft/facade/state_graph.hpp>

#include <stop_token>

using namespace weft_tests;
using namespace std::chrono_literals;

/** A stop reaches the work within a façade, and comes out as `errc::cancelled`. */
BOOST_AUTO_TEST_SUITE(facade_stop_test)

namespace {

weft::task<void> stop_and_wait(std::stop_source& stop)
{
    stop.request_stop();
    co_await weft::sleep_for(1h);
}

weft::task<std::string> stop_and_say(std::stop_source& stop)
{
    stop.request_stop();
    co_await weft::sleep_for(1h);
    co_return "late";
}

/** Expects that a run of this kind ends at once with `errc::cancelled`. */
template <class Result>
void expect_cancelled(weft::task<Result> run)
{
    weft::testing::simulation sim{1};
    weft::errc code{};
    try {
        sim.run(std::move(run));
    } catch (const weft::error& e) {
        code = e.code();
    }
    BOOST_TEST((code == weft::errc::cancelled));
    BOOST_TEST((sim.elapsed() < 1s));
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_ensemble)
{
    std::stop_source stop;
    weft::ensemble_graph::builder made;
    made.name("g").state("a", {"", [&stop](weft::ensemble_task_context&) { return stop_and_say(stop); }});
    const auto graph = made.edge("a", "__END__").start("a").build();
    expect_cancelled(graph.run(weft::ensemble_request{}.stop(stop.get_token())));
    stop = std::stop_source{};
    stop.request_stop();
    expect_cancelled(graph.run(weft::ensemble_request{}.stop(stop.get_token())));
}

BOOST_AUTO_TEST_CASE(a_thread_which_may_run_again)
{
    std::stop_source stop;
    bool is_quick = false;
    const auto work = [&](weft::node_context&) {
        return is_quick ? weft::state_command{"quick"} : weft::state_command{};
    };
    weft::state_graph made{"g"};
    made.add_node("a", work).add_node("b", [&stop] { return stop_and_wait(stop); }).set_entry_point("a");
    made.add_conditional_edges("a", [&](const weft::state_view&) { return std::string{is_quick ? "__end__" : "b"}; });
    const auto graph = made.compile();
    const auto request = [&] { return weft::state_request{{weft::message::user("hi")}}.thread("t"); };
    expect_cancelled(graph.invoke(request().stop(stop.get_token())));
    BOOST_TEST(!graph.threads()->load("t").has_value());
    is_quick = true;
    weft::testing::simulation sim{1};
    BOOST_TEST(sim.run(graph.invoke(request())).context().size() == 2u);
}

BOOST_AUTO_TEST_CASE(turns_which_leave_no_dead_letter)
{
    std::stop_source stop;
    graph_type made;
    made.add_node("a", [&stop](notes&) { return stop_and_wait(stop); }).set_entry_point("a");
    const auto engine = made.build();
    expect_cancelled(engine.run({}, request_type{}.stop(stop.get_token())));
    BOOST_TEST(engine.dead_letters().empty());
}

BOOST_AUTO_TEST_SUITE_END()
