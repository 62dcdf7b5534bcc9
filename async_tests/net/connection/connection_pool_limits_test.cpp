#include <boost/test/unit_test.hpp>

#include "net/http_fixture.hpp"

#include <deque>
#include <optional>

BOOST_AUTO_TEST_SUITE(connection_pool_limits_test)

using namespace http_fixture;
using namespace std::chrono_literals;
using weft::errc;
using weft::http_client;
using weft::http_response;
using weft::url;

BOOST_AUTO_TEST_CASE(more_requests_than_connections_wait_in_line)
{
    tls_peer peer{tell_number};
    test_loop loop;
    const http_client client{trusting({.connections_max = 2})};
    std::optional<http_response> first = response_from(loop, client, peer.url());
    std::optional<http_response> second = response_from(loop, client, peer.url());
    started third{loop, fetch(client, peer.url())};
    started fourth{loop, fetch(client, peer.url())};
    loop.settle();
    BOOST_TEST(!third.is_done());
    BOOST_TEST(client.counts().opened == 2u);

    started rest{loop, second->read_all(10)};
    (void)rest.result();
    BOOST_TEST(third.result().body == "2");   // it goes on over the connection that became free
    BOOST_TEST(fourth.result().body == "2");
    first.reset();
    BOOST_TEST(client.counts().opened == 2u);
    BOOST_TEST(client.counts().open == 1u);
}

BOOST_AUTO_TEST_CASE(a_connection_that_is_closed_lets_the_next_in_line_open_one)
{
    tls_peer peer{tell_number};
    test_loop loop;
    const http_client client{trusting({.connections_max = 1})};
    std::optional<http_response> first = response_from(loop, client, peer.url());
    started second{loop, fetch(client, peer.url())};
    first.reset();
    BOOST_TEST(second.result().body == "2");
}

BOOST_AUTO_TEST_CASE(limits_that_leave_no_connection_are_refused_together_when_the_client_is_made)
{
    BOOST_CHECK_EXCEPTION(http_client(trusting({.connections_max = 0, .lookups_max = 0})), weft::error,
                          [](const weft::error& e) {
                              return e.code() == errc::invalid_configuration && e.where() == "http_client_options" &&
                                     e.detail() == "connections_max must be at least 1; lookups_max must be at least 1";
                          });
}

BOOST_AUTO_TEST_CASE(a_failed_connection_attempt_lets_the_next_in_line_try)
{
    std::uint16_t port = 0;
    {
        const tls_peer gone{echo};
        port = gone.port();
    }
    const url target{"http://127.0.0.1:" + std::to_string(port)};
    test_loop loop;
    const http_client client{trusting({.connections_max = 1})};
    started first{loop, fetch(client, target)};
    started second{loop, fetch(client, target)};
    BOOST_TEST((first.failure().code() == errc::connect_failed));
    BOOST_TEST((second.failure().code() == errc::connect_failed));
}

BOOST_AUTO_TEST_CASE(the_line_is_bounded_in_length_and_time)
{
    tls_peer peer{tell_number};
    hand_clock time;
    test_loop loop{time};
    const http_client client{trusting({.connections_max = 1, .waiting_max = 1, .waiting_time_max = 10s})};
    const http_response first = response_from(loop, client, peer.url());
    started second{loop, fetch(client, peer.url())};
    started third{loop, fetch(client, peer.url())};
    BOOST_TEST((third.failure().code() == errc::limit_reached));
    loop.advance(9s);
    BOOST_TEST(!second.is_done());
    loop.advance(1s);
    BOOST_TEST((second.failure().code() == errc::limit_reached));
}

BOOST_AUTO_TEST_CASE(no_more_unused_connections_are_kept_than_allowed)
{
    tls_peer one{tell_number};
    tls_peer other{tell_number};
    test_loop loop;
    const http_client client{trusting({.idle_max = 2, .idle_total_max = 3})};
    const auto use_three = [&](tls_peer& peer) {
        std::deque<http_response> responses;
        for (int i = 0; i < 3; ++i) responses.push_back(response_from(loop, client, peer.url()));
        for (http_response& response : responses) {
            started all{loop, response.read_all(10)};
            (void)all.result();
        }
    };
    use_three(one);
    BOOST_TEST(client.counts().idle == 2u);
    use_three(other);
    BOOST_TEST(client.counts().idle == 3u);
    BOOST_TEST(client.counts().open == 3u);
    BOOST_TEST(body_of(loop, client, other.url()) == "3");  // those kept are the ones used last
}

BOOST_AUTO_TEST_CASE(connections_unused_for_too_long_are_closed_while_others_are_busy)
{
    tls_peer peer{tell_number};
    tls_peer busy{tell_number};
    hand_clock time;
    test_loop loop{time};
    const http_client client{trusting({.idle_time_max = 30s})};
    (void)body_of(loop, client, peer.url());
    const http_response response = response_from(loop, client, busy.url());
    loop.advance(29s);
    BOOST_TEST(client.counts().idle == 1u);
    loop.advance(1s);
    BOOST_TEST(client.counts().idle == 0u);
    peer.wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(a_connection_unused_for_too_long_is_not_used_again)
{
    tls_peer peer{tell_number};
    hand_clock time;
    test_loop loop{time};
    const http_client client{trusting({.idle_time_max = 30s})};
    BOOST_TEST(body_of(loop, client, peer.url()) == "1");
    time.move(30s);
    BOOST_TEST(body_of(loop, client, peer.url()) == "2");
}

BOOST_AUTO_TEST_CASE(an_idle_client_leaves_no_timer_that_would_keep_the_loop_running)
{
    for (const bool is_secure : {false, true}) {
        tls_peer peer{with_tls(is_secure), tell_number};
        test_loop loop;
        const http_client client = trusting_client();
        (void)body_of(loop, client, peer.url());
        BOOST_TEST(client.counts().idle == 1u);
        BOOST_TEST(!loop.loop().next_deadline().has_value());
    }
}

BOOST_AUTO_TEST_CASE(a_client_that_goes_closes_its_unused_connections)
{
    tls_peer peer{tell_number};
    test_loop loop;
    {
        std::optional<http_client> client = trusting_client();
        (void)body_of(loop, *client, peer.url());
        client.reset();  // outside of the loop: the loop does it as soon as it runs
    }
    loop.settle();
    peer.wait_until_done(1);
}

weft::task<void> use_and_drop_client(url target)
{
    http_client client = trusting_client();
    answer got = co_await fetch(client, std::move(target));
    BOOST_TEST(got.status == 200);
}

BOOST_AUTO_TEST_CASE(a_client_that_goes_on_its_loop_closes_its_unused_connections_at_once)
{
    tls_peer peer{tell_number};
    test_loop loop;
    started used{loop, use_and_drop_client(peer.url())};
    used.result();
    peer.wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(a_response_may_outlive_its_client)
{
    tls_peer peer{tell_number};
    test_loop loop;
    std::optional<http_client> client = trusting_client();
    http_response response = response_from(loop, *client, peer.url());
    client.reset();
    loop.settle();
    started all{loop, response.read_all(10)};
    BOOST_TEST(all.result() == "1");
}

BOOST_AUTO_TEST_CASE(a_loop_that_goes_takes_its_connections_along)
{
    tls_peer peer{tell_number};
    const http_client client = trusting_client();
    {
        test_loop loop;
        (void)body_of(loop, client, peer.url());
        BOOST_TEST(client.counts().open == 1u);
    }
    BOOST_TEST(client.counts().open == 0u);
    peer.wait_until_done(1);
}

BOOST_AUTO_TEST_SUITE_END()
