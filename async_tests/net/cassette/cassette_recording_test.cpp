#include <boost/test/unit_test.hpp>

#include "cassette_fixture.hpp"

#include <iostream>

BOOST_AUTO_TEST_SUITE(cassette_recording_test)

using namespace cassette_fixture;
using namespace std::chrono_literals;
using http_fixture::echo;
using http_fixture::fetch;
using http_fixture::secure;
using http_fixture::trusting;
using weft::cassette;
using weft::cassette_mode;
using weft::cassette_options;
using weft::errc;
using weft::error;
using weft::http_client;
using weft::http_client_options;
using weft::http_request;
using weft::http_response;
using weft::secret_string;
using weft::url;
using weft::testing::simulation;

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

BOOST_AUTO_TEST_CASE(what_was_recorded_over_tls_is_replayed_byte_for_byte_without_a_server)
{
    const tape_folder folder;
    const std::string bytes = std::string{"\0\xff\xfe", 3} + "Grüße";
    std::optional<url> target;
    {
        tls_peer peer{secure(), [&](peer_connection& connection) {
                          (void)connection.read_request();
                          connection.write("HTTP/1.1 429 Slow Down\r\nRetry-After: 7\r\nX: a\r\nX: b\r\n"
                                           "Transfer-Encoding: chunked\r\n\r\n" +
                                           chunk_of(bytes) + "0\r\n\r\n");
                          connection.wait_until_closed();
                      }};
        target = peer.url("/v1?x=1");
        test_loop loop;
        const cassette tape{folder.file(), cassette_mode::record};
        started fetched{loop, fetch(http_client{trusting(), tape}, *target)};
        BOOST_TEST(fetched.result().body == bytes);
        tape.save();
        BOOST_TEST(tape.size() == 1u);
    }
    simulation world{1};
    const http_client client = replaying(folder.file());
    http_response response = world.run(client.send(http_request{"GET", *target}));
    BOOST_TEST(response.status() == 429);
    BOOST_TEST(response.head().reason == "Slow Down");
    BOOST_TEST(response.head().headers.size() == 4u);
    BOOST_TEST(response.head().headers[0].name == "Retry-After");
    BOOST_TEST(response.head().headers[2].value == "b");
    BOOST_TEST(world.run(response.read_all(100)) == bytes);
    BOOST_TEST(folder.files() == 1u);
}

BOOST_AUTO_TEST_CASE(times_are_those_of_the_loop)
{
    std::atomic<int> asked{0};
    tls_peer peer{[&](peer_connection& connection) {
        (void)connection.read_request();
        asked.wait(0);
        connection.write(chunked_head());
        for (int i = 1; i < 3; ++i) {
            asked.wait(i);
            connection.write(chunk_of("."));
        }
        connection.write("0\r\n\r\n");
        connection.wait_until_closed();
    }};
    const tape_folder folder;
    {
        hand_clock time;
        test_loop loop{time};
        const cassette tape{folder.file(), cassette_mode::record};
        const auto let_go_on = [&] {
            ++asked;
            asked.notify_all();
        };
        started sent{loop, http_client{http_client_options{}, tape}.send(http_request{"GET", peer.url()})};
        loop.advance(300ms);
        let_go_on();
        http_response response = sent.result();
        for (int i = 0; i < 2; ++i) {
            started read{loop, response.read_at_most(1)};
            loop.advance(1s);
            let_go_on();
            BOOST_TEST(read.result() == ".");
        }
        started rest{loop, response.read_some()};
        BOOST_TEST(rest.result() == "");
    }  // saves
    simulation world{1};
    BOOST_TEST(world.run(fetch(replaying(folder.file()), peer.url())).body == "..");
    BOOST_TEST(std::chrono::duration_cast<std::chrono::milliseconds>(world.elapsed()).count() == 2300);
}

BOOST_AUTO_TEST_CASE(secrets_are_written_nowhere)
{
    const std::string key = "sk-TEST-0123456789abcdef";
    const std::string own = "hunter2hunter2";
    tls_peer peer{[&](peer_connection& connection) {
        (void)connection.read_request();
        connection.write("HTTP/1.1 401 No " + own + "\r\nSet-Cookie: session=verysecret\r\nX-Echo: " + key +
                         "\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk_of("{\"wrong\":\"sk-TEST-0123") +
                         chunk_of("456789abcdef\",\"also\":\"" + own + "\"}") + "0\r\n\r\n");
        connection.wait_until_closed();
    }};
    const tape_folder folder;
    const auto make_request = [&](const std::string& with) {
        http_request request = post(peer.url("/v1?key=paramsecret&x=" + own + "&access_token=othersecret"),
                                    "{\"b\":[\"my key is " + with + "\"],\"a\":1,\"" + own + "\":2}");
        request.bearer(secret_string{with}).header("X-Api-Key", "headersecret").header("X-Mine", "minesecret");
        return request;
    };
    const auto options = [&] {
        return cassette_options{.hidden_headers = {"x-mine"}, .secrets = {secret_string{own}}};
    };
    {
        test_loop loop;
        const cassette tape{folder.file(), cassette_mode::record, options()};
        started fetched{loop, fetch(http_client{http_client_options{}, tape}, make_request(key))};
        BOOST_TEST(has(fetched.result().body, key));  // the caller gets all of it
    }
    const std::string text = folder.text();
    for (const std::string& secret : {key, own, std::string{"0123456789"}, std::string{"paramsecret"},
                                      std::string{"othersecret"}, std::string{"headersecret"},
                                      std::string{"minesecret"}, std::string{"verysecret"}})
        BOOST_TEST(!has(text, secret), secret);
    BOOST_TEST(has(text, R"(["Authorization", "Bearer ***"])"));
    BOOST_TEST(has(text, R"("my key is ***")"));
    BOOST_TEST(has(text, "key=***&x=***&access_token=***"));
    BOOST_TEST(has(text, R"({"***": 2, "a": 1, "b")") );

    // In a replay the key is another one, or none that is worth anything.
    simulation world{1};
    const cassette tape{folder.file(), cassette_mode::replay, options()};
    const std::string body =
        world.run(fetch(http_client{http_client_options{}, tape}, make_request("sk-another-key-999"))).body;
    BOOST_TEST(body.size() == std::string{"{\"wrong\":\"\",\"also\":\"\"}"}.size() + key.size() + own.size());
}

http_request with_secrets(const url& target, const std::string& secret)
{
    http_request request{"POST", target};
    request.header("X-Auth-Token", secret).header("X-Amz-Security-Token", secret);
    request.body("{\"api_key\":\"" + secret + "\",\"deep\":[{\"Password\":\"" + secret + "\"}],\"client_secret\":\"" +
                     secret + "\",\"password\":{\"type\":\"string\"},\"text\":\"kept\"}",
                 "application/json");
    return request;
}

BOOST_AUTO_TEST_CASE(F13_what_is_known_by_its_name_is_hidden_in_addresses_headers_and_bodies)
{
    const std::string secret = "hunter2hunter2";
    tls_peer peer{[&](peer_connection& connection) {
        for (;;) {
            (void)connection.read_request();
            const std::string body = "{\"access_token\":\"" + secret + "\",\"scope\":\"read\"}";
            connection.write(response_of(body, "Location: https://x.test/cb?token=" + secret + "&a=1#id_token=" +
                                                   secret + "\r\nX-Auth-Token: " + secret + "\r\n"));
        }
    }};
    std::string path = "/v1?page=2";
    for (const char* name : {"apikey", "password", "client_secret", "code", "auth", "X-Amz-Signature"})
        path += "&" + std::string{name} + "=" + secret;
    http_request form{"POST", peer.url("/token")};
    form.body("grant_type=x&client_secret=" + secret + "&code=" + secret, "application/x-www-form-urlencoded");
    const tape_folder folder;
    {
        test_loop loop;
        const http_client client{http_client_options{}, cassette{folder.file(), cassette_mode::record}};
        started first{loop, fetch(client, with_secrets(peer.url(path), secret))};
        BOOST_TEST(has(first.result().body, secret));  // the caller gets all of it
        started second{loop, fetch(client, form)};
        (void)second.result();
    }
    const std::string text = folder.text();
    BOOST_TEST(!has(text, secret));
    BOOST_TEST(!has(text, "hunter2"));
    for (const char* kept : {"page=2&apikey=***&", R"("text": "kept")", R"("type": "string")",
                             "https://x.test/cb?token=***&a=1#id_token=***", "scope",
                             "grant_type=x&client_secret=***&code=***"})
        BOOST_TEST(has(text, kept), kept);

    // In a replay the secrets are others, or none.
    simulation world{1};
    const http_client client = replaying(folder.file());
    BOOST_TEST(has(world.run(fetch(client, with_secrets(peer.url(path), secret))).body, "read"));
}

BOOST_AUTO_TEST_CASE(failures_are_recorded_with_what_came_before)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        if (connection.number() == 1) return connection.close();
        connection.write(chunked_head() + chunk_of("some"));
        connection.close();
    }};
    const tape_folder folder;
    {
        test_loop loop;
        const http_client client{http_client_options{}, cassette{folder.file(), cassette_mode::record}};
        started lost{loop, fetch(client, peer.url())};
        BOOST_TEST((lost.failure().code() == errc::connection_lost));
        started cut{loop, fetch(client, peer.url())};
        BOOST_TEST((cut.failure().code() == errc::response_truncated));
    }
    const http_client client = replaying(folder.file());
    const error lost = failure_of(fetch(client, peer.url()));
    BOOST_TEST((lost.code() == errc::connection_lost));
    BOOST_TEST(has(lost.detail(), "before the response began"));
    simulation world{1};
    http_response response = world.run(client.send(http_request{"GET", peer.url()}));
    BOOST_TEST(world.run(response.read_at_most(4)) == "some");
    BOOST_CHECK_EXCEPTION((void)world.run(response.read_some()), error,
                          [](const error& e) { return e.code() == errc::response_truncated; });
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_added_and_the_rest_replayed)
{
    tls_peer peer{echo};
    const tape_folder folder;
    const auto run = [&](cassette_mode mode, const char* path) {
        test_loop loop;
        const cassette tape{folder.file(), mode};
        started fetched{loop, fetch(http_client{http_client_options{}, tape}, peer.url(path))};
        (void)fetched.result();
    };
    run(cassette_mode::record_missing, "/a");  // there is no file yet
    BOOST_TEST(peer.connections() == 1);
    run(cassette_mode::record_missing, "/a");
    BOOST_TEST(peer.connections() == 1);
    run(cassette_mode::record_missing, "/b");
    BOOST_TEST(peer.connections() == 2);
    run(cassette_mode::replay, "/a");
    run(cassette_mode::replay, "/b");
    BOOST_TEST(peer.connections() == 2);
    run(cassette_mode::record, "/c");  // begins anew
    BOOST_TEST((cassette{folder.file(), cassette_mode::replay}.size()) == 1u);
}

BOOST_AUTO_TEST_CASE(an_exchange_that_was_stopped_before_its_response_leaves_nothing_and_one_that_was_closed_its_part)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        if (connection.number() == 2) connection.write(chunked_head() + chunk_of("some"));
        connection.wait_until_closed();
    }};
    const tape_folder folder;
    const cassette tape{folder.file(), cassette_mode::record};
    {
        test_loop loop;
        const http_client client{http_client_options{}, tape};
        started stopped{loop, fetch(client, peer.url())};
        loop.run_until([&] { return peer.connections() == 1; });
        stopped.stop();
        BOOST_TEST((stopped.failure().code() == errc::cancelled));
        started sent{loop, client.send(http_request{"GET", peer.url()})};
        http_response response = sent.result();
        started read{loop, response.read_some()};
        BOOST_TEST(read.result() == "some");
    }
    BOOST_TEST(tape.size() == 1u);
    tape.save();
    BOOST_TEST(has(folder.text(), R"("how": "closed")"));
}

BOOST_AUTO_TEST_CASE(more_than_allowed_is_not_recorded)
{
    tls_peer peer{[](peer_connection& connection) {
        (void)connection.read_request();
        connection.write(response_of(std::string(2000, 'x')));
        connection.wait_until_closed();
    }};
    const tape_folder folder;
    test_loop loop;
    const cassette tape{folder.file(), cassette_mode::record, cassette_options{.bytes_max = 1000}};
    const http_client client{http_client_options{}, tape};
    started fetched{loop, fetch(client, peer.url())};
    const error failure = fetched.failure();
    BOOST_TEST((failure.code() == errc::limit_reached));
    BOOST_TEST(failure.where() == folder.file().string());
    started large{loop, fetch(client, post(peer.url(), std::string(1000, ' ')))};
    BOOST_TEST((large.failure().code() == errc::limit_reached));
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written_is_named_and_the_old_one_stays)
{
    tls_peer peer{echo};
    const tape_folder folder;
    test_loop loop;
    {
        const cassette tape{folder.file("no/such/folder.json"), cassette_mode::record};
        tape.save();  // nothing to write
        started fetched{loop, fetch(http_client{http_client_options{}, tape}, peer.url())};
        (void)fetched.result();
        BOOST_CHECK_EXCEPTION(tape.save(), error, [](const error& e) {
            return e.code() == errc::invalid_configuration && has(e.where(), "no/such/folder.json");
        });
        std::ostringstream log;
        std::streambuf* const before = std::clog.rdbuf(log.rdbuf());
        {
            const cassette unsaved{folder.file("no/such/other.json"), cassette_mode::record};
            started again{loop, fetch(http_client{http_client_options{}, unsaved}, peer.url())};
            (void)again.result();
        }
        std::clog.rdbuf(before);
        BOOST_TEST(has(log.str(), "no/such/other.json"));
    }
    BOOST_TEST(folder.files() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
