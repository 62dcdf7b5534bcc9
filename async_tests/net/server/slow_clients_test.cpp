#include <boost/test/unit_test.hpp>

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/net/http_server.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/virtual_network.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Clients that drip, in virtual time: two thousand of them, and one that is in a hurry.
BOOST_AUTO_TEST_SUITE(slow_clients_test)

using namespace std::chrono_literals;
using weft::testing::simulation;
using weft::testing::virtual_network;
using weft::testing::virtual_peer;

constexpr int drippers = 2'000;

weft::task<void> echo_back(weft::http_call& call)
{
    std::string body = co_await call.read_body();
    weft::http_reply answer{200, std::move(body)};
    co_await call.reply(std::move(answer));
}

struct dripped {
    simulation* world;
    std::chrono::nanoseconds lasted{};
    bool was_closed = false;
};

/** Sends `first`, and then a byte a second for as long as the server likes it. */
weft::task<void> drip(virtual_network& network, std::string first, dripped& came)
{
    const auto began = came.world->elapsed();
    try {
        virtual_peer peer = co_await network.connect("localhost");
        co_await peer.send(std::move(first));
        for (int i = 0; i < 600; ++i) {
            co_await weft::sleep_for(1s);
            co_await peer.send("a");
        }
    } catch (const weft::error& e) {
        came.was_closed = e.code() == weft::errc::connection_lost;
    }
    came.lasted = came.world->elapsed() - began;
}

weft::task<void> hurry(weft::http_client client, simulation& world, std::vector<std::chrono::nanoseconds>& spans)
{
    for (int i = 0; i < 200; ++i) {
        const auto began = world.elapsed();
        weft::http_request request{"POST", weft::url{"http://localhost/"}};
        request.body("quick");
        weft::http_response answer = co_await client.send(std::move(request));
        const std::string body = co_await answer.read_all(100);
        if (body != "quick") throw weft::error{weft::errc::invalid_response, "a normal client", body};
        spans.push_back(world.elapsed() - began);
        co_await weft::sleep_for(50ms);
    }
}

/** @param slow   How many clients drip beside the normal one. @return  The 99th of 100 spans of the normal one. */
std::chrono::nanoseconds p99_beside(int slow, std::string_view first, std::chrono::nanoseconds lasts_max)
{
    simulation world{1};
    virtual_network network{world};
    weft::http_server server{world.loop(), echo_back};
    server.listen_on(network.listen("localhost"));
    simulation::root running{world, server.run()};
    std::deque<dripped> came;
    std::deque<simulation::root<void>> clients;
    for (int i = 0; i < slow; ++i) {
        came.push_back(dripped{&world});
        clients.emplace_back(world, drip(network, std::string{first}, came.back()));
    }
    std::vector<std::chrono::nanoseconds> spans;
    world.run(hurry(network.client(), world, spans));
    for (auto& each : clients)
        while (!each.has_ended()) world.step();
    const auto closed = std::count_if(came.begin(), came.end(), [](const dripped& one) { return one.was_closed; });
    BOOST_TEST(closed == slow);
    std::chrono::nanoseconds longest{};
    for (const dripped& each : came) longest = std::max(longest, each.lasted);
    BOOST_TEST(longest <= lasts_max, std::chrono::duration_cast<std::chrono::milliseconds>(longest).count() << " ms");
    server.drain();
    while (!running.has_ended()) world.step();
    BOOST_TEST(network.open() == 0u);
    std::sort(spans.begin(), spans.end());
    return spans[spans.size() * 99 / 100];
}

BOOST_AUTO_TEST_CASE(heads_that_drip_are_closed_at_their_deadline_and_a_normal_client_does_not_wait_for_them)
{
    const std::string_view head = "GET / HTTP/1.1\r\nHost: x\r\nX: ";
    const auto alone = p99_beside(0, head, 0s);
    // 10 s from the first byte of the head, and a beat of the client until it notices.
    BOOST_TEST((p99_beside(drippers, head, 12'100ms) <= alone + alone / 10));
}

BOOST_AUTO_TEST_CASE(bodies_that_drip_are_closed_when_they_fall_behind)
{
    const std::string_view head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n";
    const auto alone = p99_beside(0, head, 0s);
    // 5 s behind the pace of 1 KB a second.
    BOOST_TEST((p99_beside(drippers, head, 7'100ms) <= alone + alone / 10));
}

BOOST_AUTO_TEST_CASE(clients_that_connect_and_say_nothing_are_closed_when_they_have_been_idle_for_long)
{
    const auto alone = p99_beside(0, "", 0s);
    // The byte after a second begins a head.
    BOOST_TEST((p99_beside(drippers, "", 13'100ms) <= alone + alone / 10));
}

BOOST_AUTO_TEST_SUITE_END()
