#include <boost/test/unit_test.hpp>

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/virtual_network.hpp>

#include <chrono>
#include <optional>
#include <string>

// Clients that go away, half-close or read nothing, in virtual time.
BOOST_AUTO_TEST_SUITE(disconnect_test)

using namespace std::chrono_literals;
using weft::run_phase;
using weft::testing::network_weather;
using weft::testing::simulation;
using weft::testing::virtual_network;
using weft::testing::virtual_peer;

inline constexpr weft::state_key<std::string> name{"name"};

/** A node that works for an hour, unless it is stopped. */
weft::graph long_work()
{
    return weft::graph_builder{"long"}
        .state(name)
        .node("work", [](weft::node_context&) -> weft::task<void> { co_await weft::sleep_for(1h); })
        .edge(weft::start, "work")
        .build();
}

/** A node that says two megabytes and is done. */
weft::graph loud_work()
{
    return weft::graph_builder{"loud"}
        .state(name)
        .node("shout", [](weft::node_context& ctx) {
            for (int i = 0; i < 1'000; ++i) ctx.emit(std::string(2'000, '.'));
        })
        .edge(weft::start, "shout")
        .build();
}

weft::task<void> pause(std::chrono::nanoseconds span) { co_await weft::sleep_for(span); }

/** A server in a network whose ends are far enough from each other to see who waits for whom. */
struct served {
    explicit served(network_weather weather = {}) : network{world, weather}
    {
        server.listen_on(network.listen("localhost"));
        running.emplace(world, server.run());
    }

    /** A client that has begun a run by a stream, and read the head of its answer. */
    virtual_peer begin(std::string_view graph, std::string_view with = "")
    {
        const std::string body = std::string{R"({"assistant_id":")"}.append(graph).append(
            R"(","input":{},"if_not_exists":"create","stream_mode":"messages-tuple")").append(with).append("}");
        virtual_peer peer = world.run(network.connect("localhost"));
        world.run(peer.send("POST /threads/t/runs/stream HTTP/1.1\r\nHost: localhost\r\n"
                            "Content-Type: application/json\r\nContent-Length: " +
                            std::to_string(body.size()) + "\r\n\r\n" + body));
        head = world.run(peer.receive(8 * 1024));
        return peer;
    }
    [[nodiscard]] std::optional<run_phase> phase()
    {
        const auto active = world.run(store.active_run(weft::thread_key{"t"}));
        return active ? std::optional{active->phase} : std::nullopt;
    }
    /** Virtual time until no run is active; nothing: an hour was not enough. */
    std::optional<std::chrono::nanoseconds> until_over(std::chrono::nanoseconds patience)
    {
        const auto began = world.elapsed();
        while (world.elapsed() - began < patience) {
            if (!phase()) return world.elapsed() - began;
            world.run(pause(1ms));
        }
        return std::nullopt;
    }

    simulation world{1};
    virtual_network network;
    weft::memory_store store{weft::hash_key{}};
    weft::server server{world.loop(), weft::server_stores{store}, {long_work(), loud_work()}};
    std::optional<simulation::root<void>> running;
    std::string head;
};

BOOST_AUTO_TEST_CASE(the_head_of_a_stream_and_its_first_frame_come_at_once)
{
    served at;
    const auto began = at.world.elapsed();
    virtual_peer peer = at.begin("long");
    BOOST_TEST(at.head.find("HTTP/1.1 200 OK\r\n") == 0u, at.head);
    for (const char* const line : {"text/event-stream\r\n", "X-Accel-Buffering: no\r\n", "Cache-Control: no-store\r\n"})
        BOOST_TEST(at.head.find(line) != std::string::npos, at.head);
    BOOST_TEST(at.head.find("Content-Encoding") == std::string::npos);
    while (at.head.find("event: metadata\n") == std::string::npos) at.head += at.world.run(peer.receive());
    BOOST_TEST((at.world.elapsed() - began < 20ms));
    // Then a sign of life every five seconds.
    const auto before = at.world.elapsed();
    const std::string sign = at.world.run(peer.receive());
    BOOST_TEST(sign.find(": heartbeat\n\n") != std::string::npos, sign);
    BOOST_TEST((at.world.elapsed() - before <= 5'100ms));
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_without_its_client_unless_the_client_wants_it_to_end)
{
    served at;
    virtual_peer peer = at.begin("long");
    peer.reset();
    at.world.run(pause(1min));
    BOOST_TEST((at.phase() == run_phase::running));
    BOOST_TEST(at.server.counts().open == 0u);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_to_end_with_its_client_does_within_50_ms)
{
    for (const bool vanishes : {false, true}) {
        served at;
        virtual_peer peer = at.begin("long", R"(,"on_disconnect":"cancel")");
        BOOST_TEST((at.phase() == run_phase::running));
        if (vanishes) peer.reset();
        else peer.close();
        const auto span = at.until_over(1s);
        BOOST_TEST_REQUIRE(span.has_value());
        BOOST_TEST((*span <= 50ms), std::chrono::duration_cast<std::chrono::milliseconds>(*span).count() << " ms");
    }
}

BOOST_AUTO_TEST_CASE(a_client_that_half_closes_is_noticed_before_the_next_heartbeat)
{
    served at;
    virtual_peer peer = at.begin("long");
    peer.end_sending();
    at.world.run(pause(100ms));
    BOOST_TEST(at.server.counts().open == 0u);
    BOOST_TEST((at.phase() == run_phase::running));
}

BOOST_AUTO_TEST_CASE(a_reader_that_reads_nothing_costs_64_KB_and_its_run_goes_on)
{
    network_weather weather;
    weather.window_bytes = 16 * 1024;
    served at{weather};
    virtual_peer peer = at.begin("loud");
    // The run has said two megabytes and is over, while the client sits on the first ones.
    BOOST_TEST(at.until_over(1s).has_value());
    BOOST_TEST(at.network.counts().write_bytes_max <= 64u * 1024);
    BOOST_TEST(at.server.counts().open == 1u);
    // It is given up when it has taken nothing for 30 s.
    at.world.run(pause(31s));
    BOOST_TEST(at.server.counts().open == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
