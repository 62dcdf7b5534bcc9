#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"

#include <weft/async/task/yield_now.hpp>

using namespace weft_tests;
using weft::node_context;

BOOST_AUTO_TEST_SUITE(node_time_test)

namespace {

weft::task<void> yield_once()
{
    co_await weft::yield_now();
}

weft::graph two(auto&& second, weft::node_options options)
{
    return empty_graph().node("first", [] { return yield_once(); }).node("second", second, std::move(options))
        .edge(weft::start, "first").edge("first", "second").build();
}

/** Only the second node has a limit of time: nothing is armed when it begins, within a turn of the loop. */
weft::run_result simulate_two(auto&& second, weft::node_options options)
{
    return simulate(two(second, std::move(options)),
                    weft::run_request{}.options(weft::run_options{}.node_timeout(0s)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_node_that_begins_within_a_turn_of_the_loop_has_its_time)
{
    const auto result = simulate_two(sleeps(1h), {.timeout = 5s});
    BOOST_REQUIRE(result.why);
    BOOST_TEST((result.why->code == weft::errc::node_timeout));
    BOOST_TEST((result.elapsed == 5s));
    BOOST_TEST(simulate_two(sleeps(4s), {.timeout = 5s}).message() == "finished");
}

BOOST_AUTO_TEST_CASE(a_node_that_ends_within_the_turn_leaves_no_time_behind)
{
    const auto result = simulate_two([] { return yield_once(); }, {.timeout = 5s});
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST((result.elapsed == 0s));
}

BOOST_AUTO_TEST_SUITE_END()
