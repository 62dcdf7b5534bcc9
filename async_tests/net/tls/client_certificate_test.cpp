#include <boost/test/unit_test.hpp>

#include "net/http_fixture.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

BOOST_AUTO_TEST_SUITE(client_certificate_test)

using namespace http_fixture;
using weft::errc;
using weft::error;
using weft::http_client;
using weft::http_client_options;
using weft::secret_string;
using weft::tls_options;
using weft::testing::certificate_options;
using weft::testing::issued_certificate;
using weft::testing::pem_file;

/** A server that wants a certificate of our authority and answers with the name in it. */
tls_peer_options asking_for_certificates()
{
    tls_peer_options options = secure();
    options.client_ca_pem = authority().certificate_pem();
    return options;
}

void tell_client(peer_connection& connection)
{
    for (;;) {
        (void)connection.read_request();
        connection.write(response_of("<" + connection.client_name() + ">"));
    }
}

tls_options trust(tls_options options = {})
{
    options.ca_pem = authority().certificate_pem();
    return options;
}

http_client client_with(tls_options tls) { return http_client{{.tls = std::move(tls)}}; }

std::string encrypted(const std::string& key_pem, const std::string& passphrase)
{
    const std::unique_ptr<BIO, decltype(&BIO_free)> in{BIO_new_mem_buf(key_pem.data(), -1), &BIO_free};
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{
        PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free};
    const std::unique_ptr<BIO, decltype(&BIO_free)> out{BIO_new(BIO_s_mem()), &BIO_free};
    PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), EVP_aes_256_cbc(), passphrase.data(),
                                  static_cast<int>(passphrase.size()), nullptr, nullptr);
    char* text = nullptr;
    const long size = BIO_get_mem_data(out.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

/** The error of a client with these options, which cannot be made. */
error refusal_of(tls_options tls)
{
    try {
        const http_client client = client_with(std::move(tls));
    } catch (const error& e) {
        BOOST_TEST((e.code() == errc::invalid_configuration));
        return e;
    }
    BOOST_FAIL("the client was made");
    throw std::logic_error{"unreachable"};
}

bool says(const error& failure, std::string_view text) { return failure.detail().find(text) != std::string::npos; }

BOOST_AUTO_TEST_CASE(a_certificate_is_shown_to_a_server_that_asks_for_one)
{
    tls_peer peer{asking_for_certificates(), tell_client};
    const issued_certificate own = authority().issue();
    const pem_file certificate{own.certificate_pem};
    const pem_file key{own.key_pem};
    const pem_file both{own.certificate_pem + own.key_pem};
    test_loop loop;
    const tls_options all[] = {
        trust({.certificate_pem = own.certificate_pem, .key_pem = secret_string{own.key_pem}}),
        trust({.certificate_file = certificate.path(), .key_file = key.path()}),
        trust({.certificate_file = both.path()}),
        trust({.certificate_pem = own.certificate_pem,
               .key_pem = secret_string{encrypted(own.key_pem, "open sesame")},
               .key_passphrase = secret_string{"open sesame"}}),
    };
    for (const tls_options& tls : all)
        BOOST_TEST(body_of(loop, client_with(tls), peer.url()) == "<weft test server>");
}

BOOST_AUTO_TEST_CASE(a_server_that_misses_a_certificate_ends_the_connection_and_is_understood)
{
    tls_peer_options options = asking_for_certificates();
    for (const bool is_tls_1_2 : {false, true}) {
        options.speaks_tls_1_2 = is_tls_1_2;
        tls_peer peer{options, [](peer_connection&) { BOOST_ERROR("the server finished the handshake"); }};
        test_loop loop;
        started fetched{loop, fetch(trusting_client(), peer.url())};
        const error failure = fetched.failure();
        BOOST_TEST_INFO(failure.what());
        BOOST_TEST((failure.code() == errc::tls_failed || failure.code() == errc::connection_lost));
    }
}

BOOST_AUTO_TEST_CASE(a_proxy_is_not_shown_the_certificate)
{
    tls_peer_options options = asking_for_certificates();
    tls_peer proxy{options, [](peer_connection&) { BOOST_ERROR("the proxy was shown a certificate"); }};
    const issued_certificate own = authority().issue();
    const tls_options own_certificate =
        trust({.certificate_pem = own.certificate_pem, .key_pem = secret_string{own.key_pem}});
    const http_client client{
        {.tls = own_certificate, .proxy = weft::http_proxy{weft::proxy_server{proxy.url().origin()}}}};
    test_loop loop;
    started fetched{loop, fetch(client, weft::url{"https://api.example.com"})};
    (void)fetched.failure();
}

BOOST_AUTO_TEST_CASE(a_key_of_another_certificate_is_refused_when_the_client_is_made)
{
    const issued_certificate own = authority().issue();
    const issued_certificate other = authority().issue();
    const error failure =
        refusal_of(trust({.certificate_pem = own.certificate_pem, .key_pem = secret_string{other.key_pem}}));
    BOOST_TEST(failure.where() == "key_pem");
    BOOST_TEST(says(failure, "does not belong to the certificate in certificate_pem"));
    BOOST_TEST(std::string_view{failure.what()}.find("PRIVATE KEY") == std::string_view::npos);
}

BOOST_AUTO_TEST_CASE(a_certificate_that_is_not_in_date_is_refused_when_the_client_is_made)
{
    const issued_certificate expired = authority().issue(certificate_options{}.expired());
    const tls_options late =
        trust({.certificate_pem = expired.certificate_pem, .key_pem = secret_string{expired.key_pem}});
    BOOST_TEST(says(refusal_of(late), "has expired"));
    const issued_certificate early = authority().issue(certificate_options{}.not_yet_valid());
    const tls_options too_early =
        trust({.certificate_pem = early.certificate_pem, .key_pem = secret_string{early.key_pem}});
    BOOST_TEST(says(refusal_of(too_early), "not valid yet"));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_refused_when_the_client_is_made)
{
    const issued_certificate own = authority().issue();
    BOOST_TEST(refusal_of(trust({.certificate_file = "/no/such.pem"})).where() == "/no/such.pem");
    BOOST_TEST(says(refusal_of(trust({.certificate_pem = "no PEM"})), "no PEM certificate"));
    BOOST_TEST(says(refusal_of(trust({.certificate_pem = own.certificate_pem})), "no PEM private key"));
    const tls_options without_key = trust({.certificate_pem = own.certificate_pem, .key_file = "/no/such.pem"});
    BOOST_TEST(says(refusal_of(without_key), "cannot be read"));
    BOOST_TEST(says(refusal_of(trust({.key_pem = secret_string{own.key_pem}})), "no certificate"));
    const secret_string locked{encrypted(own.key_pem, "open sesame")};
    BOOST_TEST(says(refusal_of(trust({.certificate_pem = own.certificate_pem, .key_pem = locked})),
                    "give key_passphrase"));
    const error wrong = refusal_of(
        trust({.certificate_pem = own.certificate_pem, .key_pem = locked, .key_passphrase = secret_string{"hunter2"}}));
    BOOST_TEST(says(wrong, "perhaps wrong"));
    BOOST_TEST(std::string_view{wrong.what()}.find("hunter2") == std::string_view::npos);
}

BOOST_AUTO_TEST_SUITE_END()
