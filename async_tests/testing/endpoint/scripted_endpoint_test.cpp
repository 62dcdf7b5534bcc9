#include <boost/test/unit_test.hpp>

#include "scripted_endpoint_client.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(scripted_endpoint_test)

using namespace endpoint_test;
using namespace weft::testing;
using namespace std::chrono_literals;
using counts = scripted_endpoint_counts;

BOOST_AUTO_TEST_CASE(a_reply_is_streamed_over_tls)
{
    scripted_endpoint endpoint;
    endpoint.when(user_contains("hello")).reply(text("Hello, dear wörld."));
    BOOST_TEST(endpoint.url() == "https://localhost:" + std::to_string(endpoint.port()) + "/v1");

    test_client client{trust(endpoint)};
    BOOST_TEST(client.handshake_error() == "");
    BOOST_TEST(client.tls_version() == "TLSv1.3");
    client.ask(chat("hello"));
    const received_response response = client.receive();
    BOOST_TEST(response.status() == 200);
    BOOST_TEST(response.is_complete);
    BOOST_TEST(events_in(response.body) == 6U);
    BOOST_TEST(response.body.find(R"("model":"m")") != std::string::npos);
    BOOST_TEST(response.body.find(R"("content":" wörld.")") != std::string::npos);
    BOOST_TEST(response.body.ends_with("data: [DONE]\n\n"));
    BOOST_TEST(endpoint.complaints() == "");
}

BOOST_AUTO_TEST_CASE(a_request_without_stream_gets_one_document)
{
    scripted_endpoint endpoint{plain()};
    endpoint.when(any_request()).reply(text("Hello, dear wörld."));
    BOOST_TEST(endpoint.url().starts_with("http://localhost:"));
    BOOST_TEST(answer(endpoint, chat("hello", false)) == "Hello, dear wörld.");
}

BOOST_AUTO_TEST_CASE(a_connection_serves_many_requests_also_sent_ahead)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(text("one")).reply(text("two")).reply(text("three"));
    test_client client{trust(endpoint)};
    for (const char* expected : {"one", "two"}) {
        client.ask(chat("x", false));
        BOOST_TEST(text_of(client.receive().body) == expected);
    }
    client.send(request_text(chat("x", true)) + request_text(chat("x", false)));
    BOOST_TEST(client.receive().is_complete);
    BOOST_TEST(client.receive().status() == 500);
    BOOST_TEST(endpoint.counts().connections == 1U);
    BOOST_TEST(endpoint.counts().requests == 4U);
}

BOOST_AUTO_TEST_CASE(a_request_that_is_no_chat_request_is_refused)
{
    scripted_endpoint endpoint{plain()};
    endpoint.when(any_request() && path_ends_with("/models")).reply(status(200).body("[]"));
    endpoint.when(model_is("m")).reply_always(text("ok"));
    for (const char* json : {"", "[]", "{\"messages\":[{}]}", R"({"model":"m"})",
                             R"({"model":"m","messages":[]})", R"({"model":"m","messages":[{})",
                             R"({"model":"m","messages":[{}],"stream_options":{}})"})
        BOOST_TEST(answer(endpoint, json) == "status 400", json);
    BOOST_TEST(answer(endpoint, R"({"model":"m","messages":[{}],"stream_options":null})") == "ok");
    BOOST_TEST(endpoint.counts().unanswered == 0U);

    test_client client{without_tls(endpoint)};
    client.send("GET /v1/models?x=1 HTTP/1.1\r\n\r\n");
    BOOST_TEST(client.receive().body == "[]");
    client.send("GET /v1/models HTTP/1.1\r\n\r\n");
    BOOST_TEST(client.receive().status() == 404);
}

BOOST_AUTO_TEST_CASE(many_streams_run_at_once)
{
    constexpr std::size_t many = 40;
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply_always(text_pieces(std::vector<std::string>(100, "word ")).first_token(50ms));
    std::vector<std::unique_ptr<test_client>> clients;
    for (std::size_t i = 0; i < many; ++i)
        clients.push_back(std::make_unique<test_client>(trust(endpoint)));
    for (auto& client : clients) client->ask(chat("x"));
    for (auto& client : clients) BOOST_TEST(events_in(client->receive().body) == 103U);
    BOOST_TEST(endpoint.counts().connections == many);
    BOOST_TEST(endpoint.wait_until([](const counts& c) { return c.replies == many; }));
    clients[0]->ask(chat("x"));
    BOOST_TEST(clients[0]->receive().is_complete);
    BOOST_TEST(endpoint.counts().requests_open_max > many / 2);
}

BOOST_AUTO_TEST_CASE(connections_can_be_dropped)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply(text("a b").stall_after(1)).reply(text("ok"));
    test_client idle{trust(endpoint)};
    test_client busy{trust(endpoint)};
    busy.ask(chat("x"));
    BOOST_TEST(busy.receive_until(R"("content":"a")"));
    endpoint.drop_connections();
    BOOST_TEST(endpoint.counts().connections_open == 0U);
    BOOST_TEST(endpoint.counts().requests_open == 0U);
    busy.receive_all();
    idle.receive_all();
    BOOST_CHECK(busy.how_it_ended() != ended::properly);
    BOOST_CHECK(idle.how_it_ended() != ended::properly);
    test_client next{trust(endpoint)};
    next.ask(chat("x", false));
    BOOST_TEST(text_of(next.receive().body) == "ok");
}

BOOST_AUTO_TEST_CASE(an_endpoint_goes_away_at_once_whatever_it_is_doing)
{
    auto endpoint = std::make_unique<scripted_endpoint>();
    endpoint->when(any_request())
        .reply(silence())
        .reply(text("a b").between_tokens(1h))
        .reply(text("a b").closes_connection());
    std::vector<std::unique_ptr<test_client>> clients;
    for (std::size_t i = 1; i <= 4; ++i) {
        clients.push_back(std::make_unique<test_client>(trust(*endpoint)));
        if (i == 4) break;  // stays between handshake and request
        clients.back()->ask(chat("x"));
        BOOST_TEST(endpoint->wait_until([i](const counts& c) { return c.requests == i; }));
    }
    test_client in_handshake{without_tls(*endpoint)};
    BOOST_TEST(endpoint->wait_until([](const counts& c) { return c.connections == 5; }));
    const std::uint16_t port = endpoint->port();
    const auto begin = std::chrono::steady_clock::now();
    endpoint.reset();
    BOOST_CHECK(std::chrono::steady_clock::now() - begin < 500ms);
    for (auto& client : clients) client->receive_all();
    in_handshake.receive_all();
    const test_client::trust gone{port, {}};
    BOOST_CHECK_THROW(test_client{gone}, boost::system::system_error);
}

BOOST_AUTO_TEST_CASE(waiting_for_counts_ends_when_patience_does)
{
    const scripted_endpoint endpoint{plain()};
    BOOST_TEST(!endpoint.wait_until([](const counts& c) { return c.requests == 1; }, 1ms));
}

BOOST_AUTO_TEST_SUITE_END()
