#include <boost/test/unit_test.hpp>

#include "net/http_fixture.hpp"

#include <boost/test/data/test_case.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

BOOST_AUTO_TEST_SUITE(connection_pool_test)

using namespace http_fixture;
using namespace std::chrono_literals;
using weft::errc;
using weft::http_client;
using weft::http_request;
using weft::http_response;
using weft::url;

const auto secure_or_not = boost::unit_test::data::make({false, true});

BOOST_DATA_TEST_CASE(a_connection_serves_one_request_after_the_other, secure_or_not, is_secure)
{
    tls_peer peer{with_tls(is_secure), tell_number};
    test_loop loop;
    const http_client client = trusting_client();
    for (int i = 0; i < 5; ++i) BOOST_TEST(body_of(loop, client, peer.url()) == "1");
    BOOST_TEST(client.counts().opened == 1u);
    BOOST_TEST(client.counts().reused == 4u);
    BOOST_TEST(client.counts().idle == 1u);
    BOOST_TEST(peer.connections() == 1);
}

BOOST_AUTO_TEST_CASE(requests_at_the_same_time_have_connections_of_their_own)
{
    tls_peer peer{tell_number};
    test_loop loop;
    const http_client client = trusting_client();
    {
        http_response first = response_from(loop, client, peer.url());
        http_response second = response_from(loop, client, peer.url());
        BOOST_TEST(client.counts().opened == 2u);
        started read_first{loop, first.read_all(10)};
        BOOST_TEST(read_first.result() == "1");
        started read_second{loop, second.read_all(10)};
        BOOST_TEST(read_second.result() == "2");
    }
    BOOST_TEST(client.counts().idle == 2u);
    BOOST_TEST(body_of(loop, client, peer.url()) == "2");  // the one that was used last
}

BOOST_AUTO_TEST_CASE(origins_do_not_share_connections)
{
    tls_peer one{tell_number};
    tls_peer other{tell_number};
    test_loop loop;
    const http_client client = trusting_client();
    (void)body_of(loop, client, one.url());
    (void)body_of(loop, client, other.url());
    (void)body_of(loop, client, one.url("/", "127.0.0.1"));  // another name is another origin
    BOOST_TEST(client.counts().opened == 3u);
    BOOST_TEST(client.counts().reused == 0u);
}

BOOST_AUTO_TEST_CASE(a_response_that_was_not_read_to_its_end_closes_its_connection)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.write(chunked_head() + chunk_of("data: 1\n\n"));
        connection.wait_until_closed();
    }};
    test_loop loop;
    const http_client client = trusting_client();
    {
        const http_response response = response_from(loop, client, peer.url());
        BOOST_TEST(client.counts().open == 1u);
    }
    BOOST_TEST(client.counts().open == 0u);
    peer.wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(a_response_that_was_read_gives_its_connection_back_before_it_is_destroyed)
{
    tls_peer peer{tell_number};
    test_loop loop;
    const http_client client = trusting_client();
    http_response response = response_from(loop, client, peer.url());
    started all{loop, response.read_all(10)};
    (void)all.result();
    BOOST_TEST(client.counts().idle == 1u);
    BOOST_TEST(body_of(loop, client, peer.url()) == "1");
    started again{loop, response.read_some()};
    BOOST_TEST(again.result() == "");  // the end stays the end
}

struct no_reuse {
    const char* name;
    std::string response;
    friend std::ostream& operator<<(std::ostream& out, const no_reuse& n) { return out << n.name; }
};

const no_reuse not_reusable[] = {
    {"close", response_of("x", "Connection: close\r\n")},
    {"http 1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"},
    {"bytes after the response", response_of("x") + "more"},
};

BOOST_DATA_TEST_CASE(a_connection_that_may_not_be_used_again_is_closed, boost::unit_test::data::make(not_reusable))
{
    tls_peer peer{[&](peer_connection& connection) {
        (void)connection.read_request();
        connection.write(sample.response);
        connection.wait_until_closed();
    }};
    test_loop loop;
    const http_client client = trusting_client();
    BOOST_TEST(body_of(loop, client, peer.url()) == "x");
    BOOST_TEST(client.counts().open == 0u);
    peer.wait_until_done(1);
    BOOST_TEST(body_of(loop, client, peer.url()) == "x");
    BOOST_TEST(client.counts().opened == 2u);
}

BOOST_DATA_TEST_CASE(an_unused_connection_that_the_peer_has_closed_is_replaced, secure_or_not, is_secure)
{
    tls_peer peer{with_tls(is_secure), [](peer_connection& connection) {
                      (void)connection.read_request();
                      connection.write(response_of(std::to_string(connection.number())));
                      connection.close();
                  }};
    test_loop loop;
    const http_client client = trusting_client();
    for (int i = 1; i <= 3; ++i) {
        BOOST_TEST(body_of(loop, client, peer.url()) == std::to_string(i));
        peer.wait_until_done(i);
    }
    BOOST_TEST(client.counts().reused == 0u);
    BOOST_TEST(client.counts().repeated == 0u);
}

/** Answers the first request of the first connection, reads the second and ends without a word; then it answers all.
 *  Counts what it has read. */
tls_peer::script lets_the_second_down(std::atomic<int>& served, void (peer_connection::*end)())
{
    return [&served, end](peer_connection& connection) {
        for (int i = 1;; ++i) {
            (void)connection.read_request();
            ++served;
            if (connection.number() == 1 && i == 2) return (connection.*end)();
            connection.write(response_of("done"));
        }
    };
}

void (peer_connection::*const silent_ends[])() = {&peer_connection::close, &peer_connection::cut,
                                                  &peer_connection::reset};

BOOST_DATA_TEST_CASE(a_get_is_sent_again_when_its_reused_connection_dies_without_a_word, secure_or_not, is_secure)
{
    for (const auto end : silent_ends) {
        std::atomic<int> served{0};
        tls_peer peer{with_tls(is_secure), lets_the_second_down(served, end)};
        test_loop loop;
        const http_client client = trusting_client();
        for (int i = 0; i < 2; ++i) BOOST_TEST(body_of(loop, client, peer.url()) == "done");
        BOOST_TEST(peer.connections() == 2);
        BOOST_TEST(client.counts().repeated == 1u);
    }
}

BOOST_DATA_TEST_CASE(W1_a_post_that_the_server_has_read_is_not_sent_again, secure_or_not, is_secure)
{
    for (const auto end : silent_ends) {
        std::atomic<int> served{0};
        tls_peer peer{with_tls(is_secure), lets_the_second_down(served, end)};
        test_loop loop;
        const http_client client = trusting_client();
        started first{loop, fetch(client, http_request{"POST", peer.url()})};
        BOOST_TEST(first.result().body == "done");
        started second{loop, fetch(client, http_request{"POST", peer.url()})};
        BOOST_TEST((second.failure().code() == errc::connection_lost));
        BOOST_TEST(served == 2);
        BOOST_TEST(client.counts().repeated == 0u);
    }
}

BOOST_AUTO_TEST_CASE(W1_a_post_with_an_idempotency_key_is_sent_again_with_the_same_key_and_body)
{
    std::mutex mutex;
    std::vector<std::string> requests;
    tls_peer peer{[&](peer_connection& connection) {
        for (int i = 1;; ++i) {
            const std::string request = connection.read_request();
            {
                const std::lock_guard lock{mutex};
                requests.push_back(request);
            }
            if (connection.number() == 1 && i == 2) return connection.close();
            connection.write(response_of("done"));
        }
    }};
    test_loop loop;
    const http_client client = trusting_client();
    for (const char* key : {"pay-1", "pay-2"}) {
        http_request request{"POST", peer.url()};
        request.idempotency_key(key).body("all of it");
        started fetched{loop, fetch(client, std::move(request))};
        BOOST_TEST(fetched.result().body == "done");
    }
    BOOST_TEST(client.counts().repeated == 1u);
    const std::lock_guard lock{mutex};
    BOOST_REQUIRE(requests.size() == 3u);
    BOOST_TEST(requests[1].find("Idempotency-Key: pay-2\r\n") != std::string::npos);
    BOOST_TEST(requests[1].ends_with("\r\n\r\nall of it"));
    BOOST_TEST(requests[2] == requests[1]);
}

BOOST_AUTO_TEST_CASE(W1_a_goodbye_of_tls_that_came_together_with_the_last_response_is_seen_before_the_next_request)
{
    std::atomic<bool> has_read{false};
    std::atomic<bool> may_answer{false};
    std::atomic<bool> has_answered{false};
    tls_peer peer{secure(), [&](peer_connection& connection) {
                      (void)connection.read_request();
                      has_read = true;
                      if (connection.number() == 1) may_answer.wait(false);
                      connection.write(response_of(std::to_string(connection.number())));
                      connection.say_goodbye();
                      has_answered = true;
                      has_answered.notify_all();
                      connection.wait_until_closed();
                  }};
    test_loop loop;
    const http_client client = trusting_client();
    started first{loop, fetch(client, http_request{"POST", peer.url()})};
    loop.run_until([&] { return has_read.load(); });
    may_answer = true;
    may_answer.notify_all();
    has_answered.wait(false);  // both lie in the socket when the client reads
    BOOST_TEST(first.result().body == "1");
    started second{loop, fetch(client, http_request{"POST", peer.url()})};
    BOOST_TEST(second.result().body == "2");
    BOOST_TEST(client.counts().reused == 0u);
}

/** What a server of many requests has done. */
struct served_requests {
    std::mutex mutex;
    std::map<std::string, int> times;  // by the body of the request
    std::mt19937 chance{7};

    /** One time in `n`. */
    bool happens(unsigned n)
    {
        const std::lock_guard lock{mutex};
        return chance() % n == 0;
    }
    void add(const std::string& request)
    {
        const std::lock_guard lock{mutex};
        ++times[request.substr(request.find("\r\n\r\n") + 4)];
    }
};

/** Closes idle connections at random moments; of POSTs also some that it has carried out. The moment comes while the
 *  client writes its next request. It is counted out on the processor: on a busy machine each yield lasts as long as
 *  the time slices of all others, and the tens of thousands here longer than the test may take. */
void serve_at_random(peer_connection& connection, served_requests& served)
{
    for (;;) {
        const std::string request = connection.read_request();
        served.add(request);
        if (request.starts_with("POST") && served.happens(16)) return connection.cut();
        connection.write(response_of("done"));
        if (!served.happens(8)) continue;
        for (unsigned spin = 0; !served.happens(256) && spin < 4000; ++spin) {
        }
        return connection.cut();
    }
}

BOOST_AUTO_TEST_CASE(W1_over_idle_connections_that_close_at_random_no_get_fails_and_no_post_is_carried_out_twice)
{
    constexpr int calls = 2000;
    served_requests served;
    tls_peer peer{[&](peer_connection& connection) { serve_at_random(connection, served); }};
    test_loop loop;
    const http_client client = trusting_client();
    for (int i = 0; i < calls; ++i) {
        http_request request{"GET", peer.url()};
        request.body("get " + std::to_string(i));
        started fetched{loop, fetch(client, std::move(request))};
        BOOST_REQUIRE(fetched.result().body == "done");
    }
    std::set<std::string> answered;
    for (int i = 0; i < calls; ++i) {
        const std::string name = "post " + std::to_string(i);
        http_request request{"POST", peer.url()};
        request.body(name);
        started fetched{loop, fetch(client, std::move(request))};
        try {
            BOOST_REQUIRE(fetched.result().body == "done");
            answered.insert(name);
        } catch (const weft::error& e) {
            BOOST_REQUIRE((e.code() == errc::connection_lost));
        }
    }
    const std::lock_guard lock{served.mutex};
    int lost = 0;
    for (int i = 0; i < calls; ++i) {
        const std::string name = "post " + std::to_string(i);
        const int times = served.times.contains(name) ? served.times[name] : 0;
        BOOST_TEST(times <= 1);
        if (answered.contains(name)) BOOST_TEST(times == 1);
        else ++lost;
    }
    BOOST_TEST(lost > 0);
    BOOST_TEST(lost < calls / 4);
}

BOOST_AUTO_TEST_CASE(a_request_is_not_sent_again_once_anything_was_answered)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.write(response_of("1"));
        (void)connection.read_request();
        connection.write("HTTP/1.1 ");
        connection.close();
    }};
    test_loop loop;
    const http_client client = trusting_client();
    BOOST_TEST(body_of(loop, client, peer.url()) == "1");
    started fetched{loop, fetch(client, peer.url())};
    BOOST_TEST((fetched.failure().code() == errc::response_truncated));
    BOOST_TEST(client.counts().repeated == 0u);
}

BOOST_AUTO_TEST_CASE(a_request_is_sent_again_once_only)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        if (connection.number() == 1) connection.write(response_of("1"));
        if (connection.number() == 1) (void)connection.read_request();
    }};
    test_loop loop;
    const http_client client = trusting_client();
    BOOST_TEST(body_of(loop, client, peer.url()) == "1");
    started fetched{loop, fetch(client, peer.url())};
    BOOST_TEST((fetched.failure().code() == errc::connection_lost));
    BOOST_TEST(peer.connections() == 2);
}

BOOST_AUTO_TEST_CASE(what_is_left_of_a_response_can_be_drained_for_the_sake_of_the_connection)
{
    tls_peer peer{[](peer_connection& connection) {
        for (;;) {
            (void)connection.read_request();
            connection.write(chunked_head() + chunk_of("data: [DONE]\n\n"));
            connection.write(chunk_of(": bye\n\n") + "0\r\n\r\n");
        }
    }};
    test_loop loop;
    const http_client client = trusting_client();
    for (int i = 0; i < 3; ++i) {
        http_response response = response_from(loop, client, peer.url());
        started first{loop, response.read_at_most(14)};
        BOOST_TEST(first.result() == "data: [DONE]\n\n");
        started drained{loop, response.drain()};
        BOOST_TEST(drained.result());
        started drained_again{loop, response.drain()};
        BOOST_TEST(drained_again.result());
    }
    BOOST_TEST(client.counts().opened == 1u);
}

BOOST_AUTO_TEST_CASE(draining_gives_up_when_it_is_too_much_or_takes_too_long)
{
    tls_peer peer{[](peer_connection& connection) {
        const std::string request = connection.read_request();
        connection.write(chunked_head());
        if (request.starts_with("GET /much")) connection.write(chunk_of(std::string(100'000, 'x')));
        connection.wait_until_closed();
    }};
    hand_clock time;
    test_loop loop{time};
    const http_client client = trusting_client();
    http_response much = response_from(loop, client, peer.url("/much"));
    started drained{loop, much.drain(1000)};
    BOOST_TEST(!drained.result());
    http_response late = response_from(loop, client, peer.url("/late"));
    started waiting{loop, late.drain(1000, 100ms)};
    loop.advance(99ms);
    BOOST_TEST(!waiting.is_done());
    loop.advance(1ms);
    BOOST_TEST(!waiting.result());
    BOOST_TEST(client.counts().open == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
