#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/testing/async_test_case.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(scope_test)

namespace {

using namespace std::chrono_literals;
using async_tests::error_of;
using async_tests::tracked;
using weft::errc;
using weft::failure_policy;
using weft::scope;
using weft::sleep_for;
using weft::task;
namespace this_task = weft::this_task;

task<void> note_after(std::vector<int>& notes, int name, std::chrono::nanoseconds delay)
{
    if (delay > 0ns) co_await sleep_for(delay);
    notes.push_back(name);
}

task<void> fail_after(std::chrono::nanoseconds delay, errc code)
{
    if (delay > 0ns) co_await sleep_for(delay);
    throw weft::error{code};
}

task<void> nap(std::chrono::nanoseconds delay) { co_await sleep_for(delay); }

task<void> join(scope& children) { co_await children.join(); }

WEFT_ASYNC_TEST_CASE(join_waits_for_all_children)
{
    const weft::task_context& context = co_await this_task::context();
    std::vector<int> notes;
    scope children{context};
    children.spawn(note_after(notes, 0, 0ms));
    children.spawn(note_after(notes, 2, 20ms));
    children.spawn(note_after(notes, 1, 10ms));
    BOOST_TEST(children.running() == 2U);
    co_await children.join();
    BOOST_TEST(children.running() == 0U);
    BOOST_TEST(notes == (std::vector{0, 1, 2}), boost::test_tools::per_element());
}

WEFT_ASYNC_TEST_CASE(an_empty_scope_joins_at_once_and_a_scope_can_be_used_again)
{
    const weft::task_context& context = co_await this_task::context();
    std::vector<int> notes;
    scope children{context};
    co_await children.join();
    children.spawn(note_after(notes, 1, 1ms));
    co_await children.join();
    children.spawn(note_after(notes, 2, 1ms));
    co_await children.join();
    BOOST_TEST(notes == (std::vector{1, 2}), boost::test_tools::per_element());
}

WEFT_ASYNC_TEST_CASE(the_first_failure_stops_the_siblings_and_is_thrown_by_join)
{
    const weft::task_context& context = co_await this_task::context();
    const weft::time_point before = context.loop->now();
    scope children{context};
    children.spawn(nap(1h));
    children.spawn(fail_after(10ms, errc::connect_failed));
    children.spawn(fail_after(20ms, errc::resolve_failed));
    const auto error = co_await error_of(join(children));
    BOOST_TEST((error == errc::connect_failed));
    BOOST_TEST(children.failures() == 1U);
    BOOST_TEST((context.loop->now() - before == 10ms));
    const auto again = co_await error_of(join(children));
    BOOST_TEST(!again.has_value());
}

WEFT_ASYNC_TEST_CASE(a_child_that_fails_inside_spawn_counts_too)
{
    const weft::task_context& context = co_await this_task::context();
    std::vector<int> notes;
    scope children{context};
    children.spawn(nap(1h));
    children.spawn(fail_after(0ms, errc::connect_failed));
    BOOST_TEST(children.stop_requested());
    children.spawn(note_after(notes, 1, 0ms));
    const auto error = co_await error_of(join(children));
    BOOST_TEST((error == errc::connect_failed));
    BOOST_TEST(notes.empty());
}

task<void> fail_when_stopped()
{
    std::exception_ptr stopped;
    try {
        co_await sleep_for(1h);
    } catch (...) {
        stopped = std::current_exception();
    }
    throw weft::error{errc::connection_lost};
}

WEFT_ASYNC_TEST_CASE(a_failure_after_the_stop_is_counted_and_the_first_in_time_reported)
{
    const weft::task_context& context = co_await this_task::context();
    scope children{context};
    children.spawn(fail_when_stopped());
    children.spawn(nap(1h));
    children.spawn(fail_after(1ms, errc::connect_failed));
    const auto error = co_await error_of(join(children));
    BOOST_TEST((error == errc::connect_failed));
    BOOST_TEST(children.failures() == 2U);
}

WEFT_ASYNC_TEST_CASE(keep_going_lets_the_siblings_finish)
{
    const weft::task_context& context = co_await this_task::context();
    std::vector<int> notes;
    scope children{context, failure_policy::keep_going};
    children.spawn(fail_after(1ms, errc::connect_failed));
    children.spawn(note_after(notes, 1, 10ms));
    children.spawn(fail_after(5ms, errc::resolve_failed));
    const auto error = co_await error_of(join(children));
    BOOST_TEST((error == errc::connect_failed));
    BOOST_TEST(children.failures() == 2U);
    BOOST_TEST(notes.size() == 1U);
}

WEFT_ASYNC_TEST_CASE(children_that_the_owner_stops_are_no_error)
{
    const weft::task_context& context = co_await this_task::context();
    scope children{context};
    children.spawn(nap(1h));
    children.spawn(nap(2h));
    children.request_stop();
    BOOST_TEST(children.running() == 2U);
    co_await children.join();
    BOOST_TEST(children.failures() == 0U);
}

WEFT_ASYNC_TEST_CASE(a_childs_own_cancelled_error_without_a_stop_is_a_failure)
{
    const weft::task_context& context = co_await this_task::context();
    scope children{context};
    children.spawn(fail_after(1ms, errc::cancelled));
    const auto error = co_await error_of(join(children));
    BOOST_TEST((error == errc::cancelled));
    BOOST_TEST(children.failures() == 1U);
}

task<void> parent_of(task<void> one, task<void> two)
{
    const weft::task_context& context = co_await this_task::context();
    scope children{context};
    children.spawn(std::move(one));
    children.spawn(std::move(two));
    co_await children.join();
}

task<void> stop_after(weft::stop_scope& all, std::chrono::nanoseconds delay)
{
    co_await sleep_for(delay);
    all.request_stop();
}

task<std::optional<errc>> stopped_parent(task<void> one, task<void> two)
{
    const weft::task_context& context = co_await this_task::context();
    scope stopper{context};
    stopper.spawn(stop_after(*context.scope, 5ms));
    co_return co_await error_of(parent_of(std::move(one), std::move(two)));
}

BOOST_AUTO_TEST_CASE(a_stop_of_the_parent_reaches_the_children_and_join_says_cancelled)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((sim.run(stopped_parent(nap(1h), nap(1h))) == errc::cancelled));
    BOOST_TEST((sim.elapsed() == 5ms));
}

BOOST_AUTO_TEST_CASE(a_failure_before_the_parents_stop_is_what_join_throws)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((sim.run(stopped_parent(nap(1h), fail_after(1ms, errc::connect_failed))) == errc::connect_failed));
}

BOOST_AUTO_TEST_CASE(children_that_had_finished_before_the_parents_stop_are_no_error)
{
    weft::testing::simulation sim{1};
    BOOST_TEST((!sim.run(stopped_parent(nap(1ms), nap(2ms))).has_value()));
}

task<void> hold(tracked, std::chrono::nanoseconds delay) { co_await sleep_for(delay); }

task<void> leave_children_behind(int& alive)
{
    const weft::task_context& context = co_await this_task::context();
    scope children{context};
    children.spawn(hold(tracked{alive}, 1h));
    children.spawn(hold(tracked{alive}, 1h));
    co_await weft::yield_now();
    BOOST_TEST(alive > 0);
}

WEFT_ASYNC_TEST_CASE(a_scope_that_dies_destroys_the_children_that_still_run)
{
    int alive = 0;
    co_await leave_children_behind(alive);
    BOOST_TEST(alive == 0);
}

task<void> spawn_into(scope& siblings, std::vector<int>& notes, int left)
{
    co_await weft::yield_now();
    notes.push_back(left);
    if (left > 0) siblings.spawn(spawn_into(siblings, notes, left - 1));
}

WEFT_ASYNC_TEST_CASE(children_may_spawn_siblings_while_the_parent_waits)
{
    const weft::task_context& context = co_await this_task::context();
    std::vector<int> notes;
    scope children{context};
    children.spawn(spawn_into(children, notes, 3));
    co_await children.join();
    BOOST_TEST(notes == (std::vector{3, 2, 1, 0}), boost::test_tools::per_element());
}

task<void> nested(std::vector<int>& notes, int depth)
{
    const weft::task_context& context = co_await this_task::context();
    scope children{context};
    if (depth > 0) {
        children.spawn(nested(notes, depth - 1));
        children.spawn(nested(notes, depth - 1));
    }
    children.spawn(note_after(notes, depth, 1ms));
    co_await children.join();
}

BOOST_AUTO_TEST_CASE(nested_scopes_can_be_stopped_and_torn_down_everywhere)
{
    std::vector<int> notes;
    const auto make = [&notes] { return nested(notes, 3); };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) >= 15U);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) >= 15U);
    notes.clear();
    weft::run_blocking(make());
    BOOST_TEST(notes.size() == 15U);
}

task<std::size_t> sum_of_children(int count)
{
    const weft::task_context& context = co_await this_task::context();
    std::vector<int> notes;
    scope children{context};
    for (int i = 0; i < count; ++i) children.spawn(note_after(notes, i, i % 2 == 0 ? 0ms : 1ms));
    co_await children.join();
    co_return notes.size();
}

BOOST_AUTO_TEST_CASE(a_scope_holds_many_children)
{
    weft::testing::simulation sim{1};
    BOOST_TEST(sim.run(sum_of_children(2'000)) == 2'000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
