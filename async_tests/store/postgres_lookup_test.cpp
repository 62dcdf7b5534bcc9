#ifdef WEFT_HAS_POSTGRES

#include "store/postgres/wire/pg_session.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

namespace postgres_lookup_test {

using namespace std::chrono_literals;
using namespace weft::postgres_detail;
using boost::asio::ip::udp;

/** A name server that takes questions and says nothing. */
struct mute_name_server {
    boost::asio::io_context io;
    udp::socket socket{io, udp::endpoint{boost::asio::ip::address_v4::loopback(), 0}};
    [[nodiscard]] std::string address() const
    {
        return "127.0.0.1:" + std::to_string(socket.local_endpoint().port());
    }
};

pg_settings asking(const mute_name_server& server, std::chrono::milliseconds connect_timeout)
{
    pg_settings settings{connection_string{"host=database.test"}};
    settings.name_servers = server.address();
    settings.connect_timeout = connect_timeout;
    return settings;
}

weft::task<void> open(pg_settings settings, std::string& became)
{
    try {
        weft::task<std::unique_ptr<pg_connection>> opening = open_session(settings);
        static_cast<void>(co_await std::move(opening));
    } catch (const weft::error& e) {
        became = std::string{name_of(e.code())} + ": " + e.detail();
    }
}

weft::task<void> open_and_stop(pg_settings settings, std::string& became)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(open(std::move(settings), became));
    co_await weft::sleep_for(1ms);  // the loop goes on while the name is looked up
    BOOST_TEST(became == "");
    children.request_stop();
    co_await children.join();
}

BOOST_AUTO_TEST_SUITE(postgres_lookup_test)

BOOST_AUTO_TEST_CASE(F1_a_name_that_is_being_looked_up_blocks_nothing_and_a_stop_ends_it_at_once)
{
    const mute_name_server server;
    std::string became;
    const auto begun = weft::real_clock().now();
    weft::run_blocking(open_and_stop(asking(server, 60s), became));
    BOOST_TEST(became.starts_with("cancelled"), became);
    BOOST_TEST((weft::real_clock().now() - begun < 10s));
}

BOOST_AUTO_TEST_CASE(F1_a_name_that_is_not_answered_in_time_says_so)
{
    const mute_name_server server;
    std::string became;
    weft::run_blocking(open(asking(server, 20ms), became));
    BOOST_TEST(became.starts_with("store_unavailable: during the name lookup"), became);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_lookup_test

#endif
