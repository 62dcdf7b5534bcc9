#include <boost/test/unit_test.hpp>

#include "serve/feed/feed_table.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/testing/async_test_case.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

WEFT_ASYNC_TEST_CASE(what_the_store_has_comes_before_and_behind_what_a_process_saw_of_a_run_that_it_had_for_a_time)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto feed = std::make_shared<run_feed>(loop, run_id{}, 5);
    feed->push(numbered(3));
    feed->push(numbered(4));  // lost with its attempt: the store does not have it
    feed_reader reader{feed, 4};
    std::deque<std::shared_ptr<const feed_event>> stored;
    for (const std::uint64_t id : {1, 2, 3, 7, 8}) stored.push_back(std::make_shared<const feed_event>(numbered(id)));
    feed->put_around(std::move(stored));
    const auto next = reader.next();
    BOOST_TEST_REQUIRE((next != nullptr));
    BOOST_TEST(next->what.id == 7u);
    BOOST_TEST(feed->has_lost(0));  // there is room for five
    feed->close(run_ending{});
    const std::vector<std::uint64_t> all = co_await read_to_end(feed, 1);
    BOOST_TEST((all == std::vector<std::uint64_t>{2, 3, 4, 7, 8}));
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
    event.forget_forms();
    BOOST_TEST(*event.form(2, make) == "4");
}

WEFT_ASYNC_TEST_CASE(forms_are_kept_until_all_readers_have_read_them)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto feed = std::make_shared<run_feed>(loop, run_id{}, 100);
    int made = 0;
    const auto make = [&made](const feed_event&) { return std::to_string(++made); };
    feed_reader first{feed, 0};
    std::optional<feed_reader> second;
    second.emplace(feed, 0);
    feed->push(numbered(1));
    const auto event = first.next();
    BOOST_TEST(*event->form(0, make) == "1");
    feed->push(numbered(2));
    BOOST_TEST(*second->next()->form(0, make) == "1");
    feed->push(numbered(3));
    BOOST_TEST(*event->form(0, make) == "2");
    // What has been read stays for readers that come later.
    feed_reader late{feed, 0};
    BOOST_TEST(late.next()->what.id == 1u);
    BOOST_TEST(feed->size() == 3u);
}

WEFT_ASYNC_TEST_CASE(a_reader_that_has_left_holds_no_forms)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto feed = std::make_shared<run_feed>(loop, run_id{}, 100);
    int made = 0;
    const auto make = [&made](const feed_event&) { return std::to_string(++made); };
    const auto event = feed->push(numbered(1));
    {
        feed_reader stalled{feed, 0};
        feed_reader reader{feed, 0};
        BOOST_TEST(*reader.next()->form(0, make) == "1");
        feed->push(numbered(2));
        BOOST_TEST(*event->form(0, make) == "1");
    }
    feed->push(numbered(3));
    BOOST_TEST(*event->form(0, make) == "2");
}

WEFT_ASYNC_TEST_CASE(a_reader_that_lags_far_behind_has_its_forms_made_anew)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto feed = std::make_shared<run_feed>(loop, run_id{}, 10'000);
    int made = 0;
    const auto make = [&made](const feed_event&) { return std::to_string(++made); };
    feed_reader stalled{feed, 0};
    const auto event = feed->push(numbered(1));
    BOOST_TEST(*event->form(0, make) == "1");
    for (std::uint64_t id = 2; id <= 2'000; ++id) feed->push(numbered(id));
    BOOST_TEST(*event->form(0, make) == "2");
    BOOST_TEST(stalled.next()->what.id == 1u);
}

WEFT_ASYNC_TEST_CASE(a_feed_that_is_read_once_keeps_what_was_not_read)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto feed = std::make_shared<run_feed>(loop, run_id{}, 100);
    feed->set_read_once();
    // Before the reader comes, as when the run begins before its answer does.
    for (std::uint64_t id = 1; id <= 5; ++id) feed->push(numbered(id));
    BOOST_TEST(feed->size() == 5u);
    {
        feed_reader reader{feed, 0};
        for (std::uint64_t id = 1; id <= 5; ++id) BOOST_TEST(reader.next()->what.id == id);
        BOOST_TEST(feed->size() == 0u);
        feed->push(numbered(6));
        BOOST_TEST(feed->size() == 1u);
        BOOST_TEST(reader.next()->what.id == 6u);
        BOOST_TEST(!reader.next());
    }
    // The client has gone, and the run goes on.
    feed->push(numbered(7));
    BOOST_TEST(feed->size() == 0u);
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
