#include <boost/test/unit_test.hpp>

#include "scripted_endpoint_client.hpp"

#include <boost/json/parse.hpp>

BOOST_AUTO_TEST_SUITE(scripted_endpoint_request_test)

using namespace endpoint_test;
using namespace weft::testing;

BOOST_AUTO_TEST_CASE(requests_are_kept_as_they_came)
{
    scripted_endpoint endpoint{plain().requests_kept_max(2)};
    endpoint.when(any_request()).reply_always(text("ok"));
    test_client client{without_tls(endpoint)};
    for (const char* user : {"one", "two", "three"}) {
        client.ask(chat(user), "Authorization: Bearer sk-TEST\r\n");
        BOOST_TEST(client.receive().is_complete);
    }
    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 2U);
    BOOST_TEST(requests[1].number == 3U);
    BOOST_TEST(requests[1].connection == 1U);
    BOOST_TEST(requests[1].method == "POST");
    BOOST_TEST(requests[1].target == "/v1/chat/completions");
    BOOST_TEST(requests[1].header("authorization") == "Bearer sk-TEST");
    BOOST_TEST(requests[1].header("x-none") == "");
    BOOST_TEST(requests[1].body == chat("three"));
    BOOST_TEST(requests[1].model() == "m");
    BOOST_TEST(requests[1].wants_stream());
    BOOST_TEST(!requests[1].wants_usage());
    BOOST_TEST(requests[1].system_text() == "You help.\n");
    BOOST_TEST(requests[1].last_user_text() == "three");
    BOOST_TEST(requests[1].described() ==
               "request 3 (POST /v1/chat/completions, model \"m\", user: \"three\")");
    BOOST_CHECK(requests[0].received <= requests[1].received);
}

BOOST_AUTO_TEST_CASE(the_parts_of_a_conversation_are_found)
{
    scripted_endpoint_request request;
    request.json = boost::json::parse(R"({"model":"m","stream":true,
        "stream_options":{"include_usage":true},"messages":[
        {"role":"developer","content":"You plan."},
        {"role":"user","content":"old"},{"role":"assistant","content":null},
        {"role":"user","content":[{"type":"text","text":"new "},{"type":"image_url"},
                                  {"type":"text","text":"thing"}]}]})");
    BOOST_TEST(request.system_text() == "You plan.\n");
    BOOST_TEST(request.last_user_text() == "new thing");
    BOOST_TEST(request.text_of("user") == "old\nnew thing\n");
    BOOST_TEST(request.wants_usage());
    request.json = boost::json::parse(R"({"messages":{"role":"user"},"stream":1})");
    BOOST_TEST(request.last_user_text() == "");
    BOOST_TEST(request.model() == "");
    BOOST_TEST(!request.wants_stream());
}

BOOST_AUTO_TEST_SUITE_END()
