#include <boost/test/unit_test.hpp>

#include "net/dns_server.hpp"
#include "net/http_fixture.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>

#include <atomic>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

/** One client, many loops on OS threads of their own: what ThreadSanitizer looks at. */
BOOST_AUTO_TEST_SUITE(http_client_threads_test)

using namespace http_fixture;
using weft::errc;
using weft::http_client;
using weft::http_request;
using weft::task;
using weft::url;

constexpr int loops = 4;

/** Runs `work(number)` on so many OS threads, and waits for all of them. */
template <class Work>
void on_threads(int count, Work work)
{
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back([i, &work] { work(i); });
}

/** Sends requests one after the other.
 *  @return   How many were answered in full; the others have lost their connection. */
task<int> fetch_often(http_client client, url target, int times)
{
    int answered = 0;
    for (int i = 0; i < times; ++i) {
        try {
            const answer got = co_await fetch(client, target);
            answered += got.status == 200 ? 1 : 0;
        } catch (const weft::error& e) {
            if (e.code() != errc::connection_lost) throw;
        }
    }
    co_return answered;
}

task<void> count_answers(http_client client, url target, int times, int* sum)
{
    const int answered = co_await fetch_often(std::move(client), std::move(target), times);
    *sum += answered;
}

/** Several coroutines of one loop send requests side by side. */
task<int> fetch_side_by_side(http_client client, url target, int coroutines, int times)
{
    int answered = 0;
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    for (int i = 0; i < coroutines; ++i) children.spawn(count_answers(client, target, times, &answered));
    co_await children.join();
    co_return answered;
}

/** How a fetch ended that nothing answers; checks of Boost.Test are for one OS thread. */
task<errc> fetch_until_stopped(http_client client, url target)
{
    errc how{};
    try {
        (void)co_await fetch(std::move(client), std::move(target));
    } catch (const weft::error& e) {
        how = e.code();
    }
    co_return how;
}

BOOST_AUTO_TEST_CASE(one_client_serves_many_loops_at_once)
{
    tls_peer peer{secure(), echo};
    const http_client client = trusting_client();
    // The first handshake makes OpenSSL prepare the trusted root for all, in a way that ThreadSanitizer cannot follow
    // since OpenSSL is not built with it.
    BOOST_TEST(weft::run_blocking(fetch_often(client, peer.url(), 1)) == 1);
    std::atomic<int> answered{0};
    on_threads(loops, [&](int) { answered += weft::run_blocking(fetch_often(client, peer.url(), 20)); });
    BOOST_TEST(answered == loops * 20);
    BOOST_TEST(client.counts().opened == 1u + loops);
    BOOST_TEST(client.counts().resumed > 0u);  // by sessions of other loops
    BOOST_TEST(client.counts().open == 0u);  // the loops are gone, and with them what they kept
}

BOOST_AUTO_TEST_CASE(pools_under_load_keep_their_bounds_while_the_server_closes_connections)
{
    std::atomic<int> served{0};
    tls_peer peer{[&](peer_connection& connection) {
        for (int i = 1;; ++i) {
            (void)connection.read_request();
            ++served;
            connection.write(response_of("done"));
            if ((connection.number() + i) % 7 == 0) return connection.cut();
        }
    }};
    const http_client client{trusting({.connections_max = 2})};
    std::atomic<int> answered{0};
    on_threads(loops, [&](int) { answered += weft::run_blocking(fetch_side_by_side(client, peer.url(), 6, 10)); });
    BOOST_TEST(answered == loops * 60);
    BOOST_TEST(served == loops * 60);
    BOOST_TEST(client.counts().open == 0u);
}

BOOST_AUTO_TEST_CASE(requests_are_stopped_from_other_threads)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.wait_until_closed();
    }};
    const http_client client = trusting_client();
    std::vector<std::stop_source> stops(loops);
    std::atomic<int> cancelled{0};
    std::jthread stopper{[&] {
        while (peer.connections() == 0) std::this_thread::yield();
        for (std::stop_source& each : stops) each.request_stop();  // wherever each of them is
    }};
    on_threads(loops, [&](int number) {
        const std::stop_token stop = stops[static_cast<std::size_t>(number)].get_token();
        const errc how = weft::run_blocking(fetch_until_stopped(client, peer.url()), stop);
        cancelled += how == errc::cancelled ? 1 : 0;
    });
    BOOST_TEST(cancelled == loops);
    BOOST_TEST(client.counts().open == 0u);
}

BOOST_AUTO_TEST_CASE(lookups_are_stopped_from_other_threads_while_others_go_on)
{
    const dns_server server{[](const std::string& name) {
        return name.starts_with("good") ? found_at({"127.0.0.1"}) : dns_answer{};
    }};
    tls_peer peer{echo};
    const http_client client{trusting({.name_servers = server.address(), .lookups_max = 8})};
    std::stop_source stop;
    std::atomic<int> cancelled{0};
    std::atomic<int> answered{0};
    on_threads(2 * loops, [&](int number) {
        if (number % 2 == 0) {
            const url mute = peer.url("/", "mute.test");
            const errc how = weft::run_blocking(fetch_until_stopped(client, mute), stop.get_token());
            cancelled += how == errc::cancelled ? 1 : 0;
            return;
        }
        answered += weft::run_blocking(fetch_often(client, peer.url("/", "good.test"), 5));
        if (number == 1) {
            while (server.asked() < 4 * loops) std::this_thread::yield();  // two families for each loop
            stop.request_stop();
        }
    });
    BOOST_TEST(cancelled == loops);
    BOOST_TEST(answered == loops * 5);
}

BOOST_AUTO_TEST_CASE(the_last_copy_of_a_client_goes_on_another_thread_than_its_loops)
{
    tls_peer peer{echo};
    for (int round = 0; round < 5; ++round) {
        auto client = std::make_unique<http_client>(trusting());
        std::atomic<int> begun{0};
        std::atomic<int> answered{0};
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < loops; ++i)
                threads.emplace_back([&, copy = *client]() mutable {
                    task<int> work = fetch_often(std::move(copy), peer.url(), 5);
                    ++begun;
                    answered += weft::run_blocking(std::move(work));
                });
            while (begun < loops) std::this_thread::yield();
            client.reset();
        }
        BOOST_TEST(answered == loops * 5);
    }
}

BOOST_AUTO_TEST_SUITE_END()
