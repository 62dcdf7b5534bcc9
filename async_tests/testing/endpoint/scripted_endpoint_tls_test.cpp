#include <boost/test/unit_test.hpp>

#include "scripted_endpoint_client.hpp"

#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(scripted_endpoint_tls_test)

using namespace endpoint_test;
using namespace weft::testing;
using counts = scripted_endpoint_counts;

BOOST_AUTO_TEST_CASE(a_certificate_can_be_wrong_in_every_way)
{
    const std::vector<std::pair<scripted_certificate, std::string>> cases{
        {scripted_certificate::expired, "certificate has expired"},
        {scripted_certificate::not_yet_valid, "certificate is not yet valid"},
        {scripted_certificate::unknown_authority, "unable to get local issuer certificate"},
    };
    for (const auto& [kind, message] : cases) {
        scripted_endpoint endpoint{scripted_endpoint_options{}.certificate(kind)};
        test_client client{trust(endpoint)};
        BOOST_TEST(client.handshake_error() == message);
        BOOST_TEST(endpoint.wait_until([](const counts& c) { return c.handshakes_failed == 1; }));
    }
    scripted_endpoint elsewhere{
        scripted_endpoint_options{}.certificate(scripted_certificate::wrong_host)};
    test_client strict{trust(elsewhere)};
    BOOST_TEST(strict.handshake_error() != "");
    test_client expecting_it{{elsewhere.port(), elsewhere.ca_pem(), "elsewhere.example"}};
    BOOST_TEST(expecting_it.handshake_error() == "");
}

BOOST_AUTO_TEST_CASE(a_good_certificate_names_the_address_too)
{
    scripted_endpoint endpoint;
    test_client client{{endpoint.port(), endpoint.ca_pem(), "127.0.0.1"}};
    BOOST_TEST(client.handshake_error() == "");
}

BOOST_AUTO_TEST_CASE(the_transport_is_as_wanted)
{
    scripted_endpoint older{scripted_endpoint_options{}.transport(scripted_transport::tls_1_2)};
    older.when(any_request()).reply(text("ok"));
    test_client client{trust(older)};
    BOOST_TEST(client.tls_version() == "TLSv1.2");
    client.ask(chat("x", false));
    BOOST_TEST(text_of(client.receive().body) == "ok");

    scripted_endpoint oldest{scripted_endpoint_options{}.transport(scripted_transport::tls_1_1)};
    test_client refusing{trust(oldest)};
    BOOST_TEST(refusing.handshake_error() != "");
    BOOST_TEST(oldest.wait_until([](const counts& c) { return c.handshakes_failed == 1; }));

    scripted_endpoint silent{scripted_endpoint_options{}.transport(scripted_transport::silent)};
    test_client waiting{without_tls(silent)};
    waiting.ask(chat("x"));
    BOOST_TEST(silent.wait_until([](const counts& c) { return c.connections_open == 1; }));
    waiting.close();
    BOOST_TEST(silent.wait_until([](const counts& c) { return c.connections_open == 0; }));
    BOOST_TEST(silent.counts().requests == 0U);
}

BOOST_AUTO_TEST_CASE(a_tls_session_can_be_continued)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always(text("ok"));
    SSL_SESSION* session = nullptr;
    {
        test_client client{trust(endpoint)};
        client.ask(chat("x"));
        BOOST_TEST(client.receive().is_complete);
        session = SSL_get1_session(client.native());
    }
    BOOST_TEST(endpoint.counts().handshakes_resumed == 0U);
    test_client again{{endpoint.port(), endpoint.ca_pem(), "localhost", session}};
    SSL_SESSION_free(session);
    again.ask(chat("x"));
    BOOST_TEST(again.receive().is_complete);
    BOOST_TEST(SSL_session_reused(again.native()) == 1);
    BOOST_TEST(endpoint.counts().handshakes_resumed == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
