#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/test/unit_test.hpp>

#include <weft/async/loop/ready_item.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/async/use_task.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace serial_loop_cases {

namespace asio = boost::asio;
using weft::serial_loop;

/** Notes its name when it runs. */
struct noting_item : weft::ready_item {
    noting_item(std::vector<int>& notes, int name)
        : ready_item{[](ready_item& self) {
              auto& me = static_cast<noting_item&>(self);
              me.notes.push_back(me.name);
          }},
          notes{notes}, name{name}
    {
    }
    std::vector<int>& notes;
    int name;
};

BOOST_AUTO_TEST_SUITE(serial_loop_test)

BOOST_AUTO_TEST_CASE(deferred_items_run_first_in_first_out_and_not_at_once)
{
    asio::io_context io{1};
    serial_loop loop{io};
    std::vector<int> notes;
    noting_item one{notes, 1}, two{notes, 2}, three{notes, 3};
    for (auto* item : {&one, &two, &three}) loop.defer(*item);
    BOOST_TEST(notes.empty());
    BOOST_TEST(!loop.is_idle());
    io.run();
    BOOST_TEST(notes == (std::vector{1, 2, 3}), boost::test_tools::per_element());
    BOOST_TEST(loop.is_idle());
}

BOOST_AUTO_TEST_CASE(what_waits_for_the_end_of_a_turn_runs_behind_all_that_is_ready)
{
    asio::io_context io{1};
    serial_loop loop{io};
    std::vector<int> notes;
    noting_item last{notes, 9}, taken_back{notes, 8}, behind{notes, 2};
    BOOST_TEST(!loop.defer_to_turn_end(last));  // in no turn
    BOOST_TEST(!last.is_queued());
    struct first_item : weft::ready_item {
        first_item(serial_loop& loop, noting_item& last, noting_item& taken_back, noting_item& behind)
            : ready_item{[](ready_item& self) {
                  auto& me = static_cast<first_item&>(self);
                  BOOST_TEST(me.loop.defer_to_turn_end(me.last));
                  BOOST_TEST(me.loop.defer_to_turn_end(me.taken_back));
                  me.loop.defer(me.behind);
                  me.taken_back.unlink();
              }},
              loop{loop}, last{last}, taken_back{taken_back}, behind{behind}
        {
        }
        serial_loop& loop;
        noting_item& last;
        noting_item& taken_back;
        noting_item& behind;
    } first{loop, last, taken_back, behind};
    loop.defer(first);
    io.run();
    BOOST_TEST(notes == (std::vector{2, 9}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_item_can_be_taken_back_or_die_before_it_runs)
{
    asio::io_context io{1};
    serial_loop loop{io};
    std::vector<int> notes;
    noting_item one{notes, 1};
    auto two = std::make_unique<noting_item>(notes, 2);
    noting_item three{notes, 3};
    loop.defer(one);
    loop.defer(*two);
    loop.defer(three);
    BOOST_TEST(one.is_queued());
    one.unlink();
    two.reset();
    io.run();
    BOOST_TEST(notes == std::vector{3}, boost::test_tools::per_element());
}

/** Defers itself a number of times. */
struct repeating_item : weft::ready_item {
    repeating_item(serial_loop& loop, int times)
        : ready_item{[](ready_item& self) {
              auto& me = static_cast<repeating_item&>(self);
              if (--me.left > 0) me.loop.defer(me);
          }},
          loop{loop}, left{times}
    {
    }
    serial_loop& loop;
    int left;
};

BOOST_AUTO_TEST_CASE(items_that_always_come_back_leave_others_their_turn)
{
    asio::io_context io{1};
    serial_loop loop{io};
    repeating_item busy{loop, 100'000};
    loop.defer(busy);
    int left_at_turn = -1;
    asio::post(io, [&] {
        asio::post(io, [&] { left_at_turn = busy.left; });
    });
    io.run();
    BOOST_TEST(busy.left == 0);
    BOOST_TEST(left_at_turn > 99'000);
}

struct throwing_item : weft::ready_item {
    throwing_item() : ready_item{[](ready_item&) { throw std::runtime_error{"from an item"}; }} {}
};

BOOST_AUTO_TEST_CASE(an_exception_leaves_run_and_the_loop_goes_on_afterwards)
{
    asio::io_context io{1};
    serial_loop loop{io};
    std::vector<int> notes;
    throwing_item bad;
    noting_item after{notes, 1};
    loop.defer(bad);
    loop.defer(after);
    BOOST_CHECK_THROW(io.run(), std::runtime_error);
    BOOST_TEST(notes.empty());
    io.run();
    BOOST_TEST(notes.size() == 1U);
}

/** Counts what each of several OS threads posts, and whether it came in order. */
struct posted_item : weft::remote_item {
    posted_item(std::vector<int>& last, std::size_t from, int number)
        : remote_item{[](remote_item& self) {
              const std::unique_ptr<posted_item> me{static_cast<posted_item*>(&self)};
              if (me->number == me->last[me->from] + 1) me->last[me->from] = me->number;
          }},
          last{last}, from{from}, number{number}
    {
    }
    std::vector<int>& last;
    std::size_t from;
    int number;
};

void post_from_threads(asio::io_context& io, serial_loop& loop, std::size_t runners)
{
    constexpr std::size_t threads = 4;
    constexpr int posts = 5'000;
    std::vector<int> last(threads, 0);
    auto work = asio::make_work_guard(io);
    std::vector<std::thread> running;
    for (std::size_t i = 1; i < runners; ++i) running.emplace_back([&io] { io.run(); });
    std::vector<std::thread> posting;
    for (std::size_t from = 0; from < threads; ++from)
        posting.emplace_back([&, from] {
            for (int number = 1; number <= posts; ++number) loop.post(*new posted_item{last, from, number});
        });
    std::thread end{[&] {
        for (auto& thread : posting) thread.join();
        work.reset();
    }};
    io.run();
    end.join();
    for (auto& thread : running) thread.join();
    BOOST_TEST(last == std::vector<int>(threads, posts), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_four_os_threads_post_arrives_completely_and_in_the_order_of_each)
{
    asio::io_context io{1};
    serial_loop loop{io};
    post_from_threads(io, loop, 1);
}

BOOST_AUTO_TEST_CASE(the_same_holds_for_a_strand_of_two_os_threads)
{
    asio::io_context io;
    serial_loop loop{io, serial_loop::on_strand{}};
    post_from_threads(io, loop, 2);
}

BOOST_AUTO_TEST_CASE(what_was_posted_and_has_not_run_runs_when_the_loop_dies)
{
    std::vector<int> last(1, 0);
    {
        asio::io_context io{1};
        serial_loop loop{io};
        loop.post(*new posted_item{last, 0, 1});
        loop.post(*new posted_item{last, 0, 2});
    }
    BOOST_TEST(last[0] == 2);
}

struct guest : weft::loop_guest {
    explicit guest(int& alive) : alive{alive} { ++alive; }
    ~guest() override { --alive; }
    int& alive;
};

BOOST_AUTO_TEST_CASE(guests_die_with_the_loop_or_before)
{
    int alive = 0;
    auto early = std::make_unique<guest>(alive);
    {
        asio::io_context io{1};
        serial_loop loop{io};
        loop.adopt(*new guest{alive});
        loop.adopt(*early);
        early.reset();
        BOOST_TEST(alive == 1);
    }
    BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(a_context_keeps_one_loop)
{
    asio::io_context io{1};
    serial_loop& loop = serial_loop::of(io);
    BOOST_TEST(&serial_loop::of(io) == &loop);
    BOOST_TEST(&loop.context() == &io);
    BOOST_TEST(!loop.is_strand());
}

BOOST_AUTO_TEST_CASE(work_keeps_the_context_running_until_it_is_removed)
{
    asio::io_context io{1};
    serial_loop loop{io};
    loop.add_work();
    loop.add_outside_work();
    BOOST_TEST(loop.has_outside_work());
    io.poll();
    BOOST_TEST(!io.stopped());
    loop.remove_outside_work();
    BOOST_TEST(!loop.has_outside_work());
    io.poll();
    BOOST_TEST(!io.stopped());
    loop.remove_work();
    io.poll();
    BOOST_TEST(io.stopped());
}

std::vector<int> order_with(std::uint64_t seed)
{
    asio::io_context io{1};
    serial_loop loop{io};
    weft::random_source random{seed};
    loop.permute_ready(&random);
    std::vector<int> notes;
    std::vector<std::unique_ptr<noting_item>> items;
    for (int i = 0; i < 10; ++i) items.push_back(std::make_unique<noting_item>(notes, i));
    for (auto& item : items) loop.defer(*item);
    io.run();
    return notes;
}

BOOST_AUTO_TEST_CASE(a_seed_chooses_the_order_of_ready_items)
{
    std::vector<int> one = order_with(1);
    BOOST_TEST(one == order_with(1), boost::test_tools::per_element());
    BOOST_TEST((one != order_with(2)));
    std::sort(one.begin(), one.end());
    BOOST_TEST(one == (std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), boost::test_tools::per_element());
}

struct shared_count {
    std::atomic<int> inside{0};
    std::atomic<bool> overlapped{false};
    int total = 0;  // not atomic: the loop serialises
    int ended = 0;
};

weft::task<void> hop(shared_count& count, int times)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    for (int i = 0; i < times; ++i) {
        if (count.inside.fetch_add(1) != 0) count.overlapped = true;
        ++count.total;
        count.inside.fetch_sub(1);
        co_await weft::yield_now();
        co_await asio::post(loop.executor(), weft::use_task);
    }
    ++count.ended;
}

BOOST_AUTO_TEST_CASE(on_a_strand_of_two_os_threads_one_thing_happens_at_a_time)
{
    asio::io_context io;
    serial_loop loop{io, serial_loop::on_strand{}};
    BOOST_TEST(loop.is_strand());
    weft::stop_scope scope;
    const weft::task_context context{&loop, &scope};
    shared_count count;
    constexpr int coroutines = 8;
    constexpr int times = 2'000;
    std::vector<weft::task<void>> tasks;
    asio::post(loop.executor(), [&] {
        for (int i = 0; i < coroutines; ++i) {
            tasks.push_back(hop(count, times));
            BOOST_VERIFY(!tasks.back().start(context, [](void*) {}, nullptr));
        }
    });
    std::thread other{[&io] { io.run(); }};
    io.run();
    other.join();
    BOOST_TEST(!count.overlapped);
    BOOST_TEST(count.total == coroutines * times);
    BOOST_TEST(count.ended == coroutines);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(loop_executor_test)

BOOST_AUTO_TEST_CASE(it_is_an_executor_of_asio)
{
    static_assert(asio::is_executor<weft::loop_executor>::value || asio::execution::is_executor_v<weft::loop_executor>);
    asio::io_context io{1};
    serial_loop loop{io};
    const weft::loop_executor executor = loop.executor();
    BOOST_TEST(&asio::query(executor, asio::execution::context) == &io);
    BOOST_TEST((executor == loop.executor()));
    BOOST_TEST((executor != asio::require(executor, asio::execution::blocking.never)));
    const asio::any_io_executor any{executor};
    int ran = 0;
    asio::post(any, [&] { ++ran; });
    asio::dispatch(executor, [&] { ++ran; });
    BOOST_TEST(ran == 0);
    io.run();
    BOOST_TEST(ran == 2);
}

BOOST_AUTO_TEST_CASE(it_knows_whether_it_runs_here_and_dispatches_inline_then)
{
    asio::io_context io;
    for (const bool strand : {false, true}) {
        const auto loop = strand ? std::make_unique<serial_loop>(io, serial_loop::on_strand{})
                                 : std::make_unique<serial_loop>(io);
        const weft::loop_executor executor = loop->executor();
        BOOST_TEST(!executor.running_in_this_thread());
        bool was_here = false;
        bool has_run = false;
        bool was_inline = false;
        asio::post(executor, [&] {
            was_here = executor.running_in_this_thread();
            asio::dispatch(executor, [&] { has_run = true; });
            was_inline = has_run;
        });
        io.restart();
        io.run_one();
        BOOST_TEST(was_here);
        BOOST_TEST(was_inline);
        io.run();
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace serial_loop_cases
