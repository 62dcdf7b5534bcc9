#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/testing/async_test_case.hpp>

#include <vector>

BOOST_AUTO_TEST_SUITE(yield_now_test)

namespace {

using async_tests::error_of;
using weft::errc;
using weft::task;
namespace this_task = weft::this_task;

task<void> take_turns(std::vector<int>& turns, int name)
{
    for (int i = 0; i < 3; ++i) {
        turns.push_back(name);
        co_await weft::yield_now();
    }
}

task<std::vector<int>> two_in_turn()
{
    const weft::task_context& context = co_await this_task::context();
    std::vector<int> turns;
    weft::scope children{context};
    children.spawn(take_turns(turns, 1));
    children.spawn(take_turns(turns, 2));
    co_await children.join();
    co_return turns;
}

task<void> yield_for_ever()
{
    for (;;) co_await weft::yield_now();
}

task<std::optional<errc>> stopped_loop()
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    children.spawn(yield_for_ever());
    for (int i = 0; i < 100; ++i) co_await weft::yield_now();
    context.scope->request_stop();
    co_return co_await error_of(yield_for_ever());
}

BOOST_AUTO_TEST_CASE(coroutines_that_yield_take_turns)
{
    const std::vector<int> turns = weft::run_blocking(two_in_turn());
    BOOST_TEST(turns == (std::vector{1, 2, 1, 2, 1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_computation_that_yields_can_be_stopped)
{
    BOOST_TEST((weft::run_blocking(stopped_loop()) == errc::cancelled));
}

BOOST_AUTO_TEST_CASE(it_can_be_stopped_and_torn_down_everywhere)
{
    constexpr auto thrice = []() -> task<void> {
        for (int i = 0; i < 3; ++i) co_await weft::yield_now();
    };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(thrice) == 4U);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(thrice) == 3U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
