#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

#include <weft/async/scope.hpp>

#include <stdexcept>

using namespace weft_tests;
using weft::node_context;
using weft::task;

BOOST_AUTO_TEST_SUITE(blocked_loop_test)

namespace {

/** A run in which what blocks its loop takes virtual time. */
struct watched_run {
    weft::testing::simulation sim{1};
    std::vector<std::string> warnings;

    void block(std::chrono::nanoseconds span) { sim.clock().jump_to(sim.clock().now() + span); }

    weft::run_result run(const weft::graph& graph, weft::run_options options = weft::run_options{})
    {
        const auto hear = [this](const weft::run_event& event) {
            if (event.what == weft::run_event::kind::output && event.label == "warning") warnings.push_back(event.text);
        };
        return run_in(sim, graph, with(std::move(options)).on_event(hear));
    }
    void check_warning(const char* node, const char* time) const
    {
        BOOST_REQUIRE(warnings.size() == 1U);
        BOOST_TEST(warnings[0].starts_with("node '" + std::string{node} + "' held its loop for " + time));
    }
};

weft::graph a_then_b(auto work)
{
    return empty_graph()
        .node("a", std::move(work)).node("b", sleeps(200ms))
        .edge(weft::start, "a").edge("a", "b")
        .build();
}

/** Blocks before its first wait, between two and after the last, for so long each. */
task<void> block_around_waits(node_context&, watched_run& run, std::vector<std::chrono::milliseconds> spans)
{
    run.block(spans[0]);
    co_await weft::sleep_for(1s);
    run.block(spans[1]);
    co_await weft::sleep_for(1s);
    run.block(spans[2]);
}
auto blocks(watched_run& run, std::vector<std::chrono::milliseconds> spans)
{
    return [&run, spans](node_context& context) { return block_around_waits(context, run, spans); };
}

task<void> block_in_child(node_context& context, watched_run& run)
{
    weft::scope children{context.context()};
    children.spawn(block_around_waits(context, run, {0ms, 150ms, 0ms}));
    co_await children.join();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_plain_node_that_blocks_its_loop_is_named)
{
    watched_run run;
    run.run(a_then_b([&run] { run.block(150ms); }));
    run.check_warning("a", "150 ms");
}

BOOST_AUTO_TEST_CASE(a_plain_node_that_fails_after_it_blocked_its_loop_is_named)
{
    watched_run run;
    run.run(a_then_b([&run] {
        run.block(150ms);
        throw std::runtime_error{"late"};
    }));
    run.check_warning("a", "150 ms");
}

BOOST_AUTO_TEST_CASE(each_step_of_a_coroutine_is_measured)
{
    for (std::size_t step = 0; step < 3; ++step) {
        watched_run run;
        std::vector<std::chrono::milliseconds> spans(3, 99ms);
        spans[step] = 120ms;
        run.run(a_then_b(blocks(run, spans)));
        run.check_warning("a", "120 ms");
    }
}

BOOST_AUTO_TEST_CASE(children_of_a_node_belong_to_it)
{
    watched_run run;
    run.run(a_then_b([&run](node_context& context) { return block_in_child(context, run); }));
    run.check_warning("a", "150 ms");
}

BOOST_AUTO_TEST_CASE(waits_are_no_blocks_and_the_limit_is_an_option)
{
    watched_run run;
    run.run(a_then_b(blocks(run, {99ms, 99ms, 99ms})));
    BOOST_TEST(run.warnings.empty());
    run.run(a_then_b(blocks(run, {0ms, 20ms, 0ms})), weft::run_options{}.warn_blocked_after(20ms));
    run.check_warning("a", "20 ms");
    run.warnings.clear();
    run.run(a_then_b(blocks(run, {500ms, 500ms, 500ms})), weft::run_options{}.warn_blocked_after(0ms));
    BOOST_TEST(run.warnings.empty());
    BOOST_TEST(!run.sim.loop().measures_steps());
}

BOOST_AUTO_TEST_CASE(a_failure_of_foreign_code_says_its_type)
{
    const auto message_of = [](auto work) {
        return simulate(empty_graph().node("a", work).edge(weft::start, "a").build()).message();
    };
    BOOST_TEST(message_of([] { static_cast<void>(std::vector<int>{}.at(1)); }).find("std::out_of_range: vector") !=
               std::string::npos);
    BOOST_TEST(message_of([] { throw 7; }).find("an exception of type int") != std::string::npos);
    BOOST_TEST(message_of([] { throw weft::error{weft::errc::model_rejected, "m"}; }).find("weft::error") ==
               std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
