#include <boost/test/unit_test.hpp>

#include "serve/feed/feed_table.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/testing/async_test_case.hpp>

BOOST_AUTO_TEST_SUITE(run_feed_test)

using namespace std::chrono_literals;
using weft::run_event;
using weft::run_id;
using weft::serve_detail::feed_event;
using weft::serve_detail::feed_reader;
using weft::serve_detail::feed_table;
using weft::serve_detail::run_ending;
using weft::serve_detail::run_feed;

run_event numbered(std::uint64_t id)
{
    run_event event;
    event.id = event.sequence = id;
    return event;
}

weft::task<std::vector<std::uint64_t>> read_to_end(std::shared_ptr<run_feed> feed, std::uint64_t after)
{
    std::vector<std::uint64_t> ids;
    feed_reader reader{feed, after};
    while (!reader.is_at_end()) {
        while (const auto event = reader.next()) ids.push_back(event->what.id);
        if (!reader.is_at_end()) co_await reader.wait(1h);
    }
    co_return ids;
}

WEFT_ASYNC_TEST_CASE(readers_get_all_events_whenever_they_come)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto feed = std::make_shared<run_feed>(loop, run_id{}, 100);
    feed->push(numbered(1));
    std::vector<std::uint64_t> early;
    std::vector<std::uint64_t> late;
    const auto read = [&feed](std::vector<std::uint64_t>& to, std::uint64_t after) -> weft::task<void> {
        to = co_await read_to_end(feed, after);
    };
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope readers{context};
    readers.spawn(read(early, 0));
    for (std::uint64_t id = 2; id <= 4; ++id) {
        feed->push(numbered(id));
        co_await weft::sleep_for(1ms);
    }
    readers.spawn(read(late, 2));
    feed->push(numbered(7));
    feed->close(run_ending{});
    co_await readers.join();
    BOOST_TEST((early == std::vector<std::uint64_t>{1, 2, 3, 4, 7}));
    BOOST_TEST((late == std::vector<std::uint64_t>{3, 4, 7}));
}

WEFT_ASYNC_TEST_CASE(a_reader_that_waits_is_woken_by_its_limit)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto feed = std::make_shared<run_feed>(loop, run_id{}, 100);
    feed_reader reader{feed, 0};
    const auto began = loop.now();
    co_await reader.wait(5s);
    BOOST_TEST((loop.now() - began >= 5s));
    BOOST_TEST(!reader.next());
    BOOST_TEST(!reader.is_at_end());
}

WEFT_ASYNC_TEST_CASE(a_feed_is_bounded_and_a_slow_reader_hears_of_the_gap)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto feed = std::make_shared<run_feed>(loop, run_id{}, 3);
    feed_reader slow{feed, 0};
    for (std::uint64_t id = 1; id <= 10; ++id) feed->push(numbered(id));
    BOOST_TEST(slow.takes_gap());
    BOOST_TEST(!slow.takes_gap());
    BOOST_TEST(slow.next()->what.id == 8u);
    feed_reader up_to_date{feed, 9};
    BOOST_TEST(!up_to_date.takes_gap());
    BOOST_TEST(feed->last_id() == 10u);
}

BOOST_AUTO_TEST_CASE(a_form_of_an_event_is_made_once)
{
    const feed_event event{numbered(1)};
    int made = 0;
    const auto make = [&made](const feed_event&) { return std::to_string(++made); };
    BOOST_TEST(*event.form(2, make) == "1");
    BOOST_TEST(*event.form(2, make) == "1");
    BOOST_TEST(*event.form(3, make) == "2");
    const auto nothing = [&made](const feed_event&) { return ++made, std::string{}; };
    BOOST_TEST(!event.form(4, nothing));
    BOOST_TEST(!event.form(4, nothing));
    BOOST_TEST(made == 3);
}

WEFT_ASYNC_TEST_CASE(feeds_of_runs_that_are_over_stay_until_there_are_too_many)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    feed_table feeds{loop, {.events_max = 10, .closed_max = 2}};
    const auto id = [](std::uint8_t number) {
        weft::unique_id value;
        value.bytes[15] = number;
        return run_id{value};
    };
    const auto open = feeds.of(id(9));
    for (std::uint8_t i = 1; i <= 4; ++i) feeds.close(id(i), run_ending{});
    BOOST_TEST(!feeds.find(id(1)));
    BOOST_TEST(!feeds.find(id(2)));
    BOOST_TEST(feeds.find(id(3))->is_closed());
    // One of a run that another part of the process has goes as well, one that is driven stays.
    open->set_driven();
    feeds.retire(id(9));
    feeds.retire(feeds.of(id(8))->run());
    for (std::uint8_t i = 4; i <= 6; ++i) feeds.close(id(i), run_ending{});
    BOOST_TEST(!feeds.find(id(8)));
    BOOST_TEST((feeds.find(id(9)) == open));
    BOOST_TEST(feeds.size() == 3u);
    BOOST_TEST(!open->is_closed());
}

BOOST_AUTO_TEST_SUITE_END()
