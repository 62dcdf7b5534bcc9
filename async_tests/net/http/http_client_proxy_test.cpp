#include <boost/test/unit_test.hpp>

#include "net/http_fixture.hpp"

#include <boost/test/data/test_case.hpp>

#include <charconv>
#include <mutex>

BOOST_AUTO_TEST_SUITE(http_client_proxy_test)

using namespace http_fixture;
using namespace std::chrono_literals;
using weft::errc;
using weft::error;
using weft::http_client;
using weft::http_proxy;
using weft::http_request;
using weft::http_timeouts;
using weft::proxy_server;
using weft::secret_string;
using weft::url;
using weft::testing::certificate_options;

const auto secure_or_not = boost::unit_test::data::make({false, true});

/** A proxy on this machine that opens every tunnel, and what it was asked. */
class recording_proxy {
public:
    explicit recording_proxy(bool is_secure)
        : peer_{with_tls(is_secure), [this](peer_connection& connection) { serve(connection); }}
    {
    }

    [[nodiscard]] tls_peer& peer() { return peer_; }
    [[nodiscard]] proxy_server server() const { return proxy_server{peer_.url().origin()}; }
    [[nodiscard]] std::string heads() const
    {
        const std::lock_guard lock{mutex_};
        return heads_;
    }

private:
    void serve(peer_connection& connection)
    {
        const std::string request = connection.read_request();
        {
            const std::lock_guard lock{mutex_};
            heads_ += request;
        }
        const std::size_t colon = request.find(':');
        std::uint16_t port = 0;
        std::from_chars(request.data() + colon + 1, request.data() + request.size(), port);
        connection.write("HTTP/1.1 200 Connection established\r\n\r\n");
        connection.relay(port);
    }

    mutable std::mutex mutex_;
    std::string heads_;
    tls_peer peer_;
};

http_client client_through(proxy_server proxy, http_timeouts limits = {})
{
    return http_client{trusting({.timeouts = limits, .proxy = http_proxy{std::move(proxy)}})};
}

proxy_server with_credentials(proxy_server proxy)
{
    proxy.credentials("ann", secret_string{"hunter2"});
    return proxy;
}

BOOST_DATA_TEST_CASE(https_goes_through_a_tunnel_and_tls_reaches_to_the_origin, secure_or_not, has_secure_proxy)
{
    tls_peer origin{secure(), echo};
    recording_proxy proxy{has_secure_proxy};
    test_loop loop;
    const http_client client = client_through(with_credentials(proxy.server()));
    http_request request{"POST", origin.url("/v1")};
    request.bearer(secret_string{"sk-0123456789"}).body("{}");
    started fetched{loop, fetch(client, std::move(request))};
    const std::string seen_by_origin = fetched.result().body;
    BOOST_TEST(seen_by_origin.starts_with("POST /v1 HTTP/1.1\r\nHost: localhost:"));
    BOOST_TEST(seen_by_origin.find("Bearer sk-0123456789") != std::string::npos);
    BOOST_TEST(seen_by_origin.find("Proxy-") == std::string::npos);

    const std::string target = "localhost:" + std::to_string(origin.port());
    BOOST_TEST(proxy.heads() == "CONNECT " + target + " HTTP/1.1\r\nHost: " + target +
                                    "\r\nUser-Agent: weft/0.1\r\nProxy-Authorization: Basic YW5uOmh1bnRlcjI=\r\n\r\n");
    BOOST_TEST(body_of(loop, client, origin.url()).starts_with("GET / "));  // over the same connection
    BOOST_TEST(proxy.peer().connections() == 1);
    BOOST_TEST(client.counts().reused == 1u);
}

BOOST_DATA_TEST_CASE(http_is_handed_to_the_proxy_as_a_whole, secure_or_not, has_secure_proxy)
{
    tls_peer proxy{with_tls(has_secure_proxy), echo};
    test_loop loop;
    const http_client client = client_through(with_credentials(proxy_server{proxy.url().origin()}));
    const std::string seen = body_of(loop, client, url{"http://no-such-host.invalid/a?b=c"});
    BOOST_TEST(seen == "GET http://no-such-host.invalid/a?b=c HTTP/1.1\r\nHost: no-such-host.invalid\r\n"
                       "Proxy-Authorization: Basic YW5uOmh1bnRlcjI=\r\nUser-Agent: weft/0.1\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(what_bypasses_the_proxy_goes_directly_and_tells_nothing_of_it)
{
    tls_peer origin{echo};
    recording_proxy proxy{false};
    test_loop loop;
    const http_client client{
        trusting({.proxy = http_proxy{with_credentials(proxy.server())}.bypass("localhost")})};
    const std::string seen = body_of(loop, client, origin.url());
    BOOST_TEST(seen.starts_with("GET / HTTP/1.1\r\n"));
    BOOST_TEST(seen.find("Proxy-") == std::string::npos);
    BOOST_TEST(proxy.peer().connections() == 0);
}

BOOST_DATA_TEST_CASE(the_certificate_is_checked_against_the_target_and_not_the_proxy, secure_or_not, has_secure_proxy)
{
    tls_peer origin{secure(certificate_options{}.hosts({"127.0.0.1"})),
                    [](peer_connection&) { BOOST_ERROR("the client finished the handshake"); }};
    recording_proxy proxy{has_secure_proxy};  // is localhost
    test_loop loop;
    started fetched{loop, fetch(client_through(proxy.server()), origin.url("/", "localhost"))};
    const error failure = fetched.failure();
    BOOST_TEST((failure.code() == errc::tls_wrong_host));
    BOOST_TEST(failure.where() == "localhost:" + std::to_string(origin.port()));
}

BOOST_AUTO_TEST_CASE(a_proxy_with_a_wrong_certificate_is_told_apart)
{
    tls_peer proxy{secure(certificate_options{}.hosts({"elsewhere"})), [](peer_connection&) {}};
    test_loop loop;
    started fetched{loop, fetch(client_through(proxy_server{proxy.url().origin()}), url{"https://api.example.com"})};
    const error failure = fetched.failure();
    BOOST_TEST((failure.code() == errc::tls_wrong_host));
    BOOST_TEST(failure.where() == "api.example.com:443");
    BOOST_TEST(failure.detail().starts_with("the proxy localhost:" + std::to_string(proxy.port())));
}

BOOST_DATA_TEST_CASE(a_session_is_taken_up_again_through_the_tunnel, boost::unit_test::data::make({false, true}),
                     is_tls_1_2)
{
    tls_peer_options options = secure();
    options.speaks_tls_1_2 = is_tls_1_2;
    tls_peer origin{options, [](peer_connection& connection) {
                        (void)connection.read_request();
                        const char* const kind = connection.is_resumed() ? "resumed" : "new";
                        connection.write(response_of(kind, "Connection: close\r\n"));
                        connection.wait_until_closed();
                    }};
    recording_proxy proxy{false};
    const http_client client = client_through(proxy.server());
    test_loop loop;
    for (int i = 0; i < 3; ++i) BOOST_TEST(body_of(loop, client, origin.url()) == (i == 0 ? "new" : "resumed"));
    BOOST_TEST(client.counts().resumed == 2u);
}

struct refusal {
    const char* answer;
    errc code;
    const char* text;
    friend std::ostream& operator<<(std::ostream& out, const refusal& r) { return out << r.text; }
};

const refusal refusals[] = {
    {"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 3\r\n\r\nno!",
     errc::invalid_configuration, "answered 407 Proxy Authentication Required; give its address a user"},
    {"HTTP/1.1 403 Forbidden\r\n\r\n", errc::invalid_configuration, "answered 403 Forbidden; ask who runs it"},
    {"HTTP/1.1 502 Bad Gateway\r\n\r\n", errc::connect_failed, "answered 502 Bad Gateway; it does not reach"},
    {"HTTP/1.1 504 \x1b[31m\r\n\r\n", errc::invalid_response, ""},
    {"HTTP/1.1 302 Found\r\nLocation: http://login/\r\n\r\n", errc::invalid_configuration, "answered 302 Found"},
    {"SSH-2.0-OpenSSH\r\n\r\n", errc::invalid_response, "the proxy localhost:"},
    {"HTTP/1.1 200 OK\r\n\r\nGIF89a", errc::invalid_response, "sent more than an answer"},
};

BOOST_DATA_TEST_CASE(a_proxy_that_refuses_is_named_with_its_status, boost::unit_test::data::make(refusals))
{
    tls_peer proxy{[&](peer_connection& connection) {
        (void)connection.read_request();
        connection.write(sample.answer);
        connection.wait_until_closed();
    }};
    test_loop loop;
    const http_client client = client_through(proxy_server{proxy.url().origin()});
    started fetched{loop, fetch(client, url{"https://api.example.com"})};
    const error failure = fetched.failure();
    BOOST_TEST((failure.code() == sample.code));
    BOOST_TEST(failure.where() == "api.example.com:443");
    BOOST_TEST(failure.detail().find("localhost:" + std::to_string(proxy.port())) != std::string::npos);
    BOOST_TEST(failure.detail().find(sample.text) != std::string::npos);
    BOOST_TEST(client.counts().open == 0u);
    proxy.wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(wrong_credentials_are_told_apart_from_missing_ones_and_not_repeated)
{
    tls_peer proxy{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.write("HTTP/1.1 407 Who?\r\n\r\n");
        connection.wait_until_closed();
    }};
    test_loop loop;
    for (const char* target : {"https://api.example.com", "http://api.example.com"}) {
        started fetched{loop, fetch(client_through(with_credentials(proxy_server{proxy.url().origin()})), url{target})};
        const error failure = fetched.failure();
        BOOST_TEST((failure.code() == errc::invalid_configuration));
        BOOST_TEST(failure.detail().find("check the user and password") != std::string::npos);
        BOOST_TEST(std::string_view{failure.what()}.find("hunter2") == std::string_view::npos);
        BOOST_TEST(std::string_view{failure.what()}.find("YW5u") == std::string_view::npos);
    }
}

BOOST_AUTO_TEST_CASE(a_proxy_that_goes_away_or_is_not_there_is_told_apart)
{
    tls_peer leaving{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.close();
    }};
    test_loop loop;
    started first{loop, fetch(client_through(proxy_server{leaving.url().origin()}), url{"https://api.example.com"})};
    BOOST_TEST((first.failure().code() == errc::connection_lost));

    std::string address;
    {
        const tls_peer gone{echo};
        address = "127.0.0.1:" + std::to_string(gone.port());
    }
    started second{loop, fetch(client_through(proxy_server{address}), url{"https://api.example.com"})};
    const error failure = second.failure();
    BOOST_TEST((failure.code() == errc::connect_failed));
    BOOST_TEST(failure.where() == "api.example.com:443");
    BOOST_TEST(failure.detail().starts_with("the proxy " + address));
}

BOOST_AUTO_TEST_CASE(the_tunnel_is_part_of_the_time_to_connect_also_when_its_answer_comes_byte_by_byte)
{
    std::atomic<int> asked{0};
    tls_peer proxy{[&](peer_connection& connection) {
        (void)connection.read_request();
        for (const char c : std::string_view{"HTTP/1.1 200"}) {
            connection.write({&c, 1});
            asked = asked + 1;
        }
        connection.wait_until_closed();
    }};
    hand_clock time;
    test_loop loop{time};
    const http_client client = client_through(proxy_server{"127.0.0.1:" + std::to_string(proxy.port())},
                                              http_timeouts{.connect = 5s});
    started fetched{loop, fetch(client, url{"https://api.example.com"})};
    loop.run_until([&] { return asked == 12; });
    loop.advance(4s);
    BOOST_TEST(!fetched.is_done());
    loop.advance(1s);
    const error failure = fetched.failure();
    BOOST_TEST((failure.code() == errc::connect_timeout));
    BOOST_TEST(failure.detail().find("opened no tunnel in time") != std::string::npos);
    proxy.wait_until_done(1);
}

/** Ends a request, by a stop or by its destruction, once `is_reached`. */
void check_that_ending_closes(test_loop& loop, const http_client& client, const url& target,
                              const std::atomic<bool>& is_reached, bool is_stop)
{
    started fetched{loop, fetch(client, target)};
    loop.run_until([&] { return is_reached.load(); });
    loop.settle();
    BOOST_TEST(!fetched.is_done());
    if (is_stop) {
        fetched.stop();
        BOOST_TEST((fetched.failure().code() == errc::cancelled));
    } else {
        fetched.destroy();
    }
    loop.settle();
    BOOST_TEST(client.counts().open == 0u);
}

BOOST_DATA_TEST_CASE(X_2_a_cancel_while_the_proxy_is_asked_closes_the_connection,
                     secure_or_not* boost::unit_test::data::make({false, true}), has_secure_proxy, is_stop)
{
    std::atomic<bool> is_reached{false};
    tls_peer proxy{with_tls(has_secure_proxy), [&](peer_connection& connection) {
                       (void)connection.read_request();
                       is_reached = true;
                       connection.wait_until_closed();
                   }};
    test_loop loop;
    const http_client client = client_through(proxy_server{proxy.url().origin()});
    check_that_ending_closes(loop, client, url{"https://api.example.com"}, is_reached, is_stop);
    proxy.wait_until_done(1);
}

BOOST_DATA_TEST_CASE(X_2_a_cancel_during_the_handshake_in_a_tunnel_closes_the_connection,
                     secure_or_not* boost::unit_test::data::make({false, true}), has_secure_proxy, is_stop)
{
    std::atomic<bool> is_reached{false};
    tls_peer_options silent = secure();
    silent.shakes_hands = false;
    tls_peer origin{silent, [&](peer_connection& connection) {
                        is_reached = true;
                        connection.wait_until_closed();
                    }};
    recording_proxy proxy{has_secure_proxy};
    test_loop loop;
    const http_client client = client_through(proxy.server());
    check_that_ending_closes(loop, client, origin.url(), is_reached, is_stop);
    proxy.peer().wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(destroying_a_request_after_each_step_of_its_way_through_proxies_leaks_nothing)
{
    tls_peer origin{secure(), echo};
    for (const bool has_secure_proxy : {false, true}) {
        recording_proxy proxy{has_secure_proxy};
        for (int steps = 0; steps < 40; ++steps) {
            test_loop loop;
            const http_client client = client_through(proxy.server());
            {
                started fetched{loop, fetch(client, origin.url())};
                for (int i = 0; i < steps && !fetched.is_done(); ++i) loop.context().run_one_for(100ms);
            }
            loop.settle();
            BOOST_TEST(client.counts().open == client.counts().idle);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_secret_does_not_leave_this_machine_through_a_proxy_without_tls)
{
    recording_proxy proxy{false};
    test_loop loop;
    http_request request{"GET", url{"http://localhost:1/"}};
    request.bearer(secret_string{"sk-0123456789"});
    started fetched{loop, fetch(client_through(proxy.server()), std::move(request))};
    BOOST_TEST((fetched.failure().code() == errc::invalid_configuration));
    BOOST_TEST(proxy.peer().connections() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
