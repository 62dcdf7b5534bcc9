#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"

#include "model/wire/sampling_refusal.hpp"

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(sampling_refusal_test)

using namespace endpoint_calls;
using weft::testing::any_request;
using weft::testing::scripted_endpoint;
namespace script = weft::testing;

namespace {

constexpr const char* in_the_words_of_openai =
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.";

weft::chat_request cool_request()
{
    weft::chat_request request = hello();
    request.temperature = 0.2;
    request.top_p = 0.9;
    return request;
}

weft::model_error refusal(std::string text, weft::errc code = weft::errc::model_rejected, bool has_delivered = false)
{
    weft::model_failure failure;
    failure.code = code;
    failure.detail = std::move(text);
    failure.has_delivered = has_delivered;
    return weft::model_error{"m", std::move(failure)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_that_refuses_a_temperature_is_asked_without_and_so_from_then_on)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply(script::status(400, in_the_words_of_openai))
        .reply(script::text("Hello."))
        .reply(script::text("Hello again."))
        .reply(script::text("And again."));
    weft::openai_model model = model_for(endpoint);
    const weft::chat_reply first = weft::run_blocking(model.reply(cool_request()));
    BOOST_TEST(first.message.text() == "Hello.");
    BOOST_TEST(first.attempts == 2);
    BOOST_REQUIRE(first.warnings.size() == 1u);
    BOOST_TEST(first.warnings[0].find("temperature") != std::string::npos);
    BOOST_TEST(weft::run_blocking(model.reply(cool_request())).warnings.size() == 1u);
    BOOST_TEST(weft::run_blocking(model.reply(hello())).warnings.empty());

    std::vector<bool> sent;
    for (const auto& request : endpoint.requests())
        sent.push_back(request.body.find("temperature") != std::string::npos ||
                       request.body.find("top_p") != std::string::npos);
    BOOST_TEST((sent == std::vector<bool>{true, false, false, false}));
}

BOOST_AUTO_TEST_CASE(what_one_model_refuses_another_one_at_the_same_endpoint_is_still_sent)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply(script::status(400, in_the_words_of_openai))
        .reply(script::text("Hello."))
        .reply(script::text("From the other."))
        .reply(script::text("And again."));
    weft::openai_model model = model_for(endpoint);
    weft::chat_request reasoning = cool_request();
    reasoning.model = "reasoning";
    BOOST_TEST(weft::run_blocking(model.reply(reasoning)).warnings.size() == 1u);
    BOOST_TEST(weft::run_blocking(model.reply(cool_request())).warnings.empty());
    BOOST_TEST(weft::run_blocking(model.reply(reasoning)).warnings.size() == 1u);
    BOOST_TEST(endpoint.requests()[2].body.find("temperature") != std::string::npos);
    BOOST_TEST(endpoint.requests()[3].body.find("temperature") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(other_refusals_stay_and_nothing_is_learnt_from_them)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply(script::status(400, "'temperature' is 9: it must be between 0 and 2"))
        .reply(script::text("Hello."));
    weft::openai_model model = model_for(endpoint);
    BOOST_CHECK_THROW((void)weft::run_blocking(model.reply(cool_request())), weft::model_error);
    BOOST_TEST(weft::run_blocking(model.reply(cool_request())).warnings.empty());
    BOOST_TEST(endpoint.requests()[1].body.find("temperature") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_counts_as_a_refusal_of_sampling)
{
    BOOST_TEST(weft::refuses_sampling(refusal(in_the_words_of_openai)));
    BOOST_TEST(weft::refuses_sampling(refusal("Unsupported parameter: 'top_p' is not supported with this model.")));
    BOOST_TEST(weft::refuses_sampling(refusal("`temperature` is deprecated for this model.")));
    BOOST_TEST(!weft::refuses_sampling(refusal("'max_tokens' is not supported with this model")));
    BOOST_TEST(!weft::refuses_sampling(refusal("temperature: must be at most 2")));
    BOOST_TEST(!weft::refuses_sampling(refusal(in_the_words_of_openai, weft::errc::model_overloaded)));
    BOOST_TEST(!weft::refuses_sampling(refusal(in_the_words_of_openai, weft::errc::model_rejected, true)));
}

BOOST_AUTO_TEST_SUITE_END()
