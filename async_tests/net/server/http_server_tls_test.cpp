#include <boost/test/unit_test.hpp>

#include "client_frames.hpp"
#include "net/tls_client.hpp"
#include "server_fixture.hpp"

#include <weft/async/signal.hpp>
#include <weft/async/sleep.hpp>
#include <weft/testing/test_certificates.hpp>

#include <boost/test/data/test_case.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>

BOOST_AUTO_TEST_SUITE(http_server_tls_test)

using namespace server_fixture;
using namespace std::chrono_literals;
using weft::errc;
using weft::http_call;
using weft::http_reply;
using weft::task;
using weft::testing::certificate_options;
using weft::testing::issued_certificate;
using weft::testing::pem_file;

constexpr const char* last_request = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

const weft::testing::certificate_authority& authority()
{
    static const weft::testing::certificate_authority ca;
    return ca;
}

/** A certificate of our authority, in files. */
struct identity_files {
    explicit identity_files(const certificate_options& options = {}) : identity_files{authority().issue(options)} {}
    explicit identity_files(const issued_certificate& issued)
        : certificate{issued.certificate_pem}, key{issued.key_pem}
    {
    }
    [[nodiscard]] weft::tls_server_options options() const
    {
        return {.certificate_file = certificate.path(), .key_file = key.path()};
    }
    pem_file certificate;
    pem_file key;
};

/** A server that speaks TLS. */
struct secure_server {
    secure_server(test_loop& where, weft::http_server::handler_function handler, const weft::tls_server_options& tls,
                  weft::http_server_options options = weft::http_server_options{})
        : where{where}, server{where.loop(), std::move(handler), std::move(options)},
          at{server.listen(weft::listen_address{"127.0.0.1:0"}, tls)}, running{where, server.run()}
    {
    }
    [[nodiscard]] weft::url url(std::string_view target = "/") const
    {
        return weft::url{"https://127.0.0.1:" + std::to_string(at.port()) + std::string{target}};
    }
    /** What OpenSSL's own client gets. */
    tls_client_outcome talk(const std::string& request, const tls_client_options& brought = {})
    {
        auto talking = std::async(std::launch::async, [&] { return talk_tls(at.port(), request, brought); });
        where.run_until([&] { return talking.wait_for(0s) == std::future_status::ready; });
        return talking.get();
    }
    void wait_until_empty()
    {
        where.run_until([this] { return server.counts().open == 0; });
    }

    test_loop& where;
    weft::http_server server;
    weft::listen_address at;
    started<void> running;
};

weft::http_client client_that_trusts_us()
{
    weft::http_client_options options;
    options.tls.ca_pem = authority().certificate_pem();
    return weft::http_client{std::move(options)};
}

task<std::string> fetch(weft::http_client client, weft::http_request request)
{
    weft::http_response response = co_await client.send(std::move(request));
    std::string body = co_await response.read_all(64 * 1024 * 1024);
    co_return body;
}

/** Says how the client came, and who it is. */
task<void> tell_client(http_call& call)
{
    std::string text = call.is_tls() ? "tls" : "plain";
    if (const weft::client_identity* const who = call.client_certificate()) {
        text += " " + who->common_name;
        for (const std::string& name : who->dns_names) text += " " + name;
        text += " " + who->fingerprint;
    }
    http_reply answer{200, text};
    co_await call.reply(std::move(answer));
}

BOOST_DATA_TEST_CASE(bodies_of_every_size_arrive_whole_both_ways,
                     boost::unit_test::data::make({0, 1, 500, 16'384, 16'385, 70'000, 3'000'000}), size)
{
    test_loop loop;
    const identity_files files;
    secure_server running{loop, echo, files.options()};
    std::string body(static_cast<std::size_t>(size), 'x');
    for (std::size_t i = 0; i < body.size(); i += 7) body[i] = static_cast<char>('a' + i % 26);
    const weft::http_client client = client_that_trusts_us();
    for (int i = 0; i < 2; ++i) {
        weft::http_request request{"PUT", running.url()};
        request.body(body);
        started got{loop, fetch(client, std::move(request))};
        BOOST_TEST((got.result() == "PUT / " + body));
    }
    BOOST_TEST(running.server.counts().accepted == 1u);
    BOOST_TEST(running.server.counts().idle == 1u);
}

BOOST_AUTO_TEST_CASE(a_client_of_another_make_is_answered_with_a_goodbye)
{
    test_loop loop;
    const identity_files files;
    secure_server running{loop, tell_client, files.options()};
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        const tls_client_outcome got =
            running.talk(last_request, {.version_max = version, .protocols = {"h2", "http/1.1"}});
        BOOST_TEST(got.received.starts_with("HTTP/1.1 200 OK\r\n"));
        BOOST_TEST(got.received.ends_with("\r\n\r\ntls"));
        BOOST_TEST(got.has_goodbye);
        BOOST_TEST(got.version == (version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3"));
        BOOST_TEST(got.protocol == "http/1.1");
    }
    BOOST_TEST(running.talk(last_request).protocol == "");
    BOOST_TEST(running.server.counts().refused == 0u);
}

BOOST_AUTO_TEST_CASE(requests_in_one_record_or_in_one_for_each_byte_are_answered)
{
    test_loop loop;
    const identity_files files;
    secure_server running{loop, echo, files.options()};
    std::string requests;
    for (int i = 0; i < 20; ++i) requests += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
    const tls_client_outcome got = running.talk(requests + last_request);
    std::size_t at = 0;
    for (int i = 0; i < 20; ++i) {
        const std::size_t found = got.received.find("GET /" + std::to_string(i) + " ", at);
        BOOST_REQUIRE(found != std::string::npos);
        at = found;
    }
    BOOST_TEST(running.server.counts().requests == 21u);
}

BOOST_AUTO_TEST_CASE(a_websocket_over_tls_carries_messages_and_ends_with_a_goodbye)
{
    test_loop loop;
    const identity_files files;
    const auto repeat = [](http_call& call) -> task<void> {
        weft::websocket_session session = co_await call.accept_websocket();
        for (;;) {
            std::optional<std::string> message = co_await session.receive();
            if (!message) co_return;
            co_await session.send(std::move(*message));
        }
    };
    secure_server running{loop, repeat, files.options()};
    const std::string large(100'000, 'm');
    tls_client_outcome got = running.talk(
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" +
        client_frames::text_frame("small") + client_frames::text_frame(large) + client_frames::close_frame(1000));
    BOOST_TEST(got.received.starts_with("HTTP/1.1 101 "));
    BOOST_TEST(got.has_goodbye);
    got.received.erase(0, got.received.find("\r\n\r\n") + 4);
    BOOST_TEST(client_frames::take_frame(got.received).value().payload == "small");
    BOOST_TEST((client_frames::take_frame(got.received).value().payload == large));
    BOOST_TEST(client_frames::take_frame(got.received).value().code() == 1000u);
    running.wait_until_empty();
}

struct refused_row {
    std::string_view what;
    tls_client_options client;
    weft::tls_version version_min = weft::tls_version::tls_1_2;
    friend std::ostream& operator<<(std::ostream& out, const refused_row& r) { return out << r.what; }
};

BOOST_AUTO_TEST_CASE(who_speaks_another_tls_is_refused)
{
    test_loop loop;
    const identity_files files;
    const refused_row rows[] = {
        {"TLS 1.1", {.version_max = TLS1_1_VERSION}},
        {"TLS 1.2 where 1.3 is wanted", {.version_max = TLS1_2_VERSION}, weft::tls_version::tls_1_3},
        {"HTTP/2 only", {.protocols = {"h2"}}},
    };
    for (const refused_row& row : rows) {
        BOOST_TEST_CONTEXT(row.what)
        {
            weft::tls_server_options tls = files.options();
            tls.version_min = row.version_min;
            secure_server running{loop, echo, tls};
            BOOST_TEST(!running.talk(last_request, row.client).is_connected);
            running.wait_until_empty();
            BOOST_TEST(running.server.counts().refused == 1u);
            BOOST_TEST(running.server.counts().requests == 0u);
            BOOST_TEST(running.talk(last_request).received.ends_with("GET /a "));
        }
    }
}

BOOST_AUTO_TEST_CASE(renegotiation_is_refused)
{
    test_loop loop;
    const identity_files files;
    secure_server running{loop, echo, files.options()};
    const tls_client_outcome got =
        running.talk(last_request, {.version_max = TLS1_2_VERSION, .renegotiates = true});
    BOOST_TEST(got.is_connected);
    BOOST_TEST(got.received == "");
    running.wait_until_empty();
    BOOST_TEST(running.server.counts().requests == 0u);
}

BOOST_AUTO_TEST_CASE(plain_http_is_closed_and_counted)
{
    test_loop loop;
    const identity_files files;
    secure_server running{loop, echo, files.options()};
    raw_client client{loop, running.at.port()};
    client.send(last_request);
    BOOST_TEST(client.read_to_end().find("HTTP/") == std::string::npos);
    running.wait_until_empty();
    BOOST_TEST(running.server.counts().refused == 1u);
    BOOST_TEST(running.server.counts().requests == 0u);
}

BOOST_AUTO_TEST_CASE(any_beginning_of_a_handshake_may_be_the_last)
{
    test_loop loop;
    const identity_files files;
    secure_server running{loop, echo, files.options()};
    const std::string hello = client_hello();
    for (std::size_t size = 0; size <= hello.size(); size += 5) {
        raw_client client{loop, running.at.port()};
        client.send(hello.substr(0, size));
        client.end_sending();
        client.read_to_end();
    }
    running.wait_until_empty();
    BOOST_TEST(running.server.counts().refused == 0u);
    BOOST_TEST(running.talk(last_request).received.ends_with("GET /a "));
}

BOOST_AUTO_TEST_CASE(no_changed_byte_of_a_handshake_harms_the_server)
{
    test_loop loop;
    const identity_files files;
    secure_server running{loop, echo, files.options()};
    const std::string hello = client_hello();
    for (std::size_t at = 0; at < hello.size(); at += 3) {
        std::string changed = hello;
        changed[at] = static_cast<char>(changed[at] ^ 0x55);
        raw_client client{loop, running.at.port()};
        client.send(changed);
        client.end_sending();
        client.read_to_end();
    }
    running.wait_until_empty();
    BOOST_TEST(running.talk(last_request).received.ends_with("GET /a "));
}

BOOST_AUTO_TEST_CASE(who_does_not_shake_hands_is_given_up_and_nobody_waits_for_it)
{
    hand_clock time;
    test_loop loop{time};
    const identity_files files;
    secure_server running{loop, echo, files.options()};
    const std::string hello = client_hello();
    raw_client silent{loop, running.at.port()};
    raw_client slow{loop, running.at.port()};
    slow.send(std::string_view{hello}.substr(0, 100));
    loop.run_until([&] { return running.server.counts().open == 2; });
    BOOST_TEST(running.talk(last_request).received.ends_with("GET /a "));
    for (int i = 0; i < 5; ++i) loop.settle();
    loop.advance(9s);
    slow.send(std::string_view{hello}.substr(100, 1));
    BOOST_TEST(running.server.counts().open == 2u);
    loop.advance(2s);
    silent.read_to_end();
    slow.read_to_end();
    running.wait_until_empty();
    BOOST_TEST(running.server.counts().refused == 2u);
}

BOOST_AUTO_TEST_CASE(connections_that_shake_hands_count_in_the_bounds)
{
    test_loop loop;
    const identity_files files;
    weft::http_server_options options;
    options.connections_per_peer_max = 2;
    secure_server running{loop, echo, files.options(), options};
    raw_client first{loop, running.at.port()};
    raw_client second{loop, running.at.port()};
    loop.run_until([&] { return running.server.counts().open == 2; });
    raw_client third{loop, running.at.port()};
    third.read_to_end();
    BOOST_TEST(running.server.counts().turned_away == 1u);
    BOOST_TEST(running.server.counts().open == 2u);
}

BOOST_AUTO_TEST_CASE(who_does_not_shake_hands_makes_room_for_others)
{
    test_loop loop;
    const identity_files files;
    weft::http_server_options options;
    options.connections_max = 2;
    secure_server running{loop, echo, files.options(), options};
    raw_client first{loop, running.at.port()};
    loop.run_until([&] { return running.server.counts().open == 1; });
    raw_client second{loop, running.at.port()};
    loop.run_until([&] { return running.server.counts().open == 2; });
    BOOST_TEST(running.talk(last_request).received.ends_with("GET /a "));
    first.read_to_end();
    BOOST_TEST(!second.is_ended());
    BOOST_TEST(running.server.counts().turned_away == 1u);
}

/** What the server sees of a client that shows a certificate. */
struct mutual_tls {
    explicit mutual_tls(weft::client_certificates clients)
    {
        tls = files.options();
        tls.client_ca_file = ca.path();
        tls.clients = clients;
    }
    static tls_client_options showing(const issued_certificate& own)
    {
        return {.certificate_pem = own.certificate_pem, .key_pem = own.key_pem};
    }
    static issued_certificate good()
    {
        return authority().issue(
            certificate_options{}.for_clients().common_name("agent 7").hosts({"agent-7.example.com", "127.0.0.1"}));
    }

    identity_files files;
    pem_file ca{authority().certificate_pem()};
    weft::tls_server_options tls;
};

BOOST_AUTO_TEST_CASE(a_client_is_known_by_the_certificate_that_it_shows)
{
    for (const auto clients : {weft::client_certificates::require, weft::client_certificates::ask})
        for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
            test_loop loop;
            const mutual_tls setup{clients};
            secure_server running{loop, tell_client, setup.tls};
            tls_client_options client = mutual_tls::showing(mutual_tls::good());
            client.version_max = version;
            const tls_client_outcome got = running.talk(last_request, client);
            const std::size_t at = got.received.find("\r\n\r\ntls agent 7 agent-7.example.com ");
            BOOST_REQUIRE(at != std::string::npos);
            BOOST_TEST(got.received.substr(at + 36).size() == 64u);
            // Who comes again with a ticket is the same.
            client.session = got.session;
            BOOST_REQUIRE(client.session);
            const tls_client_outcome again = running.talk(last_request, client);
            BOOST_TEST(again.is_resumed);
            BOOST_TEST(again.received.substr(at) == got.received.substr(at));
        }
}

BOOST_AUTO_TEST_CASE(who_shows_no_good_certificate_is_not_let_in)
{
    const weft::testing::certificate_authority other;
    const auto late = certificate_options{}.for_clients().expired();
    const tls_client_options wrong[] = {
        mutual_tls::showing(other.issue(certificate_options{}.for_clients())),
        mutual_tls::showing(authority().issue(late)),
        mutual_tls::showing(authority().issue()),  // a server's
    };
    for (const auto clients : {weft::client_certificates::require, weft::client_certificates::ask}) {
        test_loop loop;
        const mutual_tls setup{clients};
        secure_server running{loop, tell_client, setup.tls};
        for (const tls_client_options& client : wrong) BOOST_TEST(running.talk(last_request, client).received == "");
        running.wait_until_empty();
        BOOST_TEST(running.server.counts().refused == 3u);
        BOOST_TEST(running.server.counts().requests == 0u);
        const tls_client_outcome nameless = running.talk(last_request);
        if (clients == weft::client_certificates::require)
            BOOST_TEST(nameless.received == "");
        else
            BOOST_TEST(nameless.received.ends_with("\r\n\r\ntls"));
    }
}

BOOST_AUTO_TEST_CASE(a_server_with_both_kinds_of_address_tells_them_apart)
{
    test_loop loop;
    const identity_files files;
    secure_server running{loop, tell_client, files.options()};
    running_server plain{loop, tell_client};
    BOOST_TEST(plain.exchange(last_request).ends_with("\r\n\r\nplain"));
    BOOST_TEST(running.talk(last_request).received.ends_with("\r\n\r\ntls"));
}

BOOST_AUTO_TEST_CASE(a_stream_ends_its_handler_when_the_client_goes_away)
{
    test_loop loop;
    const identity_files files;
    bool was_stopped = false;
    const auto handler = [&was_stopped](http_call& call) -> task<void> {
        co_await call.start_stream(200, "text/event-stream");
        co_await call.write("data: 1\n\n");
        try {
            co_await weft::sleep_for(1h);
        } catch (const weft::error& e) {
            was_stopped = e.code() == errc::cancelled;
            throw;
        }
    };
    secure_server running{loop, handler, files.options()};
    {
        started got{loop, client_that_trusts_us().send(weft::http_request{"GET", running.url()})};
        const weft::http_response response = got.result();
        BOOST_TEST(response.status() == 200);
    }
    loop.run_until([&] { return was_stopped; });
    running.wait_until_empty();
}

BOOST_AUTO_TEST_CASE(a_stream_that_is_cut_has_no_goodbye)
{
    test_loop loop;
    const identity_files files;
    const auto handler = [](http_call& call) -> task<void> {
        co_await call.start_stream(200, "text/plain");
        co_await call.write("half");
        throw std::runtime_error{"broken"};
    };
    secure_server running{loop, handler, files.options()};
    const tls_client_outcome got = running.talk("GET / HTTP/1.0\r\n\r\n");
    BOOST_TEST(got.received.ends_with("half"));
    BOOST_TEST(!got.has_goodbye);
}

BOOST_AUTO_TEST_CASE(a_client_that_does_not_read_is_given_up)
{
    hand_clock time;
    test_loop loop{time};
    const identity_files files;
    std::optional<errc> failure;
    std::size_t written = 0;
    const auto handler = [&](http_call& call) -> task<void> {
        const std::string piece(64 * 1024, 'x');
        try {
            co_await call.start_stream(200, "text/plain");
            for (;; written += piece.size()) co_await call.write(piece);
        } catch (const weft::error& e) {
            failure = e.code();
            throw;
        }
    };
    weft::http_server_options options;
    options.send_buffer_bytes = 16 * 1024;
    secure_server running{loop, handler, files.options(), options};
    started got{loop, client_that_trusts_us().send(weft::http_request{"GET", running.url()})};
    const weft::http_response response = got.result();
    std::size_t before = 1;
    for (int calm = 0; calm < 20; ++calm) {
        loop.context().restart();
        loop.context().run_for(5ms);
        if (written != before) calm = 0;
        before = written;
    }
    BOOST_TEST(!failure);
    loop.advance(31s);
    loop.run_until([&] { return failure.has_value(); });
    BOOST_TEST((failure == errc::send_timeout));
    running.wait_until_empty();
}

BOOST_AUTO_TEST_CASE(a_drain_and_a_stop_close_what_is_open)
{
    test_loop loop;
    const identity_files files;
    {
        secure_server running{loop, echo, files.options()};
        const weft::http_client client = client_that_trusts_us();
        started got{loop, fetch(client, weft::http_request{"GET", running.url()})};
        BOOST_TEST(got.result() == "GET / ");
        raw_client shaking{loop, running.at.port()};
        loop.run_until([&] { return running.server.counts().open == 2; });
        running.running.stop();
        loop.run_until([&] { return running.running.is_done(); });
        shaking.read_to_end();
        BOOST_TEST(running.server.counts().open == 0u);
    }
    secure_server running{loop, echo, files.options()};
    const weft::http_client client = client_that_trusts_us();
    started got{loop, fetch(client, weft::http_request{"GET", running.url()})};
    BOOST_TEST(got.result() == "GET / ");
    running.server.drain();
    loop.run_until([&] { return running.running.is_done(); });
    BOOST_TEST(running.server.counts().open == 0u);
}

void write_file(const std::filesystem::path& path, const std::string& text)
{
    std::ofstream{path, std::ios::trunc} << text;
}

/** A part of a request: a handshake takes several. */
void run_a_little(test_loop& loop)
{
    loop.context().restart();
    for (int i = 0; i < 7; ++i) loop.context().poll_one();
}

/** Fetches over and over; each second request comes by a connection of its own. */
task<int> fetch_often(weft::url target, int count)
{
    int answered = 0;
    weft::http_client client = client_that_trusts_us();
    for (int i = 0; i < count; ++i) {
        if (i % 2 == 0) client = client_that_trusts_us();
        std::string body = co_await fetch(client, weft::http_request{"GET", target});
        if (body == "GET / ") ++answered;
    }
    co_return answered;
}

BOOST_AUTO_TEST_CASE(certificates_are_renewed_while_requests_are_answered)
{
    test_loop loop;
    const identity_files files{certificate_options{}.common_name("number 0")};
    secure_server running{loop, echo, files.options()};
    // One connection that is as old as the server.
    const weft::http_client old = client_that_trusts_us();
    started first{loop, fetch(old, weft::http_request{"GET", running.url()})};
    BOOST_TEST(first.result() == "GET / ");

    started requests{loop, fetch_often(running.url(), 200)};
    int reloads = 0;
    while (!requests.is_done()) {
        ++reloads;
        const issued_certificate next =
            authority().issue(certificate_options{}.common_name("number " + std::to_string(reloads)));
        write_file(files.certificate.path(), next.certificate_pem);
        BOOST_CHECK_THROW(running.server.reload_tls(), weft::error);  // its key is not there yet
        run_a_little(loop);
        write_file(files.key.path(), next.key_pem);
        running.server.reload_tls();
        run_a_little(loop);
    }
    BOOST_TEST(requests.result() == 200);
    BOOST_TEST(reloads > 20);
    BOOST_TEST(running.talk(last_request).server_name == "number " + std::to_string(reloads));
    BOOST_TEST(running.server.counts().refused == 0u);

    const std::uint64_t accepted = running.server.counts().accepted;
    started last{loop, fetch(old, weft::http_request{"GET", running.url()})};
    BOOST_TEST(last.result() == "GET / ");
    BOOST_TEST(running.server.counts().accepted == accepted);
}

BOOST_AUTO_TEST_CASE(a_session_of_before_a_reload_is_not_taken_up_again)
{
    test_loop loop;
    const identity_files files;
    secure_server running{loop, echo, files.options()};
    tls_client_options client;
    client.session = running.talk(last_request).session;
    BOOST_REQUIRE(client.session);
    BOOST_TEST(running.talk(last_request, client).is_resumed);
    running.server.reload_tls();
    const tls_client_outcome after = running.talk(last_request, client);
    BOOST_TEST(!after.is_resumed);
    BOOST_TEST(after.received.ends_with("GET /a "));
}

BOOST_AUTO_TEST_CASE(a_bad_file_is_told_and_what_was_loaded_stays)
{
    test_loop loop;
    const identity_files good;
    const identity_files bad;
    secure_server running{loop, echo, good.options()};
    (void)running.server.listen(weft::listen_address{"127.0.0.1:0"}, bad.options());
    write_file(bad.certificate.path(), "no PEM");
    try {
        running.server.reload_tls();
        BOOST_ERROR("the reload succeeded");
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == errc::invalid_configuration));
        BOOST_TEST(e.detail() == bad.certificate.path().string() +
                                     ": it holds no PEM certificate; what was loaded before stays");
    }
    BOOST_TEST(running.talk(last_request).received.ends_with("GET /a "));
}

BOOST_AUTO_TEST_CASE(a_server_may_be_destroyed_while_hands_are_shaken)
{
    test_loop loop;
    const identity_files files;
    raw_client* open = nullptr;
    std::optional<raw_client> client;
    {
        secure_server running{loop, echo, files.options()};
        client.emplace(loop, running.at.port());
        open = &*client;
        open->send(std::string_view{client_hello()}.substr(0, 50));
        loop.run_until([&] { return running.server.counts().open == 1; });
    }
    open->read_to_end();
}

BOOST_AUTO_TEST_SUITE_END()
