#include <boost/test/unit_test.hpp>

#include "agent/core/request_record.hpp"
#include "heap_count.hpp"

#include <weft/base/memory/free_list.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/observe/telemetry/telemetry.hpp>
#include <weft/testing/simulation.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#ifndef WEFT_TESTS_HEAP_IS_TAKEN

BOOST_AUTO_TEST_SUITE(unwatched_run_test)

inline constexpr weft::state_key<int> steps_done{"steps_done"};

constexpr std::size_t runs_counted = 64;

weft::graph three_steps()
{
    const auto step = [](weft::node_context& node) { node.set(steps_done, node.value_or(steps_done, 0) + 1); };
    weft::graph_builder builder{"three steps"};
    builder.state(steps_done).node("plan", step).node("research", step).node("report", step);
    builder.edge(weft::start, "plan").edge("plan", "research").edge("research", "report");
    return builder.build();
}

/** How often memory is taken for runs, after some that fill the caches.
 *  @param by   Watches them; null: nothing does. */
weft::task<std::size_t> memory_of_runs(weft::engine engine, weft::telemetry* by)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    std::size_t before = 0;
    for (std::size_t i = 0; i < 2 * runs_counted; ++i) {
        if (i == runs_counted) before = heap_count::allocations;
        weft::run_request request;
        if (by) by->watch(request, loop, "three steps");
        const weft::run_result result = co_await engine.run(std::move(request));
        BOOST_TEST_REQUIRE(result.ok(), result.message());
    }
    co_return heap_count::allocations - before;
}

std::size_t memory_taken(weft::telemetry* by = nullptr)
{
    weft::testing::simulation sim{1};
    return sim.run(memory_of_runs(weft::engine{three_steps()}, by));
}

BOOST_AUTO_TEST_CASE(a_run_that_is_not_watched_takes_no_memory_for_telemetry)
{
    const std::size_t alone = memory_taken();
    weft::telemetry_options options;
    options.otlp.emplace();
    options.otlp->url = "http://127.0.0.1:1/v1/traces";
    options.otlp->flush_for = {};
    weft::telemetry present{std::move(options)};
    const std::size_t watched = memory_taken(&present);
    const std::size_t beside = memory_taken();
    BOOST_TEST(beside == alone);
    // The blocks of a run come from caches, where there are any.
    if (weft::count_blocks().is_caching) BOOST_TEST(alone <= 2 * runs_counted);
    BOOST_TEST(watched >= alone + runs_counted);  // else nothing is counted
}

BOOST_AUTO_TEST_CASE(a_call_of_a_model_that_is_not_recorded_takes_no_memory_for_that)
{
    std::size_t taken = 1;
    std::uint64_t number = 1;
    const auto call = [&](weft::node_context& node) {
        weft::chat_request request;
        request.system("Be brief.").user(std::string(1000, 'x'));
        const std::size_t before = heap_count::allocations;
        number = weft::agent_detail::record_request(node, request, "a model");
        taken = heap_count::allocations - before;
    };
    weft::graph_builder builder{"one call"};
    builder.node("ask", call).edge(weft::start, "ask");
    weft::testing::simulation sim{1};
    const weft::engine engine{builder.build()};
    weft::run_request request;
    request.on_event([](const weft::run_event&) {});
    const weft::run_result result = sim.run(engine.run(std::move(request)));
    BOOST_TEST_REQUIRE(result.ok(), result.message());
    BOOST_TEST(number == 0u);
    BOOST_TEST(taken == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
