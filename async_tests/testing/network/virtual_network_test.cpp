#include <boost/test/unit_test.hpp>

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/net/http_server.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/virtual_network.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(virtual_network_test)

using namespace std::chrono_literals;
using weft::errc;
using weft::testing::network_weather;
using weft::testing::simulation;
using weft::testing::virtual_network;
using weft::testing::virtual_peer;

weft::task<void> echo_body(weft::http_call& call)
{
    std::string body = co_await call.read_body();
    weft::http_reply answer{200, std::move(body)};
    co_await call.reply(std::move(answer));
}

/** A world with a server that echoes bodies at localhost:80. */
struct echo_world {
    explicit echo_world(std::uint64_t seed, network_weather weather = {},
                        weft::http_server::handler_function handler = echo_body)
        : world{seed}, network{world, weather}, server{world.loop(), std::move(handler)}
    {
        server.listen_on(network.listen("localhost"));
        running.emplace(world, server.run());
    }
    void end()
    {
        server.drain();
        while (!running->has_ended()) world.step();
    }

    simulation world;
    virtual_network network;
    weft::http_server server;
    std::optional<simulation::root<void>> running;
};

weft::task<std::string> post(weft::http_client client, std::string body)
{
    weft::http_request request{"POST", weft::url{"http://localhost/"}};
    request.body(std::move(body));
    weft::http_response answer = co_await client.send(std::move(request));
    co_return co_await answer.read_all(1024 * 1024);
}

weft::task<void> pass(std::chrono::nanoseconds span) { co_await weft::sleep_for(span); }

network_weather stormy()
{
    network_weather weather;
    weather.delay_max = 20ms;
    weather.splits = true;
    weather.piece_bytes_max = 700;
    weather.window_bytes = 2'000;
    return weather;
}

std::string numbered(std::size_t count)
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text.append(std::to_string(i)).append(",");
    return text;
}

errc code_of_failure(simulation& world, weft::task<std::string> work)
{
    try {
        (void)world.run(std::move(work));
    } catch (const weft::error& e) {
        return e.code();
    }
    BOOST_FAIL("it succeeded");
    throw std::logic_error{"unreachable"};
}

BOOST_AUTO_TEST_CASE(a_server_and_a_client_meet_without_a_socket)
{
    echo_world at{1};
    BOOST_TEST(at.world.run(post(at.network.client(), "hello")) == "hello");
    BOOST_TEST(at.network.counts().connections == 1u);
    BOOST_TEST(at.network.open() == 1u);
    at.end();
    BOOST_TEST(at.network.open() == 0u);
}

BOOST_AUTO_TEST_CASE(bytes_arrive_whole_and_in_order_whatever_their_pieces)
{
    const std::string body = numbered(3'000);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        echo_world at{seed, stormy()};
        BOOST_TEST((at.world.run(post(at.network.client(), body)) == body), "seed " << seed);
        BOOST_TEST(at.network.counts().pieces > body.size() / 700);
        at.end();
    }
}

BOOST_AUTO_TEST_CASE(both_ways_of_reading_and_writing_are_played)
{
    std::uint64_t wrote_now = 0, read_now = 0, pieces = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        echo_world at{seed, seed % 2 == 0 ? stormy() : network_weather{}};
        (void)at.world.run(post(at.network.client(), numbered(3'000)));
        wrote_now += at.network.counts().wrote_now;
        read_now += at.network.counts().read_now;
        pieces += at.network.counts().pieces;
        at.end();
    }
    BOOST_TEST(wrote_now > 0u);
    BOOST_TEST(read_now > 0u);
    BOOST_TEST(wrote_now < pieces);
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_steps_and_pieces)
{
    const auto play = [](std::uint64_t seed) {
        echo_world at{seed, stormy()};
        (void)at.world.run(post(at.network.client(), numbered(500)));
        return std::vector<std::uint64_t>{at.world.steps(), at.network.counts().pieces,
                                          static_cast<std::uint64_t>(at.world.elapsed().count())};
    };
    BOOST_TEST(play(7) == play(7), boost::test_tools::per_element());
    BOOST_TEST((play(7) != play(8)));
}

weft::task<void> fill(virtual_peer& peer, std::size_t& sent)
{
    for (;;) {
        co_await peer.send(std::string(1'000, 'x'));
        sent += 1'000;
    }
}

BOOST_AUTO_TEST_CASE(a_peer_that_reads_nothing_makes_its_writer_wait_for_room)
{
    network_weather weather;
    weather.window_bytes = 8'000;
    const auto silent = [](weft::http_call&) -> weft::task<void> { co_await weft::sleep_for(1h); };
    echo_world at{1, weather, silent};
    virtual_peer peer = at.world.run(at.network.connect("localhost"));
    std::size_t sent = 0;
    // A request whose body the handler does not read: the server takes its head, and no more.
    at.world.run(peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"));
    simulation::root filling{at.world, fill(peer, sent)};
    at.world.run(pass(1min));
    BOOST_TEST(!filling.has_ended());
    BOOST_TEST(sent >= 7'000u);
    BOOST_TEST(sent <= 10'000u);
    peer.reset();
    while (!filling.has_ended()) at.world.step();
    BOOST_CHECK_THROW(filling.take(), weft::error);
}

BOOST_AUTO_TEST_CASE(a_half_closed_connection_is_answered)
{
    echo_world at{1};
    virtual_peer peer = at.world.run(at.network.connect("localhost"));
    at.world.run(peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"));
    peer.end_sending();
    std::string got;
    for (;;) {
        const std::string more = at.world.run(peer.receive());
        if (more.empty()) break;
        got += more;
    }
    BOOST_TEST(got.ends_with("\r\n\r\nhi"));
}

BOOST_AUTO_TEST_CASE(a_reset_loses_what_is_on_its_way_and_both_ends_learn_it)
{
    echo_world at{1};
    virtual_peer peer = at.world.run(at.network.connect("localhost"));
    at.world.run(peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    at.network.reset_all();
    BOOST_TEST((code_of_failure(at.world, peer.receive()) == errc::connection_lost));
    at.world.run(pass(10ms));
    BOOST_TEST(at.server.counts().open == 0u);
    BOOST_TEST(at.server.counts().requests == 0u);
    BOOST_TEST(at.network.counts().resets == 1u);
}

BOOST_AUTO_TEST_CASE(the_weather_breaks_connections)
{
    network_weather weather;
    weather.resets = 1;
    echo_world at{1, weather};
    BOOST_TEST((code_of_failure(at.world, post(at.network.client(), "hello")) == errc::connection_lost));
    at.network.set_weather(network_weather{});
    BOOST_TEST(at.world.run(post(at.network.client(), "hello")) == "hello");
}

BOOST_AUTO_TEST_CASE(nothing_listens_where_no_server_is_or_where_it_has_gone)
{
    std::optional<echo_world> at{std::in_place, 1u};
    const weft::http_client client = at->network.client();
    BOOST_TEST((code_of_failure(at->world, [](weft::http_client c) -> weft::task<std::string> {
        weft::http_response answer = co_await c.send(weft::http_request{"GET", weft::url{"http://localhost:81/"}});
        co_return co_await answer.read_all(10);
    }(client)) == errc::connect_failed));
    at->running.reset();
    at->network.reset_all();
    BOOST_TEST((code_of_failure(at->world, post(client, "hello")) == errc::connect_failed));
}

BOOST_AUTO_TEST_CASE(what_is_closed_with_bytes_unread_is_reset)
{
    const auto answers_at_once = [](weft::http_call& call) -> weft::task<void> {
        weft::http_reply answer{200, "done"};
        co_await call.reply(std::move(answer));
    };
    echo_world at{1, {}, answers_at_once};
    virtual_peer peer = at.world.run(at.network.connect("localhost"));
    at.world.run(peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    at.world.run(pass(10ms));
    peer.close();  // the answer is there and not read
    at.world.run(pass(10ms));
    BOOST_TEST(at.network.counts().resets == 1u);
    BOOST_TEST(at.server.counts().open == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
