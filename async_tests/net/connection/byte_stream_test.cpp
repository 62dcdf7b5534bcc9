#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "net/tls_peer.hpp"

#include <weft/net/byte_stream.hpp>
#include <weft/net/tls_options.hpp>
#include <weft/testing/test_certificates.hpp>

#include <array>
#include <memory>

BOOST_AUTO_TEST_SUITE(byte_stream_test)

using weft::byte_stream;
using weft::errc;
using weft::error;
using weft::stream_target;
using weft::task;
using namespace std::chrono_literals;

namespace {

const weft::testing::certificate_authority& authority()
{
    static const weft::testing::certificate_authority ca;
    return ca;
}

tls_peer_options with_tls(bool is_secure)
{
    tls_peer_options options;
    if (!is_secure) return options;
    const weft::testing::issued_certificate leaf = authority().issue();
    options.certificate_pem = leaf.certificate_pem;
    options.key_pem = leaf.key_pem;
    return options;
}

void echo(peer_connection& connection)
{
    for (;;) connection.write(response_of(connection.read_request()));
}

/** A stream and a buffer that belong together. */
struct talk {
    byte_stream stream;
    std::string said = "GET / HTTP/1.1\r\n\r\n";
    std::array<char, 1024> heard{};
};

/** Sends a line to an echo server and gives what it says. */
task<std::string> say_and_listen(stream_target target)
{
    const auto both = std::make_shared<talk>();
    byte_stream opened = co_await target.open(5s);
    both->stream = std::move(opened);
    const auto [failed, written] = co_await both->stream.write_some(boost::asio::buffer(both->said), both);
    BOOST_TEST(!failed);
    BOOST_TEST(written == both->said.size());
    const auto [code, size] = co_await both->stream.read_some(boost::asio::buffer(both->heard), both);
    BOOST_TEST(!code);
    BOOST_TEST(both->stream.is_quiet());
    both->stream.close();
    both->stream.close();
    BOOST_TEST(!both->stream.is_quiet());
    co_return std::string{both->heard.data(), size};
}

}  // namespace

BOOST_AUTO_TEST_CASE(bytes_go_both_ways_over_tcp_and_over_tls)
{
    for (const bool is_secure : {false, true}) {
        tls_peer server{with_tls(is_secure), echo};
        const weft::tls_options trusted = weft::tls_options{.ca_pem = authority().certificate_pem()};
        const stream_target target = is_secure ? stream_target{"localhost", server.port(), trusted}
                                               : stream_target{"localhost", server.port()};
        BOOST_TEST(target.is_tls() == is_secure);
        BOOST_TEST(target.is_loopback());
        BOOST_TEST(target.endpoint() == "localhost:" + std::to_string(server.port()));
        test_loop loop;
        started talked{loop, say_and_listen(target)};
        BOOST_TEST(talked.result().starts_with("HTTP/1.1 200 OK"));
    }
}

BOOST_AUTO_TEST_CASE(a_certificate_of_a_stranger_is_refused)
{
    tls_peer server{with_tls(true), echo};
    const weft::testing::certificate_authority other;
    const stream_target target{"localhost", server.port(), weft::tls_options{.ca_pem = other.certificate_pem()}};
    test_loop loop;
    started opening{loop, target.open(5s)};
    BOOST_TEST((opening.failure().code() == errc::tls_untrusted));
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_attempt_to_connect)
{
    const stream_target target{"192.0.2.1", 6379};
    test_loop loop;
    started opening{loop, target.open(60s)};
    loop.settle();
    opening.stop();
    const errc code = opening.failure().code();
    BOOST_TEST((code == errc::cancelled || code == errc::connect_failed));
}

BOOST_AUTO_TEST_CASE(a_host_is_a_name_or_an_address)
{
    BOOST_TEST((stream_target{"::1", 7}.endpoint()) == "[::1]:7");
    BOOST_TEST((stream_target{"::1", 7}.is_loopback()));
    BOOST_TEST((!stream_target{"192.0.2.1", 7}.is_loopback()));
    for (const char* host : {"", "a b", "a/b", "user@host", "host:1", "127.1"}) {
        try {
            const stream_target target{host, 7};
            BOOST_FAIL("it was accepted: " << host);
        } catch (const error& e) {
            BOOST_TEST((e.code() == errc::invalid_configuration));
        }
    }
    BOOST_CHECK_THROW((stream_target{"localhost", 0}), error);
}

BOOST_AUTO_TEST_SUITE_END()
