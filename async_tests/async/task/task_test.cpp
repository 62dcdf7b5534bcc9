#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/testing/async_test_case.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(task_test)

namespace {

using async_tests::tracked;
using weft::task;
namespace this_task = weft::this_task;

// Not inlined where frames are counted: a compiler may then put a frame into that of its caller.
[[gnu::noinline]] task<int> number(int value) { co_return value; }

task<std::string> late_text(std::string text)
{
    co_await weft::yield_now();
    co_return text;
}

task<void> fail(const char* why)
{
    throw std::runtime_error{why};
    co_return;
}

task<void> fail_late(const char* why)
{
    co_await weft::yield_now();
    throw std::runtime_error{why};
}

task<void> note(std::vector<int>& notes, int value)
{
    notes.push_back(value);
    co_return;
}

WEFT_ASYNC_TEST_CASE(the_result_of_an_awaited_task_is_the_value_of_the_expression)
{
    const int at_once = co_await number(7);
    BOOST_TEST(at_once == 7);
    const std::string later = co_await late_text("rain");
    BOOST_TEST(later == "rain");
}

/** Larger than what a frame keeps room for. */
struct large_result {
    large_result() noexcept {}
    std::string text;
    char rest[500] = {};
};

task<large_result> large(std::string text)
{
    co_await weft::yield_now();
    large_result made;
    made.text = std::move(text);
    co_return made;
}

WEFT_ASYNC_TEST_CASE(a_large_result_is_the_value_of_the_expression_too)
{
    const large_result made = co_await large("rain");
    BOOST_TEST(made.text == "rain");
}

WEFT_ASYNC_TEST_CASE(the_result_of_a_task_that_keeps_its_place_lives_as_long_as_the_task)
{
    task<large_result> later = large("rain");
    const large_result& made = co_await later;
    BOOST_TEST(made.text == "rain");
    BOOST_TEST(&made == &later.result());
    task<int> at_once = number(7);
    BOOST_TEST(co_await at_once == 7);
    task<void> failing = fail_late("no");
    BOOST_CHECK_THROW(co_await failing, std::runtime_error);
}

task<std::unique_ptr<int>> boxed(int value) { co_return std::make_unique<int>(value); }

WEFT_ASYNC_TEST_CASE(a_result_may_be_movable_only)
{
    const std::unique_ptr<int> box = co_await boxed(3);
    BOOST_TEST(*box == 3);
}

task<std::string> text_of_failure(task<void> failing)
{
    std::string what;
    try {
        co_await std::move(failing);
    } catch (const std::runtime_error& e) {
        what = e.what();
    }
    co_return what;
}

WEFT_ASYNC_TEST_CASE(an_exception_arrives_where_the_task_is_awaited)
{
    const std::string at_once = co_await text_of_failure(fail("at once"));
    BOOST_TEST(at_once == "at once");
    const std::string later = co_await text_of_failure(fail_late("later"));
    BOOST_TEST(later == "later");
}

BOOST_AUTO_TEST_CASE(a_task_does_nothing_before_it_is_awaited)
{
    std::vector<int> notes;
    {
        const task<void> dropped = note(notes, 1);
    }
    BOOST_TEST(notes.empty());
    weft::run_blocking(note(notes, 2));
    BOOST_TEST(notes == std::vector<int>{2}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_task_that_never_starts_destroys_its_parameters)
{
    int alive = 0;
    {
        constexpr auto hold = [](tracked) -> task<void> { co_return; };
        task<void> held = hold(tracked{alive});
        BOOST_TEST(alive == 1);
        held = task<void>{};
        BOOST_TEST(alive == 0);
        held = hold(tracked{alive});
    }
    BOOST_TEST(alive == 0);
}

[[gnu::noinline]] task<void> sleep_holding(tracked)
{
    co_await weft::sleep_for(std::chrono::hours{1});
}

[[gnu::noinline]] task<void> nest(tracked held, int depth)
{
    if (depth == 0)
        co_await sleep_holding(held);
    else
        co_await nest(held, depth - 1);
}

BOOST_AUTO_TEST_CASE(destroying_a_suspended_task_destroys_the_whole_chain)
{
    int alive = 0;
    weft::testing::simulation sim{1};
    weft::stop_scope scope;
    const weft::task_context context{&sim.loop(), &scope};
    const auto frames = weft::live_frames();
    {
        task<void> chain = nest(tracked{alive}, 3);
        BOOST_TEST(!chain.start(context, [](void*) { BOOST_ERROR("it must not end"); }, nullptr));
        BOOST_TEST(alive >= 5);
        BOOST_TEST(weft::live_frames() == frames + 5);
        BOOST_TEST(sim.loop().next_deadline().has_value());
    }
    BOOST_TEST(alive == 0);
    BOOST_TEST(weft::live_frames() == frames);
    BOOST_TEST(!sim.loop().next_deadline().has_value());
}

BOOST_AUTO_TEST_CASE(start_says_whether_the_task_has_ended_already)
{
    weft::testing::simulation sim{1};
    weft::stop_scope scope;
    const weft::task_context context{&sim.loop(), &scope};
    bool told = false;
    const auto tell = [](void* flag) { *static_cast<bool*>(flag) = true; };

    task<int> at_once = number(4);
    BOOST_TEST(at_once.start(context, tell, &told));
    BOOST_TEST(!told);
    BOOST_TEST(at_once.take() == 4);

    task<std::string> later = late_text("sun");
    BOOST_TEST(!later.start(context, tell, &told));
    BOOST_TEST(!told);
    sim.step();
    BOOST_TEST(told);
    BOOST_TEST(later.take() == "sun");

    task<void> failing = fail("why");
    BOOST_TEST(failing.start(context, tell, &told));
    BOOST_TEST(weft::text_of(failing.exception()) == "why");
    BOOST_CHECK_THROW(failing.take(), std::runtime_error);
}

task<const weft::task_context*> address_of_context()
{
    const weft::task_context& context = co_await this_task::context();
    co_return &context;
}

WEFT_ASYNC_TEST_CASE(all_coroutines_of_a_chain_share_one_context)
{
    const weft::task_context& mine = co_await this_task::context();
    const weft::task_context* childs = co_await address_of_context();
    BOOST_TEST(childs == &mine);
    weft::serial_loop& loop = co_await this_task::loop();
    BOOST_TEST(&loop == mine.loop);
}

task<std::pair<bool, bool>> seen_stops(std::stop_source& outside)
{
    const bool before = co_await this_task::stop_requested();
    const weft::task_context& context = co_await this_task::context();
    const std::stop_token token = co_await this_task::stop_token();
    const std::stop_callback told{token, [&outside] { outside.request_stop(); }};
    context.scope->request_stop();
    const bool after = co_await this_task::stop_requested();
    co_return std::pair{before, after};
}

BOOST_AUTO_TEST_CASE(a_coroutine_sees_the_stop_of_its_scope_and_a_standard_token_follows_it)
{
    std::stop_source outside;
    const auto [before, after] = weft::run_blocking(seen_stops(outside));
    BOOST_TEST(!before);
    BOOST_TEST(after);
    BOOST_TEST(outside.stop_requested());
}

task<long> sum_of_many(int count)
{
    long sum = 0;
    for (int i = 0; i < count; ++i) {
        const int one = co_await number(1);
        sum += one;
    }
    co_return sum;
}

task<long> sum_of_many_that_wait(int count)
{
    long sum = 0;
    for (int i = 0; i < count; ++i) {
        const std::string text = co_await late_text("1");
        sum += static_cast<long>(text.size());
    }
    co_return sum;
}

BOOST_AUTO_TEST_CASE(the_stack_does_not_grow_with_the_number_of_awaited_tasks)
{
    BOOST_TEST(weft::run_blocking(sum_of_many(1'000'000)) == 1'000'000);
    BOOST_TEST(weft::run_blocking(sum_of_many_that_wait(100'000)) == 100'000);
}

task<int> depth_of(int left, bool waits)
{
    if (left == 0) {
        if (waits) co_await weft::yield_now();
        co_return 0;
    }
    const int below = co_await depth_of(left - 1, waits);
    co_return below + 1;
}

BOOST_AUTO_TEST_CASE(awaits_nest_a_thousand_deep)
{
    BOOST_TEST(weft::run_blocking(depth_of(1'000, false)) == 1'000);
    BOOST_TEST(weft::run_blocking(depth_of(1'000, true)) == 1'000);
}

task<void> fail_below(int left)
{
    if (left == 0) co_await fail_late("deep");
    if (left > 0) co_await fail_below(left - 1);
}

BOOST_AUTO_TEST_CASE(an_exception_comes_up_from_a_hundred_levels)
{
    BOOST_CHECK_EXCEPTION(weft::run_blocking(fail_below(100)), std::runtime_error,
                          [](const std::runtime_error& e) { return std::string{e.what()} == "deep"; });
}

BOOST_AUTO_TEST_CASE(frames_are_counted)
{
    const auto before = weft::live_frames();
    task<int> one = number(1);
    const task<int> two = number(2);
    BOOST_TEST(weft::live_frames() == before + 2);
    one.reset();
    BOOST_TEST(weft::live_frames() == before + 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
