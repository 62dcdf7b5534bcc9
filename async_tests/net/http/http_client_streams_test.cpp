#include <boost/test/unit_test.hpp>

#include "net/http_fixture.hpp"

#include <weft/async/async_generator.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/net/cassette.hpp>

#include <boost/test/data/test_case.hpp>

#include <atomic>
#include <filesystem>
#include <unistd.h>
#include <vector>

BOOST_AUTO_TEST_SUITE(http_client_streams_test)

using namespace http_fixture;
using namespace std::chrono_literals;
using weft::async_generator;
using weft::errc;
using weft::http_client;
using weft::http_request;
using weft::http_timeouts;

namespace {

/** Pieces "0", "1", …, each when the peer has seen the one before. */
async_generator<std::string> in_step(std::atomic<int>& seen, int count, std::atomic<int>& given)
{
    for (int i = 0; i < count; ++i) {
        for (int waits = 0; seen < i; ++waits) {
            if (waits > 5000) throw weft::error{errc::timeout, "test", "the peer has not got the piece before"};
            co_await weft::sleep_for(1ms);
        }
        ++given;
        co_yield std::to_string(i);
    }
}

async_generator<std::string> all_of(std::vector<std::string> pieces)
{
    for (std::string& piece : pieces) co_yield piece;
}

async_generator<std::string> one_and_then_fails()
{
    co_yield std::string{"one"};
    throw weft::error{errc::model_rejected, "test", "fails on purpose"};
}

http_request posting(const weft::url& target, async_generator<std::string> pieces)
{
    http_request request{"POST", target};
    request.body(std::move(pieces), "text/plain");
    return request;
}

/** Reads pieces of a body as they come, and counts them. */
void read_pieces(peer_connection& connection, std::atomic<int>& seen, int count)
{
    for (; seen < count; ++seen) connection.read_until("1\r\n" + std::to_string(seen) + "\r\n");
}

weft::task<std::string> fetch_twice(http_client client, http_request request, weft::url next)
{
    const answer first = co_await fetch(client, std::move(request));
    const answer second = co_await fetch(client, std::move(next));
    co_return first.body + " " + second.body;
}

}  // namespace

BOOST_DATA_TEST_CASE(a_body_goes_out_while_it_is_made, boost::unit_test::data::make({false, true}), is_secure)
{
    std::atomic<int> seen{0}, given{0};
    std::string got;
    tls_peer peer{with_tls(is_secure), [&](peer_connection& connection) {
                      read_pieces(connection, seen, 4);
                      got = connection.read_until("0\r\n\r\n");
                      connection.write(response_of("thanks"));
                      (void)connection.read_request();
                      connection.write(response_of("again"));
                  }};
    const http_client client = trusting_client();
    http_request request = posting(peer.url("/in"), in_step(seen, 4, given));
    BOOST_TEST(!request.is_repeatable());
    BOOST_TEST(weft::run_blocking(fetch_twice(client, std::move(request), peer.url())) == "thanks again");
    BOOST_TEST(got.starts_with("POST /in HTTP/1.1\r\n"));
    BOOST_TEST(got.find("Transfer-Encoding: chunked\r\n") != std::string::npos);
    BOOST_TEST(got.find("Content-Length") == std::string::npos);
    BOOST_TEST(got.ends_with("\r\n\r\n1\r\n0\r\n1\r\n1\r\n1\r\n2\r\n1\r\n3\r\n0\r\n\r\n"));
    BOOST_TEST(peer.connections() == 1);
}

BOOST_AUTO_TEST_CASE(pieces_of_every_size_arrive_whole_and_empty_ones_end_nothing)
{
    const std::vector<std::vector<std::string>> bodies{
        {}, {"", ""}, {"", "a", "", std::string(70'000, 'b'), "c"}, {std::string(300'000, 'd'), "e"}};
    for (const std::vector<std::string>& pieces : bodies) {
        std::string body, whole;
        for (const std::string& piece : pieces) whole += piece;
        tls_peer peer{[&](peer_connection& connection) {
            const std::string& got = connection.read_until("\r\n0\r\n\r\n");
            for (std::size_t at = got.find("\r\n\r\n") + 4;;) {
                const std::size_t size = std::stoul(got.substr(at), nullptr, 16);
                if (size == 0) break;
                at = got.find("\r\n", at) + 2;
                body += got.substr(at, size);
                at += size + 2;
            }
            connection.write(response_of("x"));
        }};
        BOOST_TEST(weft::run_blocking(fetch(trusting_client(), posting(peer.url(), all_of(pieces)))).status == 200);
        BOOST_TEST((body == whole));
    }
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_no_success_ends_the_body)
{
    std::atomic<int> seen{0}, given{0};
    tls_peer peer{[&](peer_connection& connection) {
        read_pieces(connection, seen, 2);
        connection.write("HTTP/1.1 413 X\r\nContent-Length: 2\r\n\r\nno");
        connection.close();
        seen = 1000;  // nothing more is looked at
        connection.wait_until_closed();
    }};
    const answer got = weft::run_blocking(fetch(trusting_client(), posting(peer.url(), in_step(seen, 500, given))));
    BOOST_TEST(got.status == 413);
    BOOST_TEST(got.body == "no");
    BOOST_TEST(given < 100);
    peer.wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(what_was_begun_is_not_sent_again)
{
    std::atomic<int> seen{0}, given{0};
    tls_peer peer{[&](peer_connection& connection) {
        if (connection.number() == 1) {
            (void)connection.read_request();
            connection.write(response_of("x"));
        }
        read_pieces(connection, seen, 2);
        connection.reset();
        seen = 1000;
    }};
    const http_client client = trusting_client();
    BOOST_TEST(weft::run_blocking(fetch(client, peer.url())).status == 200);
    http_request request = posting(peer.url(), in_step(seen, 500, given));
    request.idempotency_key("k");
    test_loop loop;
    started sent{loop, fetch(client, std::move(request))};
    const weft::error failure = sent.failure();
    BOOST_TEST((failure.code() == errc::connection_lost));
    BOOST_TEST(failure.detail().find("it is not sent again") != std::string::npos);
    BOOST_TEST(client.counts().repeated == 0u);
    BOOST_TEST(given < 100);
}

BOOST_AUTO_TEST_CASE(a_writer_that_fails_or_a_stop_closes_the_connection)
{
    std::atomic<int> seen{0}, given{0};
    std::atomic<bool> has_come{false};
    tls_peer peer{[&](peer_connection& connection) {
        connection.read_until("\r\n\r\n");
        has_come = true;
        connection.wait_until_closed();
    }};
    test_loop loop;
    started failing{loop, fetch(trusting_client(), posting(peer.url(), one_and_then_fails()))};
    BOOST_TEST((failing.failure().code() == errc::model_rejected));
    peer.wait_until_done(1);

    has_come = false;
    started stopped{loop, fetch(trusting_client(), posting(peer.url(), in_step(seen, 5, given)))};
    loop.run_until([&] { return has_come.load(); });
    stopped.stop();
    BOOST_TEST((stopped.failure().code() == errc::cancelled));
    peer.wait_until_done(2);

    has_come = false;
    started dropped{loop, fetch(trusting_client(), posting(peer.url(), in_step(seen, 5, given)))};
    loop.run_until([&] { return has_come.load(); });
    dropped.destroy();
    peer.wait_until_done(3);
}

BOOST_AUTO_TEST_CASE(a_peer_that_takes_nothing_and_one_that_does_not_answer_are_given_up)
{
    tls_peer peer{[](peer_connection& connection) { connection.wait_until_closed(); }};
    http_timeouts limits;
    limits.first_byte = 20ms;
    http_request request = posting(peer.url(), all_of({"a", "b"}));
    request.timeouts(limits);
    test_loop loop;
    started sent{loop, fetch(trusting_client(), std::move(request))};
    BOOST_TEST((sent.failure().code() == errc::first_byte_timeout));
}

BOOST_AUTO_TEST_CASE(a_cassette_has_the_whole_body)
{
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("weft-streams-" + std::to_string(::getpid()) + ".json");
    tls_peer peer{echo};
    const weft::url target = peer.url();
    for (const weft::cassette_mode mode : {weft::cassette_mode::record, weft::cassette_mode::replay}) {
        const http_client client{trusting(), weft::cassette{file, mode}};
        const answer got = weft::run_blocking(fetch(client, posting(target, all_of({"a", "b"}))));
        BOOST_TEST(got.body.ends_with("\r\n\r\nab"));
        BOOST_TEST(got.body.find("Content-Length: 2\r\n") != std::string::npos);
    }
    BOOST_TEST(peer.connections() == 1);
    std::filesystem::remove(file);
}

BOOST_AUTO_TEST_SUITE_END()
