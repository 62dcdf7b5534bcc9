#include <boost/test/unit_test.hpp>

#include "net/dns_server.hpp"
#include "net/http_fixture.hpp"
#include "net/socket/tcp_socket.hpp"

#include <boost/test/data/test_case.hpp>

#include <chrono>

BOOST_AUTO_TEST_SUITE(http_client_errors_test)

using namespace http_fixture;
using namespace std::chrono_literals;
using weft::errc;
using weft::error;
using weft::http_client;
using weft::http_request;
using weft::http_response;
using weft::http_timeouts;
using weft::url;

const auto secure_or_not = boost::unit_test::data::make({false, true});

error failure_against(tls_peer& peer, http_client client)
{
    test_loop loop;
    started fetched{loop, fetch(std::move(client), peer.url())};
    const error failure = fetched.failure();
    BOOST_TEST(failure.where() == "localhost:" + std::to_string(peer.port()));
    return failure;
}

BOOST_DATA_TEST_CASE(a_connection_that_ends_before_the_response_is_lost, secure_or_not, is_secure)
{
    const tls_peer::script ends[] = {[](peer_connection& c) { c.reset(); }, [](peer_connection& c) { c.close(); },
                                     [](peer_connection& c) { c.cut(); }};
    for (const auto& end : ends) {
        tls_peer peer{with_tls(is_secure), [&](peer_connection& connection) {
                          (void)connection.read_request();
                          end(connection);
                      }};
        BOOST_TEST((failure_against(peer, trusting_client()).code() == errc::connection_lost));
        BOOST_TEST(peer.connections() == 1);  // a new connection is no reason to try again
    }
}

BOOST_DATA_TEST_CASE(a_response_that_ends_in_its_head_is_truncated, secure_or_not, is_secure)
{
    tls_peer peer{with_tls(is_secure), [](peer_connection& connection) {
                      (void)connection.read_request();
                      connection.write("HTTP/1.1 200 OK\r\nContent-Le");
                      connection.close();
                  }};
    const error failure = failure_against(peer, trusting_client());
    BOOST_TEST((failure.code() == errc::response_truncated));
    BOOST_TEST(failure.detail().find("head") != std::string::npos);
}

struct truncation {
    const char* name;
    std::string begin;
    void (peer_connection::*end)();
    friend std::ostream& operator<<(std::ostream& out, const truncation& t) { return out << t.name; }
};

const truncation truncations[] = {
    {"chunked, proper goodbye", chunked_head() + chunk_of("data: 1\n\n"), &peer_connection::close},
    {"chunked, no goodbye", chunked_head() + chunk_of("data: 1\n\n"), &peer_connection::cut},
    {"chunked, reset", chunked_head() + chunk_of("data: 1\n\n"), &peer_connection::reset},
    {"in a chunk", chunked_head() + "ff\r\ndata: 1\n\n", &peer_connection::close},
    {"last chunk half", chunked_head() + chunk_of("data: 1\n\n") + "0\r\n", &peer_connection::close},
    {"content length, proper goodbye", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ndata: 1\n\n",
     &peer_connection::close},
    {"content length, no goodbye", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ndata: 1\n\n", &peer_connection::cut},
};

weft::task<std::string> read_until_failure(http_response& response, errc& code)
{
    std::string text;
    try {
        for (;;) {
            const std::string_view piece = co_await response.read_some();
            if (piece.empty()) break;
            text += piece;
        }
    } catch (const error& e) {
        code = e.code();
    }
    co_return text;
}

BOOST_DATA_TEST_CASE(a_body_that_ends_too_soon_is_truncated_after_what_there_was,
                     boost::unit_test::data::make(truncations) * secure_or_not, cut, is_secure)
{
    std::atomic<bool> was_read{false};
    tls_peer peer{with_tls(is_secure), [&](peer_connection& connection) {
                      (void)connection.read_request();
                      connection.write(cut.begin);
                      was_read.wait(false);  // a reset would throw away what was not read yet
                      (connection.*cut.end)();
                  }};
    test_loop loop;
    const http_client client = trusting_client();
    started sent{loop, client.send(http_request{"GET", peer.url()})};
    http_response response = sent.result();
    started first{loop, response.read_at_most(9)};
    BOOST_TEST(first.result() == "data: 1\n\n");
    was_read = true;
    was_read.notify_all();

    errc code{};
    started rest{loop, read_until_failure(response, code)};
    BOOST_TEST(rest.result() == "");
    BOOST_TEST((code == errc::response_truncated));
    BOOST_TEST(!response.is_complete());
    BOOST_TEST(client.counts().open == 0u);

    started again{loop, response.read_some()};
    BOOST_TEST((again.failure().code() == errc::response_truncated));
}

BOOST_AUTO_TEST_CASE(a_body_that_ends_with_the_stream_is_truncated_when_tls_said_no_goodbye)
{
    tls_peer peer{secure(), [](peer_connection& connection) {
                      (void)connection.read_request();
                      connection.write("HTTP/1.1 200 OK\r\n\r\nsome of it");
                      connection.cut();
                  }};
    BOOST_TEST((failure_against(peer, trusting_client()).code() == errc::response_truncated));
}

BOOST_AUTO_TEST_CASE(a_missing_goodbye_after_a_complete_body_is_harmless)
{
    tls_peer peer{secure(), [](peer_connection& connection) {
                      (void)connection.read_request();
                      connection.write(response_of("whole"));
                      connection.cut();
                  }};
    test_loop loop;
    started fetched{loop, fetch(trusting_client(), peer.url())};
    BOOST_TEST(fetched.result().body == "whole");
}

BOOST_DATA_TEST_CASE(silence_before_the_response_is_a_first_byte_timeout, secure_or_not, is_secure)
{
    const tls_peer::script begins[] = {[](peer_connection&) {},
                                       [](peer_connection& c) { c.write("HTTP/1.1 200 OK\r\nX:"); },
                                       [](peer_connection& c) { c.write("HTTP/1.1 100 Continue\r\n\r\n"); }};
    for (const auto& begin : begins) {
        tls_peer peer{with_tls(is_secure), [&](peer_connection& connection) {
                          (void)connection.read_request();
                          begin(connection);
                          connection.wait_until_closed();
                      }};
        const error failure =
            failure_against(peer, http_client{trusting({.timeouts = {.first_byte = 30ms}})});
        BOOST_TEST((failure.code() == errc::first_byte_timeout));
        BOOST_TEST(failure.detail().find("30 ms") != std::string::npos);
        peer.wait_until_done(1);
    }
}

BOOST_DATA_TEST_CASE(silence_in_the_response_is_a_gap_timeout, secure_or_not, is_secure)
{
    tls_peer peer{with_tls(is_secure), [](peer_connection& connection) {
                      (void)connection.read_request();
                      connection.write(chunked_head() + chunk_of("data: 1\n\n"));
                      connection.wait_until_closed();
                  }};
    const error failure = failure_against(peer, http_client{trusting({.timeouts = {.gap = 30ms}})});
    BOOST_TEST((failure.code() == errc::gap_timeout));
    BOOST_TEST(failure.detail().find("30 ms") != std::string::npos);
    peer.wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(the_gap_counts_from_the_last_byte_and_only_while_somebody_reads)
{
    std::atomic<int> asked{0};
    tls_peer peer{[&](peer_connection& connection) {
        (void)connection.read_request();
        connection.write(chunked_head());
        for (int i = 0; i < 3; ++i) {
            asked.wait(i);
            connection.write(chunk_of(":\n"));  // a comment is a sign of life as good as any
        }
        connection.wait_until_closed();
    }};
    hand_clock time;
    test_loop loop{time};
    const http_client client{trusting({.timeouts = {.gap = 30s}})};
    started sent{loop, client.send(http_request{"GET", peer.url()})};
    http_response response = sent.result();
    for (int i = 0; i < 3; ++i) {
        loop.advance(1h);  // the caller is busy with something else
        started read{loop, response.read_at_most(2)};
        loop.advance(29s);
        BOOST_TEST(!read.is_done());
        ++asked;
        asked.notify_all();
        BOOST_TEST(read.result() == ":\n");
    }
    started read{loop, response.read_some()};
    loop.advance(29s);
    BOOST_TEST(!read.is_done());
    loop.advance(1s);
    BOOST_TEST((read.failure().code() == errc::gap_timeout));
}

BOOST_AUTO_TEST_CASE(timeouts_of_a_request_come_before_those_of_the_client)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.wait_until_closed();
    }};
    test_loop loop;
    http_request request{"GET", peer.url()};
    request.timeouts(http_timeouts{.first_byte = 20ms});
    started fetched{loop, fetch(trusting_client(), std::move(request))};
    BOOST_TEST((fetched.failure().code() == errc::first_byte_timeout));
}

BOOST_AUTO_TEST_CASE(a_peer_that_takes_nothing_is_a_send_timeout)
{
    std::atomic<bool> is_over{false};
    tls_peer peer{[&](peer_connection&) { is_over.wait(false); }};
    test_loop loop;
    http_request request{"POST", peer.url()};
    request.body(std::string(64 * 1024 * 1024, 'x')).timeouts(http_timeouts{.send = 30ms});
    started fetched{loop, fetch(trusting_client(), std::move(request))};
    BOOST_TEST((fetched.failure().code() == errc::send_timeout));
    is_over = true;
    is_over.notify_all();
}

BOOST_AUTO_TEST_CASE(a_peer_that_refuses_a_large_request_early_is_heard)
{
    tls_peer peer{[](peer_connection& connection) {
        connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno!");
        connection.cut();
        connection.wait_until_closed();
    }};
    test_loop loop;
    http_request request{"POST", peer.url()};
    request.body(std::string(1024 * 1024, 'x'));
    started fetched{loop, fetch(trusting_client(), std::move(request))};
    const answer got = fetched.result();
    BOOST_TEST(got.status == 413);
    BOOST_TEST(got.body == "no!");
}

BOOST_DATA_TEST_CASE(W5_an_early_refusal_is_heard_from_a_peer_that_neither_reads_on_nor_closes, secure_or_not,
                     is_secure)
{
    for (const char* status : {"413 Too Large", "429 Too Many Requests"}) {
        std::atomic<bool> is_over{false};
        tls_peer peer{with_tls(is_secure), [&](peer_connection& connection) {
                          connection.write("HTTP/1.1 " + std::string{status} + "\r\nContent-Length: 3\r\n\r\nno!");
                          is_over.wait(false);
                      }};
        test_loop loop;
        const http_client client = trusting_client();
        http_request request{"POST", peer.url()};
        request.body(std::string(8 * 1024 * 1024, 'x')).timeouts(http_timeouts{.send = 20s});
        started fetched{loop, fetch(client, std::move(request))};
        const answer got = fetched.result();
        BOOST_TEST(got.status == std::stoi(status));
        BOOST_TEST(got.body == "no!");
        BOOST_TEST(client.counts().open == 0u);  // the rest of the request was never sent
        is_over = true;
        is_over.notify_all();
    }
}

BOOST_DATA_TEST_CASE(W5_after_an_early_yes_all_of_the_request_is_sent, secure_or_not, is_secure)
{
    std::string received;
    tls_peer peer{with_tls(is_secure), [&](peer_connection& connection) {
                      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                      received = connection.read_request();
                  }};
    test_loop loop;
    const http_client client = trusting_client();
    http_request request{"POST", peer.url()};
    request.body(std::string(4 * 1024 * 1024, 'x'));
    started fetched{loop, fetch(client, std::move(request))};
    BOOST_TEST(fetched.result().body == "ok");
    peer.wait_until_done(1);
    BOOST_TEST(received.ends_with(std::string(4 * 1024 * 1024, 'x')));
}

struct bad_response {
    const char* name;
    std::string bytes;
    errc code;
    friend std::ostream& operator<<(std::ostream& out, const bad_response& b) { return out << b.name; }
};

const bad_response bad_responses[] = {
    {"not http", "220 smtp.example.com ESMTP\r\n\r\n", errc::invalid_response},
    {"head too large", "HTTP/1.1 200 OK\r\nA: " + std::string(70'000, 'x') + "\r\n\r\n", errc::response_too_large},
    {"head never ends", "HTTP/1.1 200 OK\r\n" + std::string(70'000, 'x'), errc::response_too_large},
    {"bad chunk", chunked_head() + "zz\r\n", errc::invalid_response},
    {"endless chunk size", chunked_head() + "1;" + std::string(600'000, 'x'), errc::response_too_large},
    {"length and chunked", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
     errc::invalid_response},
    {"compressed", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi", errc::invalid_response},
    {"body too large", "HTTP/1.1 200 OK\r\nContent-Length: 300000000\r\n\r\n", errc::response_too_large},
    {"larger than expected", response_of(std::string(9 * 1024 * 1024, 'x')), errc::response_too_large},
};

BOOST_DATA_TEST_CASE(a_response_that_is_not_acceptable_closes_the_connection,
                     boost::unit_test::data::make(bad_responses))
{
    tls_peer peer{[&](peer_connection& connection) {
        (void)connection.read_request();
        connection.write(sample.bytes);
        connection.wait_until_closed();
    }};
    const http_client client = trusting_client();
    BOOST_TEST((failure_against(peer, client).code() == sample.code));
    BOOST_TEST(client.counts().open == 0u);
    peer.wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(a_stream_is_bounded_as_a_whole)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.write(chunked_head());
        for (;;) connection.write(chunk_of(std::string(1000, 'x')));
    }};
    BOOST_TEST((failure_against(peer, http_client{trusting({.body_bytes_max = 100'000})}).code() ==
                errc::response_too_large));
}

BOOST_AUTO_TEST_CASE(a_port_that_nobody_listens_on_is_a_failed_connection)
{
    std::uint16_t port = 0;
    {
        const tls_peer gone{echo};
        port = gone.port();
    }
    test_loop loop;
    started fetched{loop, fetch(trusting_client(), url{"http://127.0.0.1:" + std::to_string(port)})};
    const error failure = fetched.failure();
    BOOST_TEST((failure.code() == errc::connect_failed));
    BOOST_TEST(failure.detail().find("127.0.0.1: Connection refused") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_address_of_a_host_is_tried)
{
    namespace ip = boost::asio::ip;
    tls_peer peer{echo};  // on 127.0.0.1 only
    test_loop loop;
    const auto socket = std::make_shared<weft::net_detail::tcp_socket>(loop.loop().executor());
    started connected{loop, weft::net_detail::connect_socket(
                                loop.loop(), *socket, socket, peer.url(),
                                {ip::make_address("::1"), ip::make_address("127.0.0.2"), ip::make_address("127.0.0.1")},
                                loop.loop().now() + 10s)};
    connected.result();
    BOOST_TEST(socket->remote_endpoint().address().to_string() == "127.0.0.1");
}

BOOST_AUTO_TEST_CASE(a_host_without_address_is_told_apart)
{
    const dns_server server{[](const std::string&) { return dns_answer{dns_answer::kind::unknown}; }};
    test_loop loop;
    const http_client client{trusting({.name_servers = server.address()})};
    for (int i = 0; i < 2; ++i) {
        started fetched{loop, fetch(client, url{"http://no-such-host.invalid/"})};
        const error failure = fetched.failure();
        BOOST_TEST((failure.code() == errc::resolve_failed));
        BOOST_TEST(failure.where() == "no-such-host.invalid:80");
    }
}

BOOST_AUTO_TEST_SUITE_END()
