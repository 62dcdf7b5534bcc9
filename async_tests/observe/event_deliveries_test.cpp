#include <boost/test/unit_test.hpp>

#include "store/redis_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/base/error.hpp>
#include <weft/observe/event_deliveries.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(event_deliveries_test)

namespace {

weft::redis_value answer_of(const redis_server& server, weft::redis_command command)
{
    const weft::redis_client client = server.client();
    return weft::run_blocking(client.call(std::move(command)));
}

weft::redis_value events_in_stream(const redis_server& server)
{
    weft::redis_command range{"XRANGE"};
    range.add("weft.events").add("-").add("+").reads_only();
    return answer_of(server, std::move(range));
}

weft::redis_delivery_options to_stream()
{
    return weft::redis_delivery_options{.mode = weft::redis_events::stream};
}

weft::publisher_options patient()
{
    return {.retry = {.attempts_max = 200, .initial = 50ms, .factor = 1, .jitter = weft::jitter::none}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_11_events_go_to_a_stream_of_redis_in_order)
{
    if (!redis_server::is_installed()) return;
    const redis_server server;
    weft::event_publisher sink{std::make_unique<weft::redis_delivery>(server.options(), to_stream())};
    BOOST_TEST(sink.label() == "redis at localhost:" + std::to_string(server.port()));
    for (int i = 0; i < 300; ++i) sink.publish("{\"n\":" + std::to_string(i) + "}");
    BOOST_TEST(sink.close(20s));
    BOOST_TEST(sink.counts().delivered == 300u);
    const weft::redis_value all = events_in_stream(server);
    BOOST_REQUIRE(all.items.size() == 300u);
    for (std::size_t i = 0; i < 300; ++i) {
        BOOST_REQUIRE(all.items[i].items[1].items[0].text == "event");
        BOOST_REQUIRE(all.items[i].items[1].items[1].text == "{\"n\":" + std::to_string(i) + "}");
    }
}

BOOST_AUTO_TEST_CASE(PYA_11_a_stream_of_redis_keeps_the_newest)
{
    if (!redis_server::is_installed()) return;
    const redis_server server;
    weft::redis_delivery_options short_stream = to_stream();
    short_stream.stream_max = 100;
    weft::event_publisher sink{std::make_unique<weft::redis_delivery>(server.options(), short_stream)};
    for (int i = 0; i < 1000; ++i) sink.publish(std::to_string(i));
    BOOST_TEST(sink.close(20s));
    const weft::redis_value all = events_in_stream(server);
    BOOST_TEST(all.items.size() < 400u);  // it drops whole nodes of its tree
    BOOST_TEST(all.items.back().items[1].items[1].text == "999");
}

BOOST_AUTO_TEST_CASE(PYA_11_events_go_to_a_channel_of_redis)
{
    if (!redis_server::is_installed()) return;
    const redis_server server;
    weft::event_publisher sink{std::make_unique<weft::redis_delivery>(server.options())};
    for (int i = 0; i < 10; ++i) sink.publish("x");
    BOOST_TEST(sink.close(20s));
    weft::redis_command info{"INFO"};
    info.add("commandstats").reads_only();
    BOOST_TEST(answer_of(server, std::move(info)).text.find("cmdstat_publish:calls=10,") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(PYA_11_a_redis_that_was_away_gets_what_waited)
{
    if (!redis_server::is_installed()) return;
    redis_server server;
    weft::redis_options options = server.options();
    options.request_timeout = 300ms;
    options.connect_timeout = 300ms;
    weft::event_publisher sink{std::make_unique<weft::redis_delivery>(options, to_stream()), patient()};
    server.kill();
    for (int i = 0; i < 10; ++i) sink.publish(std::to_string(i));
    server.restart();
    BOOST_TEST(sink.close(20s));
    BOOST_TEST(sink.counts().delivered == 10u);
    BOOST_TEST(events_in_stream(server).items.size() >= 10u);  // some may come twice
}

BOOST_AUTO_TEST_CASE(PYA_14_a_redis_that_answers_nothing_does_not_hold_a_close_up)
{
    if (!redis_server::is_installed()) return;
    const redis_server server;
    weft::redis_options options = server.options();
    options.request_timeout = 1h;
    weft::event_publisher sink{std::make_unique<weft::redis_delivery>(options, to_stream())};
    server.pause();
    sink.publish("x");
    BOOST_TEST(!sink.close(10ms));
    BOOST_TEST(sink.counts().failed == 1u);
    server.go_on();
}

BOOST_AUTO_TEST_SUITE_END()
