#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/use_task.hpp>
#include <weft/testing/async_test_case.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <memory>
#include <string>
#include <tuple>

BOOST_AUTO_TEST_SUITE(use_task_test)

namespace {

using async_tests::error_of;
using weft::errc;
using weft::task;
using weft::use_task;
using weft::use_task_result;
namespace asio = boost::asio;
namespace this_task = weft::this_task;

using socket_type = asio::basic_stream_socket<asio::local::stream_protocol, weft::loop_executor>;
using timer_type = asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                                              weft::loop_executor>;

struct socket_pair {
    explicit socket_pair(weft::serial_loop& loop) : near{loop.executor()}, far{loop.executor()}
    {
        asio::local::connect_pair(near, far);
    }
    socket_type near;
    socket_type far;
};

task<std::size_t> read_some(socket_type& from)
{
    std::array<char, 16> bytes{};
    const std::size_t read = co_await from.async_read_some(asio::buffer(bytes), use_task);
    co_return read;
}

WEFT_ASYNC_TEST_CASE(an_operation_gives_its_result)
{
    weft::serial_loop& loop = co_await this_task::loop();
    socket_pair sockets{loop};
    const std::string sent = "hello";
    const std::size_t written = co_await asio::async_write(sockets.near, asio::buffer(sent), use_task);
    BOOST_TEST(written == 5U);
    std::string received(5, ' ');
    const std::size_t read = co_await asio::async_read(sockets.far, asio::buffer(received), use_task);
    BOOST_TEST(read == 5U);
    BOOST_TEST(received == sent);
}

WEFT_ASYNC_TEST_CASE(an_operation_without_a_result_gives_nothing)
{
    weft::serial_loop& loop = co_await this_task::loop();
    co_await asio::post(loop.executor(), use_task);
    BOOST_TEST(loop.executor().running_in_this_thread());
}

task<boost::system::error_code> failure_of_read(socket_type& from)
{
    boost::system::error_code code;
    try {
        const std::size_t read = co_await read_some(from);
        BOOST_TEST(read == 0U);
    } catch (const boost::system::system_error& e) {
        code = e.code();
    }
    co_return code;
}

WEFT_ASYNC_TEST_CASE(an_error_is_thrown_as_system_error)
{
    weft::serial_loop& loop = co_await this_task::loop();
    socket_pair sockets{loop};
    sockets.near.close();
    const boost::system::error_code code = co_await failure_of_read(sockets.far);
    BOOST_TEST(code == asio::error::eof);
}

WEFT_ASYNC_TEST_CASE(use_task_result_gives_the_error_instead_of_throwing)
{
    weft::serial_loop& loop = co_await this_task::loop();
    socket_pair sockets{loop};
    sockets.near.close();
    std::array<char, 16> bytes{};
    auto [code, read] = co_await sockets.far.async_read_some(asio::buffer(bytes), use_task_result);
    BOOST_TEST(code == asio::error::eof);
    BOOST_TEST(read == 0U);
}

/** An operation that completes inside its initiation, which Asio's own never do. */
template <class Token>
auto async_at_once(int value, Token&& token)
{
    return asio::async_initiate<Token, void(boost::system::error_code, int, std::string)>(
        [](auto handler, int number) { std::move(handler)(boost::system::error_code{}, number, "text"); }, token,
        value);
}

WEFT_ASYNC_TEST_CASE(an_operation_may_complete_at_once_and_have_several_results)
{
    const std::tuple<int, std::string> both = co_await async_at_once(7, use_task);
    BOOST_TEST(std::get<0>(both) == 7);
    BOOST_TEST(std::get<1>(both) == "text");
    auto [code, number, text] = co_await async_at_once(8, use_task_result);
    BOOST_TEST(!code);
    BOOST_TEST(number == 8);
    BOOST_TEST(text == "text");
}

/** An operation whose initiation throws. */
template <class Token>
auto async_throwing(Token&& token)
{
    return asio::async_initiate<Token, void(boost::system::error_code)>(
        [](auto) { throw std::runtime_error{"cannot start"}; }, token);
}

task<void> await_throwing() { co_await async_throwing(use_task); }

BOOST_AUTO_TEST_CASE(an_initiation_that_throws_throws_where_it_is_awaited)
{
    weft::testing::simulation sim{1};
    BOOST_CHECK_THROW(sim.run(await_throwing()), std::runtime_error);
}

task<void> stop_soon(weft::stop_scope& scope)
{
    co_await weft::sleep_for(std::chrono::milliseconds{1});
    scope.request_stop();
}

task<void> read_until_stopped(int& outcome)
{
    const weft::task_context& context = co_await this_task::context();
    socket_pair sockets{*context.loop};
    std::array<char, 16> bytes{};
    auto [code, read] = co_await sockets.far.async_read_some(asio::buffer(bytes), use_task_result);
    outcome = code == asio::error::operation_aborted ? 1 : 2;
    auto [again, nothing] = co_await sockets.far.async_read_some(asio::buffer(bytes), use_task_result);
    if (again == asio::error::operation_aborted && read + nothing == 0) outcome += 10;
    co_await read_some(sockets.far);
}

task<std::optional<errc>> stopped_read(int& outcome)
{
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    children.spawn(stop_soon(*context.scope));
    co_return co_await error_of(read_until_stopped(outcome));
}

BOOST_AUTO_TEST_CASE(a_stop_aborts_the_operation_and_nothing_starts_afterwards)
{
    weft::testing::simulation sim{1};
    int outcome = 0;
    BOOST_TEST((sim.run(stopped_read(outcome)) == errc::cancelled));
    BOOST_TEST(outcome == 11);
}

task<void> read_into_the_void(std::shared_ptr<socket_pair> sockets, std::shared_ptr<std::array<char, 16>> bytes)
{
    co_await sockets->far.async_read_some(asio::buffer(*bytes), use_task);
}

BOOST_AUTO_TEST_CASE(a_destroyed_coroutine_lets_go_of_its_operation)
{
    weft::testing::simulation sim{1};
    auto sockets = std::make_shared<socket_pair>(sim.loop());
    auto bytes = std::make_shared<std::array<char, 16>>();
    {
        weft::testing::simulation::root<void> reading{sim, read_into_the_void(sockets, bytes)};
        BOOST_TEST(!reading.has_ended());
    }
    BOOST_TEST(sockets.use_count() == 1);
    sim.context().poll();
    BOOST_TEST(sim.context().stopped());  // the operation is over: no work is left
}

BOOST_AUTO_TEST_CASE(an_operation_that_is_pending_when_the_context_dies_is_freed)
{
    weft::stop_scope scope;
    task<void> reading;
    {
        asio::io_context io{1};
        const weft::task_context context{&weft::serial_loop::of(io), &scope};
        auto sockets = std::make_shared<socket_pair>(*context.loop);
        reading = read_into_the_void(sockets, std::make_shared<std::array<char, 16>>());
        BOOST_TEST(!reading.start(context, [](void*) {}, nullptr));
        reading.reset();
    }
    BOOST_TEST(!reading);
}

task<void> keep_owner(std::shared_ptr<socket_pair> sockets)
{
    auto bytes = std::make_shared<std::array<char, 16>>();
    auto owner = std::make_shared<std::pair<std::shared_ptr<socket_pair>, std::shared_ptr<std::array<char, 16>>>>(
        sockets, bytes);
    const auto buffer = asio::buffer(*bytes);
    co_await sockets->far.async_read_some(buffer, weft::use_task_keeping{owner});
}

BOOST_AUTO_TEST_CASE(use_task_keeping_keeps_the_owner_until_the_handler_has_run)
{
    weft::testing::simulation sim{1};
    std::weak_ptr<socket_pair> watched;
    {
        auto sockets = std::make_shared<socket_pair>(sim.loop());
        watched = sockets;
        const weft::testing::simulation::root<void> reading{sim, keep_owner(std::move(sockets))};
    }
    BOOST_TEST(!watched.expired());
    sim.context().poll();
    BOOST_TEST(watched.expired());
}

task<void> echo_once()
{
    weft::serial_loop& loop = co_await this_task::loop();
    socket_pair sockets{loop};
    const std::string sent = "ping";
    co_await asio::async_write(sockets.near, asio::buffer(sent), use_task);
    std::string received(4, ' ');
    co_await asio::async_read(sockets.far, asio::buffer(received), use_task);
    co_await asio::post(loop.executor(), use_task);
}

BOOST_AUTO_TEST_CASE(operations_can_be_stopped_and_torn_down_everywhere)
{
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(echo_once) >= 4U);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(echo_once) >= 3U);
}

task<long> wait_on_timer(int times)
{
    weft::serial_loop& loop = co_await this_task::loop();
    timer_type timer{loop.executor()};
    long waited = 0;
    for (int i = 0; i < times; ++i) {
        timer.expires_after(std::chrono::microseconds{1});
        co_await timer.async_wait(use_task);
        ++waited;
    }
    co_return waited;
}

BOOST_AUTO_TEST_CASE(many_operations_one_after_another_need_no_stack)
{
    BOOST_TEST(weft::run_blocking(wait_on_timer(2'000)) == 2'000);
}

using asio::ip::tcp;

task<void> connect_to(tcp::endpoint there)
{
    weft::serial_loop& loop = co_await this_task::loop();
    tcp::socket socket{loop.context()};
    co_await socket.async_connect(there, use_task);
}

task<void> accept_two(bool& is_open)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const weft::task_context& context = co_await this_task::context();
    tcp::acceptor acceptor{loop.context(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
    weft::scope clients{context};
    clients.spawn(connect_to(acceptor.local_endpoint()));
    clients.spawn(connect_to(acceptor.local_endpoint()));
    const tcp::socket first = co_await acceptor.async_accept(use_task);
    const auto [failed, second] = co_await acceptor.async_accept(use_task_result);
    is_open = first.is_open() && !failed && second.is_open();
    co_await clients.join();
}

BOOST_AUTO_TEST_CASE(U2_a_socket_is_accepted_though_it_cannot_be_made_from_nothing)
{
    bool is_open = false;
    weft::run_blocking(accept_two(is_open));
    BOOST_TEST(is_open);
}

task<void> accept_in_stopped_scope(bool& was_aborted)
{
    weft::serial_loop& loop = co_await this_task::loop();
    const weft::task_context& context = co_await this_task::context();
    tcp::acceptor acceptor{loop.context(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
    context.scope->request_stop();
    const auto [failed, socket] = co_await acceptor.async_accept(use_task_result);
    was_aborted = failed == asio::error::operation_aborted && !socket.is_open();
    const tcp::socket none = co_await acceptor.async_accept(use_task);
}

BOOST_AUTO_TEST_CASE(U2_a_stop_ends_an_accept)
{
    weft::testing::simulation sim{1};
    bool was_aborted = false;
    BOOST_TEST((sim.run(error_of(accept_in_stopped_scope(was_aborted))) == errc::cancelled));
    BOOST_TEST(was_aborted);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
