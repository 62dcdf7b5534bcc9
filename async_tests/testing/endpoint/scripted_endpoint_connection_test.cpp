#include <boost/test/unit_test.hpp>

#include "scripted_endpoint_client.hpp"

#include <chrono>
#include <memory>
#include <vector>

BOOST_AUTO_TEST_SUITE(scripted_endpoint_connection_test)

using namespace endpoint_test;
using namespace weft::testing;
using namespace std::chrono_literals;
using counts = scripted_endpoint_counts;

BOOST_AUTO_TEST_CASE(a_client_that_waits_for_a_continue_gets_it)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(text("ok"));
    test_client client{trust(endpoint)};
    const std::string body = chat("x", false);
    client.send("POST /v1/chat/completions HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n");
    BOOST_TEST(client.receive().head == "HTTP/1.1 100 Continue\r\n\r\n");
    client.send(body.substr(0, 10));
    client.send(body.substr(10));
    BOOST_TEST(text_of(client.receive().body) == "ok");
    BOOST_TEST(endpoint.counts().requests == 1U);
}

BOOST_AUTO_TEST_CASE(a_client_that_wants_to_close_is_obeyed)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always(text("ok"));
    for (const char* field : {"Connection: close\r\n", ""}) {
        test_client client{trust(endpoint)};
        client.ask(chat("x"), field);
        const received_response response = client.receive();
        BOOST_TEST(response.is_complete);
        BOOST_TEST(response.has_field("connection: close") == (*field != '\0'));
        if (*field == '\0') continue;
        client.receive_all();
        BOOST_CHECK(client.how_it_ended() == ended::properly);
    }
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_request_are_refused_and_end_the_connection)
{
    scripted_endpoint endpoint;
    test_client client{trust(endpoint)};
    client.send("\x16\x03\x01 hello\r\n\r\n");
    const received_response response = client.receive();
    BOOST_TEST(response.status() == 400);
    BOOST_TEST(response.has_field("connection: close"));
    client.receive_all();
    BOOST_CHECK(client.how_it_ended() == ended::properly);
}

struct ending_case {
    const char* name;
    scripted_reply reply;
    bool is_complete;
    ended how;
};

BOOST_AUTO_TEST_CASE(faults_end_the_connection_as_they_should)
{
    const std::vector<ending_case> cases{
        {"cut", text("a b c").cut_after(2), false, ended::cut},
        {"cut_mid_chunk", text("a b c").cut_mid_chunk_after(2), false, ended::cut},
        {"reset", text("a b c").reset_after(2), false, ended::reset},
        {"closes_connection", text("a b c").closes_connection(), true, ended::properly},
        {"end", text("a b c").end_after(2).closes_connection(), true, ended::properly},
        {"error", text("a b c").error_after(2, "x").closes_connection(), true, ended::properly},
        {"cut status", status(500).cut_after(0), false, ended::cut},
        {"raw", raw_response("HTTP/1.1 200 OK\r\n\r\n"), true, ended::properly},
        {"hang_up", hang_up(), false, ended::cut},
        {"garbage", garbage(), false, ended::properly},
    };
    scripted_endpoint endpoint;
    auto rule = endpoint.when(any_request());
    for (const ending_case& expected : cases) {
        rule.reply(expected.reply);
        test_client client{trust(endpoint)};
        client.ask(chat("x"));
        const received_response response = client.receive();
        BOOST_TEST(response.is_complete == expected.is_complete, expected.name);
        client.receive_all();
        BOOST_CHECK_MESSAGE(client.how_it_ended() == expected.how, expected.name);
    }
    BOOST_TEST(endpoint.counts().replies == cases.size());
    BOOST_TEST(endpoint.counts().closed_early == 0U);
    BOOST_TEST(endpoint.wait_until([](const counts& c) { return c.connections_open == 0; }));
}

BOOST_AUTO_TEST_CASE(without_tls_faults_end_the_connection_too)
{
    scripted_endpoint endpoint{plain()};
    endpoint.when(any_request())
        .reply(text("a b c").cut_after(2))
        .reply(text("a b c").reset_after(2))
        .reply(text("a b c").closes_connection());
    for (const ended how : {ended::properly, ended::reset, ended::properly}) {
        test_client client{without_tls(endpoint)};
        client.ask(chat("x"));
        client.receive_all();
        BOOST_CHECK(client.how_it_ended() == how);
    }
    BOOST_TEST(endpoint.wait_until([](const counts& c) { return c.connections_open == 0; }));
}

BOOST_AUTO_TEST_CASE(a_stalled_reply_lasts_until_the_client_gives_up)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(text("a b c").stall_after(2)).reply(silence());
    for (std::size_t n = 1; n <= 2; ++n) {
        const auto begin = std::chrono::steady_clock::now();
        test_client client{trust(endpoint)};
        client.ask(chat("x"));
        if (n == 1) BOOST_TEST(client.receive_until(R"("content":" b")"));
        BOOST_TEST(endpoint.wait_until([n](const counts& c) { return c.requests == n; }));
        BOOST_TEST(endpoint.counts().requests_open == 1U);
        client.close();
        BOOST_TEST(endpoint.wait_until([n](const counts& c) { return c.closed_early == n; }));
        const auto early = endpoint.early_closes().back();
        BOOST_TEST(early.request == n);
        BOOST_CHECK(early.noticed > begin && early.noticed <= std::chrono::steady_clock::now());
    }
    BOOST_TEST(endpoint.early_closes()[0].pieces == 2U);
    BOOST_TEST(endpoint.early_closes()[1].pieces == 0U);
    BOOST_TEST(endpoint.counts().requests_open == 0U);
    BOOST_TEST(endpoint.counts().replies == 0U);
}

BOOST_AUTO_TEST_CASE(a_client_that_leaves_during_a_wait_is_noticed_at_once)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always(text("a b c").between_tokens(1h));
    test_client client{trust(endpoint)};
    client.ask(chat("x"));
    BOOST_TEST(client.receive_until(R"("content":"a")"));
    const auto left = std::chrono::steady_clock::now();
    client.close();
    BOOST_TEST(endpoint.wait_until([](const counts& c) { return c.connections_open == 0; }));
    BOOST_REQUIRE(endpoint.early_closes().size() == 1U);
    BOOST_CHECK(endpoint.early_closes()[0].noticed - left < 2s);
    BOOST_TEST(endpoint.early_closes()[0].pieces == 1U);
    BOOST_TEST(endpoint.counts().closed_early == 1U);
}

BOOST_AUTO_TEST_CASE(tokens_come_no_earlier_than_the_script_says)
{
    scripted_endpoint endpoint{scripted_endpoint_options{}.pace(0.5)};
    endpoint.when(any_request()).reply(text("a b").first_token(60ms).between_tokens(40ms));
    test_client client{trust(endpoint)};
    const auto begin = std::chrono::steady_clock::now();
    client.ask(chat("x"));
    BOOST_TEST(client.receive().is_complete);
    BOOST_CHECK(std::chrono::steady_clock::now() - begin >= 50ms);
}

BOOST_AUTO_TEST_SUITE_END()
