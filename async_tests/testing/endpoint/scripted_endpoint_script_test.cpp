#include <boost/test/unit_test.hpp>

#include "scripted_endpoint_client.hpp"

#include <weft/base/error.hpp>

#include <boost/json/parse.hpp>

#include <memory>
#include <stdexcept>
#include <string>

BOOST_AUTO_TEST_SUITE(scripted_endpoint_script_test)

using namespace endpoint_test;
using namespace weft::testing;

BOOST_AUTO_TEST_CASE(rules_are_asked_in_their_order)
{
    scripted_endpoint endpoint{plain()};
    endpoint.when(request_number(2)).reply(text("second"));
    endpoint.when(system_contains("You plan") && !user_contains("quick")).reply_always(text("plan"));
    endpoint.when(model_is("other") || user_contains("rain")).reply_always(text("rain"));
    endpoint.when([](const scripted_endpoint_request& r) { return r.body.size() > 1000; })
        .reply_always(text("long"));
    endpoint.when(any_request()).reply_always([](const scripted_endpoint_request& r) {
        return text("You said " + r.last_user_text());
    });
    BOOST_TEST(answer(endpoint, chat("x", false, "You plan.")) == "plan");
    BOOST_TEST(answer(endpoint, chat("x", false, "You plan.")) == "second");
    BOOST_TEST(answer(endpoint, chat("quick rain", false, "You plan.")) == "rain");
    BOOST_TEST(answer(endpoint, R"({"model":"other","messages":[{}]})") == "rain");
    BOOST_TEST(answer(endpoint, chat(std::string(1000, 'x'), false)) == "long");
    BOOST_TEST(answer(endpoint, chat("hello", false)) == "You said hello");
    BOOST_TEST(endpoint.complaints() == "");
}

BOOST_AUTO_TEST_CASE(replies_are_used_in_their_order_and_the_last_one_for_ever)
{
    scripted_endpoint endpoint{plain()};
    endpoint.when(user_contains("x")).reply(text("one")).reply(text("two")).reply_always(text("more"));
    for (const char* expected : {"one", "two", "more", "more", "more"})
        BOOST_TEST(answer(endpoint, chat("x", false)) == expected);
}

BOOST_AUTO_TEST_CASE(a_request_without_a_step_is_an_error_that_names_it)
{
    scripted_endpoint endpoint{plain()};
    endpoint.when(user_contains("once")).reply(text("ok"));
    BOOST_TEST(answer(endpoint, chat("once", false)) == "ok");
    endpoint.check_complete();

    test_client client{without_tls(endpoint)};
    client.ask(chat("once more"), "Authorization: Bearer sk-TEST\r\n");
    const received_response response = client.receive();
    BOOST_TEST(response.status() == 500);
    BOOST_TEST(response.has_field("x-should-retry: false"));
    const std::string message =
        boost::json::parse(response.body).at("error").at("message").as_string().c_str();
    BOOST_TEST(message.find("script_exhausted") != std::string::npos);
    BOOST_TEST(message.find("request 2 (POST /v1/chat/completions, model \"m\", "
                            "user: \"once more\")") != std::string::npos);
    BOOST_TEST(message.find("sk-TEST") == std::string::npos);
    BOOST_TEST(endpoint.counts().unanswered == 1U);
    BOOST_CHECK_EXCEPTION(endpoint.check_complete(), weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::script_exhausted &&
               e.detail().find("request 2 (POST") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(a_step_that_nobody_asked_for_is_complained_about)
{
    scripted_endpoint endpoint{plain()};
    endpoint.when(user_contains("x")).reply(text("one")).reply(text("two"));
    endpoint.when(any_request()).reply_always(text("any"));
    BOOST_TEST(answer(endpoint, chat("x", false)) == "one");
    BOOST_TEST(endpoint.complaints() ==
               "rule 1 (user contains \"x\") was asked 1 times and expected 2\n");
    BOOST_CHECK_THROW(endpoint.check_complete(), weft::error);
}

BOOST_AUTO_TEST_CASE(a_script_that_throws_is_an_error_of_its_request_only)
{
    scripted_endpoint endpoint{plain()};
    endpoint.when(user_contains("bad match") && [](const scripted_endpoint_request&) -> bool {
        throw std::runtime_error{"no idea"};
    }).reply_always(text("never"));
    endpoint.when(user_contains("bad reply")).reply_always(
        [](const scripted_endpoint_request&) -> scripted_reply {
            throw std::runtime_error{"no words"};
        });
    endpoint.when(any_request()).reply_always(text("fine"));
    BOOST_TEST(answer(endpoint, chat("bad match", false)) == "status 500");
    BOOST_TEST(answer(endpoint, chat("bad reply", false)) == "status 500");
    BOOST_TEST(answer(endpoint, chat("good", false)) == "fine");
}

BOOST_AUTO_TEST_CASE(a_rule_may_outlive_its_endpoint)
{
    auto endpoint = std::make_unique<scripted_endpoint>(plain());
    auto rule = endpoint->when(any_request());
    endpoint.reset();
    rule.reply(text("nobody asks"));
}

BOOST_AUTO_TEST_SUITE_END()
