#include <boost/test/unit_test.hpp>

#include <weft/async/async_start.hpp>
#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/loop/ready_item.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/async/use_task.hpp>
#include <weft/base/random.hpp>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace loop_executor_cases {

namespace asio = boost::asio;
using weft::serial_loop;

/** Calls a function when it is its turn. */
struct calling_item : weft::ready_item {
    explicit calling_item(std::function<void()> what)
        : ready_item{[](ready_item& self) { static_cast<calling_item&>(self).what(); }}, what{std::move(what)}
    {
    }
    std::function<void()> what;
};

BOOST_AUTO_TEST_SUITE(loop_executor_test)

BOOST_AUTO_TEST_CASE(what_is_posted_within_the_loop_stands_in_its_ready_queue)
{
    asio::io_context io{1};
    serial_loop loop{io};
    std::vector<int> notes;
    calling_item behind{[&] { notes.push_back(3); }};
    calling_item first{[&] {
        asio::post(loop.executor(), [&] { notes.push_back(2); });
        loop.defer(behind);
        notes.push_back(1);
    }};
    loop.defer(first);
    BOOST_TEST(io.run() == 1u);  // the pump, and no handler for what was posted
    BOOST_TEST(notes == (std::vector{1, 2, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_posted_from_elsewhere_is_a_handler_of_asio)
{
    asio::io_context io{1};
    serial_loop loop{io};
    int calls = 0;
    asio::post(loop.executor(), [&] { ++calls; });
    BOOST_TEST(loop.is_idle());
    BOOST_TEST(io.run() == 1u);
    BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(what_is_posted_on_another_context_goes_there)
{
    asio::io_context io{1};
    asio::io_context other{1};
    serial_loop loop{io};
    serial_loop theirs{other};
    int calls = 0;
    calling_item item{[&] { asio::post(theirs.executor(), [&] { ++calls; }); }};
    loop.defer(item);
    io.run();
    BOOST_TEST(calls == 0);
    other.run();
    BOOST_TEST(calls == 1);
}

weft::task<void> hop(int count)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    for (int i = 0; i < count; ++i) co_await asio::post(loop.executor(), weft::use_task);
}

BOOST_AUTO_TEST_CASE(a_coroutine_that_posts_again_and_again_needs_few_handlers)
{
    asio::io_context io{1};
    serial_loop loop{io};
    weft::async_start(loop, hop(100), asio::detached);
    BOOST_TEST(io.run() < 10u);
    BOOST_TEST(loop.is_idle());
}

BOOST_AUTO_TEST_CASE(a_simulation_orders_what_is_ready_and_not_what_is_posted)
{
    asio::io_context io{1};
    serial_loop loop{io};
    weft::random_source order{1};
    loop.permute_ready(&order);
    bool is_ready = true;
    int calls = 0;
    calling_item item{[&] {
        asio::post(loop.executor(), [&] { ++calls; });
        is_ready = !loop.is_idle();
    }};
    loop.defer(item);
    io.run();
    BOOST_TEST(!is_ready);
    BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(an_exception_of_what_is_posted_leaves_run_and_the_rest_runs_afterwards)
{
    asio::io_context io{1};
    serial_loop loop{io};
    int calls = 0;
    calling_item item{[&] {
        asio::post(loop.executor(), [] { throw std::runtime_error{"thrown"}; });
        asio::post(loop.executor(), [&] { ++calls; });
    }};
    loop.defer(item);
    BOOST_CHECK_THROW(io.run(), std::runtime_error);
    BOOST_TEST(calls == 0);
    io.run();
    BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(what_was_posted_and_has_not_run_dies_uncalled_with_the_loop)
{
    asio::io_context io{1};
    auto loop = std::make_unique<serial_loop>(io);
    auto kept = std::make_shared<int>(0);
    const std::weak_ptr<int> watched = kept;
    calling_item item{[&] {
        asio::post(loop->executor(), [kept = std::exchange(kept, nullptr)] { ++*kept; });
        io.stop();
        throw std::runtime_error{"thrown"};
    }};
    loop->defer(item);
    BOOST_CHECK_THROW(io.run(), std::runtime_error);
    BOOST_REQUIRE(!watched.expired());
    loop.reset();
    BOOST_TEST(watched.expired());
}

/** Posts a function of its own when it runs. */
struct posting_item : weft::remote_item {
    posting_item(serial_loop& loop, std::shared_ptr<int> kept)
        : remote_item{[](remote_item& self) { static_cast<posting_item&>(self).post(); }}, loop{loop},
          kept{std::move(kept)}
    {
    }
    void post()
    {
        asio::post(loop.executor(), [kept = std::move(kept)] { ++*kept; });
    }
    serial_loop& loop;
    std::shared_ptr<int> kept;
};

BOOST_AUTO_TEST_CASE(what_the_end_of_a_loop_posts_dies_uncalled_with_the_context)
{
    auto io = std::make_unique<asio::io_context>(1);
    auto loop = std::make_unique<serial_loop>(*io);
    auto kept = std::make_shared<int>(0);
    posting_item item{*loop, kept};
    loop->post(item);
    loop.reset();
    io.reset();
    BOOST_TEST(kept.use_count() == 1);
    BOOST_TEST(*kept == 0);
}

BOOST_AUTO_TEST_CASE(what_another_os_thread_posts_may_post_within_the_loop)
{
    asio::io_context io{1};
    serial_loop loop{io};
    auto kept = std::make_shared<int>(0);
    posting_item item{loop, kept};
    std::thread{[&] { loop.post(item); }}.join();
    BOOST_TEST(io.run() == 2u);  // the drain, and the pump of what it has made ready
    BOOST_TEST(*kept == 1);
}

BOOST_AUTO_TEST_CASE(a_loop_may_end_in_what_it_runs)
{
    asio::io_context io{1};
    auto loop = std::make_unique<serial_loop>(io);
    int calls = 0;
    calling_item behind{[&] { ++calls; }};
    calling_item item{[&] {
        const weft::loop_executor executor = loop->executor();
        loop.reset();
        asio::post(executor, [&] { calls += 10; });
    }};
    loop->defer(item);
    loop->defer(behind);
    io.run();
    BOOST_TEST(calls == 10);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace loop_executor_cases
