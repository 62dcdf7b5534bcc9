#include <boost/test/unit_test.hpp>

#include "net/tls/tls_channel.hpp"

#include <weft/testing/test_certificates.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <malloc.h>
#include <openssl/pem.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(tls_channel_test)

using weft::net_detail::sealed_bytes;
using weft::net_detail::tls_channel;
using weft::net_detail::tls_result;
using weft::net_detail::tls_side;
using weft::net_detail::tls_status;
using ssl_context = std::shared_ptr<SSL_CTX>;

constexpr int steps_max = 500'000;

ssl_context context_of_server()
{
    const ssl_context context{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
    const weft::testing::certificate_authority authority;
    const weft::testing::issued_certificate issued = authority.issue();
    const std::shared_ptr<BIO> certificate{BIO_new_mem_buf(issued.certificate_pem.data(), -1), BIO_free};
    const std::shared_ptr<BIO> key{BIO_new_mem_buf(issued.key_pem.data(), -1), BIO_free};
    const std::shared_ptr<X509> leaf{PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr), X509_free};
    const std::shared_ptr<EVP_PKEY> secret{PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr),
                                           EVP_PKEY_free};
    BOOST_REQUIRE_EQUAL(SSL_CTX_use_certificate(context.get(), leaf.get()), 1);
    BOOST_REQUIRE_EQUAL(SSL_CTX_use_PrivateKey(context.get(), secret.get()), 1);
    return context;
}

/** Two channels, and the wires between them. */
struct channel_pair {
    ssl_context of_client;
    ssl_context of_server;
    tls_channel client;
    tls_channel server;
    std::string to_client{};
    std::string to_server{};

    explicit channel_pair(int version = TLS1_3_VERSION)
        : channel_pair{{SSL_CTX_new(TLS_client_method()), SSL_CTX_free}, context_of_server(), version}
    {
    }
    channel_pair(ssl_context client_side, ssl_context server_side, int version = TLS1_3_VERSION)
        : of_client{std::move(client_side)}, of_server{std::move(server_side)},
          client{limited(of_client.get(), version), tls_side::client}, server{of_server.get(), tls_side::server}
    {
    }

    static SSL_CTX* limited(SSL_CTX* context, int version)
    {
        SSL_CTX_set_max_proto_version(context, version);
        return context;
    }

    static std::string take(std::string& from, std::size_t cut)
    {
        const std::string taken = from.substr(0, cut);
        from.erase(0, taken.size());
        return taken;
    }

    void shake_hands(std::size_t cut = 4096)
    {
        tls_status of_client = tls_status::want_read;
        tls_status of_server = tls_status::want_read;
        for (int step = 0; step < steps_max; ++step) {
            if (of_client == tls_status::want_read) of_client = client.handshake(take(to_client, cut), false).status;
            to_server += std::exchange(client.owed(), {});
            if (of_server == tls_status::want_read) of_server = server.handshake(take(to_server, cut), false).status;
            to_client += std::exchange(server.owed(), {});
            if (of_client == tls_status::done && of_server == tls_status::done) return;
            BOOST_REQUIRE((of_client != tls_status::failed && of_server != tls_status::failed));
        }
        BOOST_FAIL("the handshake does not end");
    }

    /** Puts all of the text on the wire to the client. */
    void send(std::string_view text)
    {
        while (!text.empty()) {
            const sealed_bytes sealed = server.seal(text);
            BOOST_REQUIRE(!sealed.code);
            to_client.append(sealed.bytes.get(), sealed.size);
            text.remove_prefix(sealed.plaintext);
        }
    }

    /** One read of the client, as a stream does it: into a room that the bytes of the wire come to first. */
    tls_result read(std::size_t cut, std::vector<char>& room, bool ends = false)
    {
        if (client.has_buffered()) {
            const tls_result buffered = client.read({}, false, room);
            if (buffered.status != tls_status::want_read) return buffered;
        }
        const std::string received = take(to_client, std::min({cut, room.size(), tls_channel::received_max}));
        std::copy(received.begin(), received.end(), room.begin());
        return client.read_in_place(room, received.size(), ends && received.empty());
    }
};

std::string some_text(std::size_t size)
{
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text.push_back(static_cast<char>(i * 31 % 251));
    return text;
}

BOOST_AUTO_TEST_CASE(text_comes_whole_through_any_cut_and_into_any_room)
{
    const std::string text = some_text(40'000);
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION})
        for (const std::size_t cut : {1u, 3u, 22u, 1000u, 16'384u})
            for (const std::size_t size : {1u, 5u, 100u, 1000u, 16'384u, 70'000u}) {
                BOOST_TEST_CONTEXT("version " << version << ", cut " << cut << ", room " << size)
                {
                    channel_pair pair{version};
                    pair.shake_hands(cut);
                    pair.send(text);
                    std::vector<char> room(size);
                    std::string received;
                    for (int step = 0; received.size() < text.size() && step < steps_max; ++step) {
                        const tls_result result = pair.read(cut, room);
                        BOOST_REQUIRE((result.status == tls_status::done || result.status == tls_status::want_read));
                        received.append(room.data(), result.size);
                    }
                    BOOST_TEST((received == text));
                    BOOST_TEST(!pair.client.has_buffered());
                }
            }
}

BOOST_AUTO_TEST_CASE(several_records_are_read_at_once)
{
    channel_pair pair;
    pair.shake_hands();
    for (const char* word : {"one ", "two ", "three"}) pair.send(word);
    std::vector<char> room(1000);
    // The tickets of the handshake stand before them.
    const tls_result result = pair.read(16'384, room);
    BOOST_TEST(std::string(room.data(), result.size) == "one two three");
}

BOOST_AUTO_TEST_CASE(an_end_behind_the_last_bytes_is_told_after_them_and_again)
{
    channel_pair pair;
    pair.shake_hands();
    pair.send("last words");
    pair.server.say_goodbye();
    pair.to_client += std::exchange(pair.server.owed(), {});
    std::vector<char> room(1000);
    const tls_result words = pair.read(16'384, room);
    BOOST_TEST(words.size == 10u);
    BOOST_TEST(!words.code);
    BOOST_TEST(pair.client.has_buffered());
    for (int i = 0; i < 2; ++i) {
        const tls_result end = pair.read(16'384, room);
        BOOST_TEST((end.status == tls_status::closed));
        BOOST_TEST(end.code == boost::asio::error::eof);
    }
}

BOOST_AUTO_TEST_CASE(an_end_without_a_goodbye_is_a_truncation_wherever_it_comes)
{
    channel_pair whole;
    whole.shake_hands();
    whole.send("text");
    const std::size_t size = whole.to_client.size();
    for (std::size_t cut = 0; cut < size; ++cut) {
        channel_pair pair;
        pair.shake_hands();
        pair.send("text");
        pair.to_client.resize(std::min(cut, pair.to_client.size() - 1));  // tickets differ in size
        std::vector<char> room(1000);
        tls_result result = pair.read(16'384, room);
        BOOST_TEST((result.status == tls_status::want_read));
        result = pair.read(16'384, room, true);
        BOOST_TEST(result.code == boost::asio::ssl::error::stream_truncated);
        BOOST_TEST(!pair.client.is_established());
    }
}

BOOST_AUTO_TEST_CASE(a_changed_byte_ends_the_channel_and_owes_an_alert)
{
    channel_pair pair;
    pair.shake_hands();
    std::vector<char> room(1000);
    (void)pair.read(16'384, room);
    pair.send("first");
    pair.send("second");
    pair.to_client.back() ^= 1;
    const tls_result first = pair.read(16'384, room);
    BOOST_TEST(std::string(room.data(), first.size) == "first");
    const tls_result second = pair.read(16'384, room);
    BOOST_TEST((second.status == tls_status::failed));
    BOOST_TEST((second.code.category() == boost::asio::error::get_ssl_category()));
    BOOST_TEST(!pair.client.owed().empty());
    std::vector<char> other(1000);
    BOOST_TEST((pair.server.read(pair.client.owed(), false, other).status == tls_status::failed));
}

BOOST_AUTO_TEST_CASE(what_a_read_owes_goes_out_before_the_next_record)
{
    channel_pair pair;
    pair.shake_hands();
    // A change of keys that asks for one of the other side.
    BOOST_REQUIRE(SSL_key_update(pair.server.native(), SSL_KEY_UPDATE_REQUESTED) == 1);
    pair.send("new keys");
    std::vector<char> room(1000);
    const tls_result result = pair.read(16'384, room);
    BOOST_TEST(std::string(room.data(), result.size) == "new keys");
    for (int i = 0; i < 3; ++i) {
        std::string_view text{"answer"};
        std::string wire;
        while (!text.empty()) {
            const sealed_bytes sealed = pair.client.seal(text);
            BOOST_REQUIRE(!sealed.code);
            wire.append(sealed.bytes.get(), sealed.size);
            text.remove_prefix(sealed.plaintext);
        }
        const tls_result answer = pair.server.read(wire, false, room);
        BOOST_TEST(std::string(room.data(), answer.size) == "answer");
    }
}

BOOST_AUTO_TEST_CASE(a_goodbye_before_the_handshake_is_none)
{
    channel_pair pair;
    pair.server.say_goodbye();
    BOOST_TEST(pair.server.owed().empty());
    pair.shake_hands();
    pair.server.say_goodbye();
    pair.server.say_goodbye();
    const std::size_t one = pair.server.owed().size();
    BOOST_TEST(one > 0u);
    BOOST_TEST(one < 60u);
}

BOOST_AUTO_TEST_CASE(http_instead_of_tls_fails_the_handshake)
{
    channel_pair pair;
    const tls_result result = pair.server.handshake("GET / HTTP/1.1\r\nHost: x\r\n\r\n", false);
    BOOST_TEST((result.status == tls_status::failed));
    BOOST_TEST((result.code.category() == boost::asio::error::get_ssl_category()));
}

BOOST_AUTO_TEST_CASE(channels_that_wait_hold_no_buffer)
{
    constexpr std::size_t pairs = 50;
    const channel_pair model;
    std::vector<char> room(1000);
    const auto open_pair = [&] {
        auto pair = std::make_unique<channel_pair>(model.of_client, model.of_server);
        pair->shake_hands();
        const sealed_bytes request = pair->client.seal("request");
        (void)pair->server.read({request.bytes.get(), request.size}, false, room);
        pair->send("answer");
        (void)pair->read(16'384, room);  // after the tickets of the handshake
        return pair;
    };
    std::vector<std::unique_ptr<channel_pair>> open;
    open.reserve(pairs + 1);
    open.push_back(open_pair());
    const std::size_t before = ::mallinfo2().uordblks;
    if (before == 0) return;  // another allocator
    for (std::size_t i = 0; i < pairs; ++i) open.push_back(open_pair());
    // Both sides together. One buffer of OpenSSL has more than 16 KB.
    BOOST_TEST((::mallinfo2().uordblks - before) / pairs < 48'000u);
}

BOOST_AUTO_TEST_SUITE_END()
