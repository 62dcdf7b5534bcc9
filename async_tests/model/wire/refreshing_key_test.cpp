#include <boost/test/unit_test.hpp>

#include "model/fake_models.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/model/wire/refreshing_key.hpp>
#include <weft/testing/async_test_case.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(refreshing_key_test)

namespace {

using namespace std::chrono_literals;
using weft::errc;
using weft::fetched_key;
using weft::refreshing_key;
using weft::secret_string;
using weft::task;
namespace this_task = weft::this_task;

/** Who hands out keys: key-1, key-2 and so on, a second each. */
struct key_office {
    int asked = 0;
    std::optional<std::chrono::nanoseconds> valid_for{};
    std::optional<errc> failure{};
    std::chrono::nanoseconds takes = 1s;

    task<fetched_key> hand_out()
    {
        const int number = ++asked;
        co_await weft::sleep_for(takes);
        if (failure) throw weft::error{*failure, "the office", "is closed"};
        co_return fetched_key{secret_string{"key-" + std::to_string(number)}, valid_for};
    }
};

refreshing_key key_from(key_office& office, weft::refreshing_key_options options = {})
{
    return refreshing_key{[&office] { return office.hand_out(); }, options};
}

/** The key, or the name of the error. */
task<std::string> told(task<secret_string> asked)
{
    std::string text;
    try {
        secret_string key = co_await std::move(asked);
        text = key.reveal();
    } catch (const weft::error& e) {
        text = weft::name_of(e.code());
    }
    co_return text;
}

/** The key so much later. */
task<std::string> key_after(refreshing_key& key, std::chrono::nanoseconds span)
{
    co_await weft::sleep_for(span);
    std::string text = co_await told(key.current());
    co_return text;
}

task<void> note(task<secret_string> asked, std::vector<std::string>& all)
{
    std::string text = co_await told(std::move(asked));
    all.push_back(std::move(text));
}

bool all_are(const std::vector<std::string>& texts, std::size_t count, std::string_view text)
{
    return texts == std::vector<std::string>(count, std::string{text});
}

}  // namespace

WEFT_ASYNC_TEST_CASE(many_calls_at_once_fetch_one_key)
{
    key_office office;
    refreshing_key key = key_from(office);
    std::vector<std::string> all;
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    for (int i = 0; i < 20; ++i) children.spawn(note(key.current(), all));
    co_await children.join();
    BOOST_TEST(all_are(all, 20, "key-1"));
    BOOST_TEST(office.asked == 1);
    const std::string later = co_await told(key.current());
    BOOST_TEST(later == "key-1");
    BOOST_TEST(key.fetches() == 1);
}

WEFT_ASYNC_TEST_CASE(a_key_that_is_refused_many_times_is_replaced_once)
{
    key_office office;
    refreshing_key key = key_from(office, {.interval_min = 0s});
    const secret_string first{"key-1"};
    const std::string begun = co_await told(key.current());
    std::vector<std::string> all;
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    for (int i = 0; i < 20; ++i) children.spawn(note(key.refresh(first), all));
    co_await children.join();
    BOOST_TEST(all_are(all, 20, "key-2"));
    const std::string late = co_await told(key.refresh(first));
    BOOST_TEST(late == "key-2");
    BOOST_TEST(office.asked == 2);
}

WEFT_ASYNC_TEST_CASE(a_key_that_is_refused_at_once_is_not_replaced)
{
    key_office office;
    refreshing_key key = key_from(office);
    const std::string begun = co_await told(key.current());
    const std::string at_once = co_await told(key.refresh(secret_string{"key-1"}));
    BOOST_TEST(at_once.empty());
    co_await weft::sleep_for(10s);
    const std::string later = co_await told(key.refresh(secret_string{"key-1"}));
    BOOST_TEST(later == "key-2");
    BOOST_TEST(office.asked == 2);
}

WEFT_ASYNC_TEST_CASE(a_key_is_replaced_before_it_expires)
{
    key_office office;
    office.valid_for = 1h;
    refreshing_key key = key_from(office);
    const std::string begun = co_await told(key.current());
    const std::string good = co_await key_after(key, 58min);
    BOOST_TEST(good == "key-1");
    const std::string renewed = co_await key_after(key, 70s);
    BOOST_TEST(renewed == "key-2");
}

WEFT_ASYNC_TEST_CASE(a_key_that_lives_shorter_than_it_is_renewed_before_is_used_nevertheless)
{
    key_office office;
    office.valid_for = 10s;
    refreshing_key key = key_from(office);
    const std::string begun = co_await told(key.current());
    const std::string good = co_await key_after(key, 4s);
    BOOST_TEST(good == "key-1");
    const std::string renewed = co_await key_after(key, 2s);
    BOOST_TEST(renewed == "key-2");
}

WEFT_ASYNC_TEST_CASE(a_key_may_be_good_for_ever)
{
    key_office office;
    office.valid_for = std::chrono::nanoseconds::max();
    refreshing_key key = key_from(office);
    const std::string begun = co_await told(key.current());
    const std::string good = co_await key_after(key, 1h);
    BOOST_TEST(good == "key-1");
}

WEFT_ASYNC_TEST_CASE(all_that_wait_get_the_failure_and_the_next_call_tries_again)
{
    key_office office;
    office.failure = errc::connect_failed;
    refreshing_key key = key_from(office);
    std::vector<std::string> all;
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    for (int i = 0; i < 5; ++i) children.spawn(note(key.current(), all));
    co_await children.join();
    BOOST_TEST(all_are(all, 5, weft::name_of(errc::connect_failed)));
    BOOST_TEST(office.asked == 1);
    office.failure.reset();
    const std::string again = co_await told(key.current());
    BOOST_TEST(again == "key-2");
}

WEFT_ASYNC_TEST_CASE(when_the_call_that_fetches_is_stopped_another_one_fetches)
{
    key_office office;
    refreshing_key key = key_from(office);
    std::vector<std::string> all;
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    std::vector<std::string> stopped;
    children.spawn(note(weft::with_deadline(key.current(), 500ms), stopped));
    for (int i = 0; i < 5; ++i) children.spawn(note(key.current(), all));
    co_await children.join();
    BOOST_TEST(all_are(stopped, 1, weft::name_of(errc::timeout)));
    BOOST_TEST(all_are(all, 5, "key-2"));
    BOOST_TEST(office.asked == 2);
}

WEFT_ASYNC_TEST_CASE(a_call_that_waits_may_be_stopped_alone)
{
    key_office office;
    refreshing_key key = key_from(office);
    std::vector<std::string> all;
    std::vector<std::string> stopped;
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    children.spawn(note(key.current(), all));
    children.spawn(note(weft::with_deadline(key.current(), 500ms), stopped));
    co_await children.join();
    BOOST_TEST(all_are(stopped, 1, weft::name_of(errc::timeout)));
    BOOST_TEST(all_are(all, 1, "key-1"));
}

WEFT_ASYNC_TEST_CASE(a_function_that_takes_too_long_or_gives_nothing_is_an_error)
{
    key_office office;
    office.takes = 1h;
    refreshing_key slow = key_from(office, {.fetch_time_max = 5s});
    const std::string late = co_await told(slow.current());
    BOOST_TEST(late == weft::name_of(errc::timeout));
    refreshing_key none{[]() -> task<fetched_key> { co_return fetched_key{}; }};
    const std::string empty = co_await told(none.current());
    BOOST_TEST(empty == weft::name_of(errc::model_unauthorized));
}

BOOST_AUTO_TEST_CASE(calls_of_several_os_threads_share_one_fetch)
{
    std::atomic<int> asked = 0;
    refreshing_key key{[&]() -> task<fetched_key> {
        ++asked;
        co_await weft::sleep_for(20ms);
        co_return fetched_key{secret_string{"shared key"}};
    }};
    std::atomic<int> good = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            const secret_string got = weft::run_blocking(key.current());
            if (got.reveal() == "shared key") ++good;
        });
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(good == 4);
    BOOST_TEST(asked == 1);
}

BOOST_AUTO_TEST_SUITE_END()
