#include <boost/test/unit_test.hpp>


#include <weft/async/async_generator.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/testing/async_test_case.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(async_generator_test)

namespace {

using namespace std::chrono_literals;
using weft::async_generator;
using weft::errc;
using weft::task;
namespace this_task = weft::this_task;

async_generator<int> numbers(int count)
{
    for (int i = 0; i < count; ++i) co_yield i;
}

async_generator<int> slow_numbers(int count)
{
    for (int i = 0; i < count; ++i) {
        co_await weft::yield_now();
        co_yield i;
    }
}

async_generator<int> doubled(async_generator<int> from)
{
    while (int* number = co_await from.next()) co_yield *number * 2;
}

async_generator<int> failing(int after)
{
    for (int i = 0; i < after; ++i) co_yield i;
    throw std::runtime_error{"broken"};
}

async_generator<int> sleeping()
{
    co_yield 1;
    co_await weft::sleep_for(1h);
    co_yield 2;
}

task<std::vector<int>> all_of(async_generator<int> from)
{
    std::vector<int> values;
    while (int* number = co_await from.next()) values.push_back(*number);
    co_return values;
}

const std::vector<int> three{0, 1, 2};

}  // namespace

WEFT_ASYNC_TEST_CASE(items_come_in_order_and_then_null)
{
    async_generator<int> some = numbers(2);
    for (const int expected : {0, 1}) {
        const int* const item = co_await some.next();
        BOOST_REQUIRE(item);
        BOOST_TEST(*item == expected);
    }
    BOOST_TEST(!some.has_ended());
    for (int i = 0; i < 2; ++i) {
        const int* const none = co_await some.next();
        BOOST_TEST(!none);
    }
    BOOST_TEST(some.has_ended());
}

WEFT_ASYNC_TEST_CASE(an_empty_one_has_no_items)
{
    async_generator<int> none;
    BOOST_TEST(none.has_ended());
    const int* const item = co_await none.next();
    BOOST_TEST(!item);
}

WEFT_ASYNC_TEST_CASE(the_coroutine_may_wait_between_items)
{
    const std::vector<int> values = co_await all_of(slow_numbers(3));
    BOOST_TEST(values == three);
}

WEFT_ASYNC_TEST_CASE(generators_read_generators)
{
    const std::vector<int> values = co_await all_of(doubled(doubled(slow_numbers(3))));
    BOOST_TEST(values == (std::vector<int>{0, 4, 8}));
}

WEFT_ASYNC_TEST_CASE(a_hundred_thousand_items_need_no_deep_stack)
{
    std::size_t count = 0;
    async_generator<int> some = doubled(doubled(numbers(100'000)));
    while (co_await some.next()) ++count;
    BOOST_TEST(count == 100'000u);
}

WEFT_ASYNC_TEST_CASE(what_it_throws_reaches_the_reader_once)
{
    async_generator<int> some = doubled(failing(1));
    const int* item = co_await some.next();
    BOOST_REQUIRE(item);
    std::string caught;
    try {
        item = co_await some.next();
    } catch (const std::runtime_error& why) {
        caught = why.what();
    }
    BOOST_TEST(caught == "broken");
    item = co_await some.next();
    BOOST_TEST(!item);
}

WEFT_ASYNC_TEST_CASE(it_may_yield_what_the_reader_moves_from)
{
    const auto texts = [](std::size_t count) -> async_generator<std::string> {
        for (std::size_t i = 0; i < count; ++i) co_yield std::string(40, static_cast<char>('a' + i));
    };
    async_generator<std::string> some = texts(2);
    std::vector<std::string> taken;
    while (std::string* text = co_await some.next()) taken.push_back(std::move(*text));
    BOOST_TEST(taken == (std::vector<std::string>{std::string(40, 'a'), std::string(40, 'b')}));
}

WEFT_ASYNC_TEST_CASE(destroying_it_half_way_destroys_its_frames)
{
    const std::ptrdiff_t frames = weft::live_frames();
    {
        async_generator<int> some = doubled(slow_numbers(3));
        co_await some.next();
        BOOST_TEST(weft::live_frames() == frames + 2);
    }
    BOOST_TEST(weft::live_frames() == frames);
}

WEFT_ASYNC_TEST_CASE(a_stop_reaches_what_the_coroutine_waits_for)
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope readers{context};
    std::vector<int> values;
    errc seen = errc{};
    const auto read = [](std::vector<int>& to, errc& why) -> task<void> {
        async_generator<int> some = doubled(sleeping());
        try {
            while (int* number = co_await some.next()) to.push_back(*number);
        } catch (const weft::error& error) {
            why = error.code();
        }
    };
    readers.spawn(read(values, seen));
    readers.request_stop();
    co_await readers.join();
    BOOST_TEST((seen == errc::cancelled));
    BOOST_TEST(values == std::vector<int>{2});
}

WEFT_ASYNC_TEST_CASE(a_reader_may_leave_and_another_one_go_on)
{
    async_generator<int> owner = numbers(3);
    {
        async_generator<int> lent = owner.lend();
        co_await lent.next();
    }
    const std::vector<int> rest = co_await all_of(owner.lend());
    BOOST_TEST(rest == (std::vector<int>{1, 2}));
    BOOST_TEST(owner.has_ended());
}

namespace {

struct counting_watcher final : weft::generator_watcher<int> {
    int sum = 0;
    bool has_ended = false;
    std::exception_ptr error;
    void on_item(int& item) override { sum += item; }
    void on_end(const std::exception_ptr& why) noexcept override
    {
        has_ended = true;
        error = why;
    }
};

}  // namespace

WEFT_ASYNC_TEST_CASE(a_watcher_sees_items_and_the_end)
{
    counting_watcher watcher;
    async_generator<int> some = failing(3);
    some.watch(&watcher);
    for (int i = 0; i < 3; ++i) co_await some.next();
    BOOST_TEST(watcher.sum == 3);
    BOOST_TEST(!watcher.has_ended);
    try {
        co_await some.next();
    } catch (const std::runtime_error&) {
    }
    BOOST_TEST(watcher.has_ended);
    BOOST_TEST(static_cast<bool>(watcher.error));
}

BOOST_AUTO_TEST_SUITE_END()
