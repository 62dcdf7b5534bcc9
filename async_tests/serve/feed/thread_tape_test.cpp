#include <boost/test/unit_test.hpp>

#include "serve/feed/thread_tape.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/testing/async_test_case.hpp>

BOOST_AUTO_TEST_SUITE(thread_tape_test)

using namespace std::chrono_literals;
using namespace weft::serve_detail;
using weft::run_id;
using weft::thread_key;

std::shared_ptr<const feed_event> some_event() { return std::make_shared<const feed_event>(weft::run_event{}); }

std::string read_now(tape_reader& reader)
{
    std::string text;
    while (const tape_entry* const entry = reader.next())
        text += std::to_string(entry->sequence) + (entry->event ? " " : "! ");
    return text;
}

WEFT_ASYNC_TEST_CASE(a_tape_goes_on_behind_the_end_of_a_run)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto tape = std::make_shared<thread_tape>(loop, 100);
    tape_reader reader{tape, 0};
    tape->push(run_id{}, some_event());
    tape->push_end(run_id{}, std::make_shared<const run_ending>());
    BOOST_TEST(read_now(reader) == "1 2! ");
    BOOST_TEST(!reader.is_at_end());
    tape->push(run_id{}, some_event());
    co_await reader.wait(1h);
    BOOST_TEST(read_now(reader) == "3 ");
    tape_reader late{tape, 2};
    BOOST_TEST(read_now(late) == "3 ");
    tape->close();
    BOOST_TEST(reader.is_at_end());
}

WEFT_ASYNC_TEST_CASE(records_of_calls_are_passed_over)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto tape = std::make_shared<thread_tape>(loop, 100);
    tape_reader reader{tape, 0};
    weft::run_event record;
    record.what = weft::run_event::kind::output;
    record.label = "model_request";
    tape->push(run_id{}, std::make_shared<const feed_event>(record));
    tape->push(run_id{}, some_event());
    tape->push(run_id{}, std::make_shared<const feed_event>(record));
    BOOST_TEST(read_now(reader) == "2 ");
    tape->close();
    BOOST_TEST(reader.is_at_end());
}

WEFT_ASYNC_TEST_CASE(each_end_of_a_run_that_pauses_is_told_apart)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto tape = std::make_shared<thread_tape>(loop, 100);
    const auto push = [&tape](std::uint64_t id) {
        weft::run_event event;
        event.id = id;
        tape->push(run_id{}, std::make_shared<const weft::serve_detail::feed_event>(event));
    };
    push(3);
    tape->push_end(run_id{}, std::make_shared<const run_ending>());
    push(7);
    tape->push_end(run_id{}, std::make_shared<const run_ending>());
    BOOST_TEST(tape->after(1)->ends_after == 3u);
    BOOST_TEST(tape->after(3)->ends_after == 7u);
}

WEFT_ASYNC_TEST_CASE(a_tape_is_bounded_and_a_late_reader_gets_what_is_left)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto tape = std::make_shared<thread_tape>(loop, 2);
    for (int i = 0; i < 5; ++i) tape->push(run_id{}, some_event());
    tape_reader reader{tape, 0};
    BOOST_TEST(read_now(reader) == "4 5 ");
}

WEFT_ASYNC_TEST_CASE(a_reader_that_waits_is_woken)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto tape = std::make_shared<thread_tape>(loop, 100);
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope others{context};
    const auto push_later = [&tape]() -> weft::task<void> {
        co_await weft::sleep_for(10ms);
        tape->push(run_id{}, some_event());
    };
    others.spawn(push_later());
    tape_reader reader{tape, 0};
    const auto began = loop.now();
    co_await reader.wait(1h);
    BOOST_TEST((loop.now() - began < 1s));
    BOOST_TEST(read_now(reader) == "1 ");
    co_await others.join();
}

WEFT_ASYNC_TEST_CASE(tapes_that_are_not_read_go_when_there_are_too_many)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    tape_table tapes{loop, 2, 10};
    tape_reader reader{tapes.of(thread_key{"read"}), 0};
    (void)tapes.of(thread_key{"old"});
    (void)tapes.of(thread_key{"new"});
    BOOST_TEST(tapes.find(thread_key{"read"}));
    BOOST_TEST(!tapes.find(thread_key{"old"}));
    BOOST_TEST(tapes.find(thread_key{"new"}));
    BOOST_TEST(tapes.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
