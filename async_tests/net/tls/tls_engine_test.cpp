#include <boost/test/unit_test.hpp>

#include "net/tls/tls_engine.hpp"

#include <weft/testing/test_certificates.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

BOOST_AUTO_TEST_SUITE(tls_engine_test)

using weft::net_detail::tls_engine;
using weft::net_detail::tls_result;
using weft::net_detail::tls_side;
using weft::net_detail::tls_status;
using weft::net_detail::tls_wire;
using context_ptr = std::shared_ptr<SSL_CTX>;

constexpr int turns_max = 200'000;  // byte by byte a handshake takes some thousands

struct engine_contexts {
    weft::testing::certificate_authority authority;
    context_ptr client{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
    context_ptr server{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};

    explicit engine_contexts(int version)
    {
        const weft::testing::issued_certificate issued = authority.issue();
        const std::shared_ptr<BIO> certificate{BIO_new_mem_buf(issued.certificate_pem.data(), -1), BIO_free};
        const std::shared_ptr<BIO> key{BIO_new_mem_buf(issued.key_pem.data(), -1), BIO_free};
        const std::shared_ptr<X509> leaf{PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr), X509_free};
        const std::shared_ptr<EVP_PKEY> secret{PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr),
                                               EVP_PKEY_free};
        BOOST_REQUIRE_EQUAL(SSL_CTX_use_certificate(server.get(), leaf.get()), 1);
        BOOST_REQUIRE_EQUAL(SSL_CTX_use_PrivateKey(server.get(), secret.get()), 1);
        SSL_CTX_set_max_proto_version(client.get(), version);
    }
};

/** An engine with what it has sent and not yet received, passed on in cuts of some size. */
struct engine_side {
    tls_engine engine;
    std::size_t cut;
    std::string in{};
    std::string out{};
    bool in_has_ended = false;

    template <class Call>
    tls_result step(Call call)
    {
        std::array<char, 16384> room;
        const std::size_t lent_in = std::min(cut, in.size());
        const std::size_t lent_out = std::min(cut, room.size());
        tls_wire wire{{in.data(), lent_in}, {room.data(), lent_out}, in_has_ended && lent_in == in.size()};
        const tls_result result = call(engine, wire);
        out.append(room.data(), lent_out - wire.out.size());
        in.erase(0, lent_in - wire.in.size());
        return result;
    }
    tls_result handshake()
    {
        return step([](tls_engine& e, tls_wire& w) { return e.handshake(w); });
    }
    tls_result read(std::string& into)
    {
        std::array<char, 1000> text;
        const tls_result result = step([&](tls_engine& e, tls_wire& w) { return e.read(w, text); });
        into.append(text.data(), result.size);
        return result;
    }
    tls_result write(std::string_view text)
    {
        return step([&](tls_engine& e, tls_wire& w) { return e.write(w, text); });
    }
    tls_result say_goodbye()
    {
        return step([](tls_engine& e, tls_wire& w) { return e.shutdown(w); });
    }
};

struct engine_pair {
    engine_contexts contexts;
    engine_side client;
    engine_side server;

    engine_pair(int version, std::size_t cut)
        : contexts{version}, client{tls_engine{contexts.client.get(), tls_side::client}, cut},
          server{tls_engine{contexts.server.get(), tls_side::server}, cut}
    {
    }

    void carry()
    {
        server.in += std::exchange(client.out, {});
        client.in += std::exchange(server.out, {});
    }

    void shake_hands()
    {
        bool is_done = false;
        for (int turn = 0; !is_done && turn < turns_max; ++turn) {
            const tls_status of_client = client.handshake().status;
            const tls_status of_server = server.handshake().status;
            BOOST_REQUIRE(of_client != tls_status::failed && of_server != tls_status::failed);
            carry();
            is_done = of_client == tls_status::done && of_server == tls_status::done;
        }
        BOOST_REQUIRE(is_done);
    }

    void pass(engine_side& from, engine_side& to, const std::string& text)
    {
        std::string received;
        std::size_t sent = 0;
        for (int turn = 0; received.size() < text.size() && turn < turns_max; ++turn) {
            if (sent < text.size()) {
                const tls_result written = from.write(std::string_view{text}.substr(sent));
                BOOST_REQUIRE(written.status == tls_status::done || written.status == tls_status::want_write);
                sent += written.size;
            }
            carry();
            const tls_result read = to.read(received);
            BOOST_REQUIRE(read.status == tls_status::done || read.status == tls_status::want_read);
        }
        BOOST_REQUIRE(received == text);
    }
};

BOOST_AUTO_TEST_CASE(any_cut_of_the_bytes_carries_handshake_tickets_and_text)
{
    std::string text;
    for (int i = 0; i < 40'000; ++i) text.push_back(static_cast<char>(i * 31 % 251));
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION})
        for (const std::size_t cut : {1u, 2u, 3u, 5u, 17u, 255u, 4096u, 16384u}) {
            BOOST_TEST_CONTEXT("version " << version << ", cut " << cut)
            {
                engine_pair pair{version, cut};
                pair.shake_hands();
                BOOST_TEST(SSL_version(pair.client.engine.native()) == version);
                // With TLS 1.3 the tickets lie before the text of the server.
                pair.pass(pair.server, pair.client, text);
                pair.pass(pair.client, pair.server, text);
            }
        }
}

BOOST_AUTO_TEST_CASE(a_goodbye_is_a_close_and_no_error)
{
    engine_pair pair{TLS1_3_VERSION, 16384};
    pair.shake_hands();
    pair.pass(pair.server, pair.client, "last words");
    BOOST_TEST((pair.server.say_goodbye().status == tls_status::done));
    pair.carry();
    pair.client.in_has_ended = true;
    std::string none;
    const tls_result end = pair.client.read(none);
    BOOST_TEST((end.status == tls_status::closed));
    BOOST_TEST(end.code == boost::asio::error::eof);
    BOOST_TEST(none.empty());
}

BOOST_AUTO_TEST_CASE(an_end_without_a_goodbye_is_a_truncation)
{
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION})
        for (const std::size_t missing : {std::size_t{0}, std::size_t{1}, std::size_t{20}}) {
            engine_pair pair{version, 16384};
            pair.shake_hands();
            pair.pass(pair.server, pair.client, "first");
            std::string text;
            if (missing > 0) {
                BOOST_REQUIRE(pair.server.write("cut in the middle").status == tls_status::done);
                pair.carry();
                pair.client.in.resize(pair.client.in.size() - missing);
            }
            pair.client.in_has_ended = true;
            const tls_result end = pair.client.read(text);
            BOOST_TEST((end.status == tls_status::failed));
            BOOST_TEST(end.code == boost::asio::ssl::error::stream_truncated);
            BOOST_TEST(text.empty());
        }
}

BOOST_AUTO_TEST_CASE(an_end_during_the_handshake_is_a_truncation)
{
    engine_pair pair{TLS1_3_VERSION, 16384};
    BOOST_TEST((pair.client.handshake().status == tls_status::want_read));
    pair.client.in_has_ended = true;
    BOOST_TEST(pair.client.handshake().code == boost::asio::ssl::error::stream_truncated);
}

BOOST_AUTO_TEST_CASE(a_changed_byte_fails_the_read_and_its_alert_fails_the_peer)
{
    engine_pair pair{TLS1_3_VERSION, 16384};
    pair.shake_hands();
    pair.pass(pair.server, pair.client, "first");
    BOOST_REQUIRE(pair.server.write("second").status == tls_status::done);
    pair.carry();
    pair.client.in.back() ^= 1;
    std::string text;
    const tls_result changed = pair.client.read(text);
    BOOST_TEST((changed.status == tls_status::failed));
    BOOST_TEST((changed.code.category() == boost::asio::error::get_ssl_category()));
    BOOST_TEST(text.empty());
    pair.carry();
    const tls_result alert = pair.server.read(text);
    BOOST_TEST((alert.status == tls_status::failed));
    BOOST_TEST(ERR_GET_REASON(static_cast<unsigned long>(alert.code.value())) == SSL_R_SSLV3_ALERT_BAD_RECORD_MAC);
}

BOOST_AUTO_TEST_CASE(any_changed_byte_of_a_handshake_ends_it_or_asks_for_more)
{
    for (std::size_t at = 0; at < 1200; at += 7) {
        engine_pair pair{TLS1_3_VERSION, 16384};
        (void)pair.client.handshake();
        pair.carry();
        (void)pair.server.handshake();
        pair.carry();
        if (at >= pair.client.in.size()) break;
        pair.client.in[at] ^= 0x55;
        const tls_result result = pair.client.handshake();
        BOOST_TEST((result.status == tls_status::failed || result.status == tls_status::want_read), "byte " << at);
        BOOST_TEST((SSL_is_init_finished(pair.client.engine.native()) == 0));
    }
}

BOOST_AUTO_TEST_CASE(errors_that_others_left_in_the_queue_are_not_taken_for_its_own)
{
    engine_pair pair{TLS1_3_VERSION, 16384};
    pair.shake_hands();
    pair.pass(pair.server, pair.client, "first");
    ERR_raise(ERR_LIB_SSL, SSL_R_BAD_LENGTH);
    std::string none;
    BOOST_TEST((pair.client.read(none).status == tls_status::want_read));
}

BOOST_AUTO_TEST_SUITE_END()
