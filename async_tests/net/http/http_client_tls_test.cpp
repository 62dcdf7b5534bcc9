#include <boost/test/unit_test.hpp>

#include "net/http_fixture.hpp"

#include <boost/test/data/test_case.hpp>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <chrono>

BOOST_AUTO_TEST_SUITE(http_client_tls_test)

using namespace http_fixture;
using namespace std::chrono_literals;
using weft::errc;
using weft::error;
using weft::http_client;
using weft::http_client_options;
using weft::http_timeouts;
using weft::tls_options;
using weft::tls_verification;
using weft::testing::certificate_options;

error failure_against(tls_peer& peer, http_client client, std::string_view host = "localhost")
{
    test_loop loop;
    started fetched{loop, fetch(client, peer.url("/", host))};
    const error failure = fetched.failure();
    BOOST_TEST(failure.where() == std::string{host} + ':' + std::to_string(peer.port()));
    BOOST_TEST(client.counts().open == 0u);
    return failure;
}

void never_played(peer_connection&) { BOOST_ERROR("the client finished the handshake"); }

BOOST_AUTO_TEST_CASE(a_certificate_of_an_unknown_authority_is_not_trusted)
{
    const weft::testing::certificate_authority other;
    const auto leaf = other.issue();
    tls_peer peer{{.certificate_pem = leaf.certificate_pem, .key_pem = leaf.key_pem}, never_played};
    const error failure = failure_against(peer, trusting_client());
    BOOST_TEST((failure.code() == errc::tls_untrusted));
    BOOST_TEST(failure.detail().find("unable to get local issuer certificate") != std::string::npos);
    BOOST_TEST(failure.detail().find("ca_file") != std::string::npos);
    peer.wait_until_done(1);
    BOOST_TEST(peer.failed_handshakes() == 1);
}

template <class Write>
std::string pem_of(Write write)
{
    BIO* const out = BIO_new(BIO_s_mem());
    write(out);
    char* text = nullptr;
    const long size = BIO_get_mem_data(out, &text);
    std::string pem{text, static_cast<std::size_t>(size)};
    BIO_free(out);
    return pem;
}

/** A server certificate that vouches for itself. */
tls_peer_options self_signed()
{
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const certificate = X509_new();
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("local\x1b[31mhost"), -1, -1, 0);
    X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
    X509_sign(certificate, key, EVP_sha256());
    tls_peer_options options;
    options.certificate_pem = pem_of([&](BIO* out) { PEM_write_bio_X509(out, certificate); });
    options.key_pem =
        pem_of([&](BIO* out) { PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr); });
    X509_free(certificate);
    EVP_PKEY_free(key);
    return options;
}

BOOST_AUTO_TEST_CASE(a_self_signed_certificate_is_not_trusted)
{
    tls_peer peer{self_signed(), never_played};
    const error failure = failure_against(peer, trusting_client());
    BOOST_TEST((failure.code() == errc::tls_untrusted));
    BOOST_TEST(failure.detail().find("self-signed certificate") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(control_characters_of_a_certificate_do_not_reach_the_message)
{
    tls_peer peer{self_signed(), never_played};
    BOOST_TEST(failure_against(peer, trusting_client()).detail().find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_expired_certificate_is_told_apart)
{
    tls_peer peer{secure(certificate_options{}.expired()), never_played};
    const error failure = failure_against(peer, trusting_client());
    BOOST_TEST((failure.code() == errc::tls_expired));
    BOOST_TEST(failure.detail().find("certificate has expired") != std::string::npos);
    BOOST_TEST(failure.detail().find("valid from") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_certificate_from_the_future_is_told_apart)
{
    tls_peer peer{secure(certificate_options{}.not_yet_valid()), never_played};
    const error failure = failure_against(peer, trusting_client());
    BOOST_TEST((failure.code() == errc::tls_expired));
    BOOST_TEST(failure.detail().find("not yet valid") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_certificate_for_another_host_is_told_apart_and_names_both)
{
    tls_peer peer{secure(certificate_options{}.hosts({"api.example.com", "*.example.org"})), never_played};
    const error failure = failure_against(peer, trusting_client());
    BOOST_TEST((failure.code() == errc::tls_wrong_host));
    BOOST_TEST(failure.detail().find("ostname mismatch") != std::string::npos);
    BOOST_TEST(failure.detail().find("asked for is localhost") != std::string::npos);
    BOOST_TEST(failure.detail().find("api.example.com") != std::string::npos);
    BOOST_TEST(failure.detail().find("*.example.org") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(F11_a_common_name_is_no_name_of_a_host)
{
    using hosts = std::vector<std::string>;
    for (const hosts& named : {hosts{}, hosts{"127.0.0.1"}}) {
        tls_peer peer{secure(certificate_options{}.common_name("localhost").hosts(named)), never_played};
        const error failure = failure_against(peer, trusting_client());
        BOOST_TEST((failure.code() == errc::tls_wrong_host));
        BOOST_TEST(failure.detail().find("CN = localhost") != std::string::npos);
        const bool names_no_host = failure.detail().find("certificate with a subjectAltName") != std::string::npos;
        BOOST_TEST(names_no_host == named.empty());
    }
}

BOOST_AUTO_TEST_CASE(an_address_is_checked_against_the_addresses_of_the_certificate)
{
    tls_peer right{secure(certificate_options{}.hosts({"127.0.0.1"})), echo};
    test_loop loop;
    started fetched{loop, fetch(trusting_client(), right.url("/", "127.0.0.1"))};
    BOOST_TEST(fetched.result().status == 200);

    tls_peer wrong{secure(certificate_options{}.hosts({"127.0.0.2", "localhost"})), never_played};
    const error failure = failure_against(wrong, trusting_client(), "127.0.0.1");
    BOOST_TEST((failure.code() == errc::tls_wrong_host));
    BOOST_TEST(failure.detail().find("IP address mismatch") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_ipv6_address_is_checked_against_the_addresses_of_the_certificate)
{
    tls_peer_options options = secure(certificate_options{}.hosts({"::1"}));
    options.listens_on_ipv6 = true;
    tls_peer peer{options, echo};
    test_loop loop;
    started fetched{loop, fetch(trusting_client(), peer.url("/", "[::1]"))};
    BOOST_TEST(fetched.result().status == 200);
}

BOOST_AUTO_TEST_CASE(a_name_in_the_certificate_does_not_vouch_for_an_address_and_the_other_way_round)
{
    tls_peer named{secure(certificate_options{}.hosts({"localhost"})), never_played};
    BOOST_TEST((failure_against(named, trusting_client(), "127.0.0.1").code() == errc::tls_wrong_host));
    tls_peer numbered{secure(certificate_options{}.hosts({"127.0.0.1"})), never_played};
    BOOST_TEST((failure_against(numbered, trusting_client(), "localhost").code() == errc::tls_wrong_host));
}

BOOST_AUTO_TEST_CASE(without_verification_anybody_is_believed)
{
    const weft::testing::certificate_authority other;
    const auto leaf = other.issue(certificate_options{}.hosts({"elsewhere"}).expired());
    tls_peer peer{{.certificate_pem = leaf.certificate_pem, .key_pem = leaf.key_pem}, echo};
    const http_client client{{.tls = {.verification = tls_verification::none}}};
    test_loop loop;
    started fetched{loop, fetch(client, peer.url())};
    BOOST_TEST(fetched.result().status == 200);
}

BOOST_AUTO_TEST_CASE(tls_1_2_is_spoken_and_1_1_is_not)
{
    tls_peer_options options = secure();
    options.speaks_tls_1_2 = true;
    tls_peer old{options, echo};
    test_loop loop;
    started fetched{loop, fetch(trusting_client(), old.url())};
    BOOST_TEST(fetched.result().status == 200);

    options.speaks_old_tls = true;
    tls_peer older{options, never_played};
    const error failure = failure_against(older, trusting_client());
    BOOST_TEST((failure.code() == errc::tls_failed));
    BOOST_TEST(failure.detail().find("TLS 1.2") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_peer_that_speaks_no_tls_is_told_apart)
{
    tls_peer_options options = secure();
    options.shakes_hands = false;
    tls_peer plain{options, [](peer_connection&) {}};  // ends the stream at once
    BOOST_TEST((failure_against(plain, trusting_client()).code() == errc::connection_lost));

    tls_peer http{[](peer_connection& connection) {
        connection.write("HTTP/1.1 400 Bad Request\r\n\r\n");
        connection.wait_until_closed();
    }};
    test_loop loop;
    started fetched{loop, fetch(trusting_client(), weft::url{"https://localhost:" + std::to_string(http.port())})};
    BOOST_TEST((fetched.failure().code() == errc::tls_failed));
}

BOOST_AUTO_TEST_CASE(a_handshake_that_is_not_answered_is_a_connect_timeout)
{
    tls_peer_options options = secure();
    options.shakes_hands = false;
    tls_peer peer{options, [](peer_connection& connection) { connection.wait_until_closed(); }};
    const error failure =
        failure_against(peer, http_client{trusting({.timeouts = {.connect = 30ms}})});
    BOOST_TEST((failure.code() == errc::connect_timeout));
    BOOST_TEST(failure.detail().find("handshake") != std::string::npos);
    peer.wait_until_done(1);
}

BOOST_AUTO_TEST_CASE(the_host_name_is_announced_but_never_an_address)
{
    const tls_peer::script tell_name = [](peer_connection& connection) {
        (void)connection.read_request();
        connection.write(response_of("<" + connection.server_name() + ">"));
    };
    tls_peer peer{secure(certificate_options{}.hosts({"localhost", "127.0.0.1"})), tell_name};
    test_loop loop;
    started by_name{loop, fetch(trusting_client(), peer.url("/", "LocalHost"))};
    BOOST_TEST(by_name.result().body == "<localhost>");
    started by_address{loop, fetch(trusting_client(), peer.url("/", "127.0.0.1"))};
    BOOST_TEST(by_address.result().body == "<>");
}

BOOST_DATA_TEST_CASE(a_session_is_taken_up_again_by_the_next_connection, boost::unit_test::data::make({false, true}),
                     is_tls_1_2)
{
    tls_peer_options options = secure();
    options.speaks_tls_1_2 = is_tls_1_2;
    tls_peer peer{options, [](peer_connection& connection) {
                      (void)connection.read_request();
                      const char* const kind = connection.is_resumed() ? "resumed" : "new";
                      connection.write(response_of(kind, "Connection: close\r\n"));
                      connection.wait_until_closed();
                  }};
    const http_client client = trusting_client();
    test_loop loop;
    for (int i = 0; i < 4; ++i) {
        started fetched{loop, fetch(client, peer.url())};
        BOOST_TEST(fetched.result().body == (i == 0 ? "new" : "resumed"));
    }
    BOOST_TEST(client.counts().opened == 4u);
    BOOST_TEST(client.counts().resumed == 3u);
    started by_another{loop, fetch(trusting_client(), peer.url())};
    BOOST_TEST(by_another.result().body == "new");
}

BOOST_AUTO_TEST_CASE(a_session_is_not_offered_to_another_host)
{
    tls_peer peer{secure(certificate_options{}.hosts({"localhost", "127.0.0.1"})), [](peer_connection& connection) {
                      (void)connection.read_request();
                      connection.write(response_of(connection.is_resumed() ? "resumed" : "new"));
                  }};
    const http_client client = trusting_client();
    test_loop loop;
    started by_name{loop, fetch(client, peer.url("/", "localhost"))};
    BOOST_TEST(by_name.result().body == "new");
    started by_address{loop, fetch(client, peer.url("/", "127.0.0.1"))};
    BOOST_TEST(by_address.result().body == "new");
}

BOOST_AUTO_TEST_CASE(a_ca_that_cannot_be_read_is_told_when_the_client_is_made)
{
    BOOST_CHECK_EXCEPTION(http_client{{.tls = {.ca_file = "/no/such/file"}}}, error,
                          [](const error& e) { return e.code() == errc::invalid_configuration; });
}

BOOST_AUTO_TEST_SUITE_END()
