#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"
#include "model/fake_models.hpp"

#include <weft/async/scope.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/wire/refreshing_key.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(credential_source_test)

namespace {

using namespace endpoint_calls;
using weft::errc;
using weft::task;
using weft::testing::any_request;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_endpoint_request;
namespace script = weft::testing;

/** `sk-refreshed-key-1`, then 2 and so on. */
std::shared_ptr<weft::refreshing_key> numbered_keys()
{
    const auto count = std::make_shared<int>(0);
    const auto fetch = [count]() -> task<weft::fetched_key> {
        const std::string text = "sk-refreshed-key-" + std::to_string(++*count);
        co_return weft::fetched_key{weft::secret_string{text}};
    };
    return std::make_shared<weft::refreshing_key>(fetch, weft::refreshing_key_options{.interval_min = {}});
}

weft::openai_model_options keyless(const scripted_endpoint& endpoint, std::shared_ptr<weft::credential_source> source)
{
    weft::openai_model_options options = options_for(endpoint);
    options.key.wipe();
    options.credentials = std::move(source);
    return options;
}

bool has_first_key(const scripted_endpoint_request& request)
{
    return request.header("authorization") == "Bearer sk-refreshed-key-1";
}

task<void> ask_and_note(weft::chat_model* model, std::vector<std::string>* all)
{
    const weft::chat_reply reply = co_await model->reply(hello());
    all->push_back(reply.message.text());
}

task<void> ask_at_once(weft::chat_model* model, int calls, std::vector<std::string>* all)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    for (int i = 0; i < calls; ++i) children.spawn(ask_and_note(model, all));
    co_await children.join();
}

weft::model_error failure_with(weft::chat_model& model)
{
    try {
        (void)weft::run_blocking(model.reply(hello()));
    } catch (const weft::model_error& e) {
        return e;
    }
    throw std::logic_error{"the call succeeded"};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_key_that_is_refused_is_replaced_and_the_call_made_once_more)
{
    scripted_endpoint endpoint;
    endpoint.when(has_first_key).reply_always(script::status(401, "expired"));
    endpoint.when(any_request()).reply_always(script::text("hello"));
    const auto keys = numbered_keys();
    weft::openai_model model{client_for(endpoint), keyless(endpoint, keys)};
    const weft::chat_reply first = weft::run_blocking(model.reply(hello()));
    BOOST_TEST(first.message.text() == "hello");
    BOOST_TEST(first.attempts == 2);
    const weft::chat_reply second = weft::run_blocking(model.reply(hello()));
    BOOST_TEST(second.message.text() == "hello");
    BOOST_TEST(second.attempts == 1);
    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 3U);
    BOOST_TEST(requests[0].header("authorization") == "Bearer sk-refreshed-key-1");
    BOOST_TEST(requests[1].header("authorization") == "Bearer sk-refreshed-key-2");
    BOOST_TEST(requests[2].header("authorization") == "Bearer sk-refreshed-key-2");
    BOOST_TEST(requests[1].body == requests[0].body);
    BOOST_TEST(requests[1].connection == requests[0].connection);
    BOOST_TEST(keys->fetches() == 2);
}

BOOST_AUTO_TEST_CASE(many_calls_at_once_whose_key_is_refused_replace_it_once)
{
    constexpr int calls = 50;
    scripted_endpoint endpoint;
    endpoint.when(has_first_key).reply_always(script::status(401, "expired"));
    endpoint.when(any_request()).reply_always(script::text("hello"));
    const auto keys = numbered_keys();
    weft::openai_model model{client_for(endpoint), keyless(endpoint, keys)};
    std::vector<std::string> all;
    weft::run_blocking(ask_at_once(&model, calls, &all));
    BOOST_TEST((all == std::vector<std::string>(calls, "hello")));
    BOOST_TEST(keys->fetches() == 2);
}

BOOST_AUTO_TEST_CASE(a_second_key_that_is_refused_is_an_error_that_shows_no_key)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always([](const scripted_endpoint_request& request) {
        return script::status(401, "no such key: " + std::string{request.header("authorization")});
    });
    const auto keys = numbered_keys();
    weft::openai_model model{client_for(endpoint), keyless(endpoint, keys)};
    const weft::model_error failure = failure_with(model);
    BOOST_TEST(failure.code() == errc::model_unauthorized);
    BOOST_TEST(!failure.is_retryable());
    BOOST_TEST(std::string{failure.what()}.find("refreshed-key") == std::string::npos);
    BOOST_TEST(endpoint.requests().size() == 2U);
    BOOST_TEST(keys->fetches() == 2);
}

BOOST_AUTO_TEST_CASE(a_source_without_another_key_leaves_the_refusal)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always(script::status(401, "expired"));
    const auto fetch = []() -> task<weft::fetched_key> { co_return weft::fetched_key{weft::secret_string{"the key"}}; };
    weft::openai_model model{client_for(endpoint), keyless(endpoint, std::make_shared<weft::refreshing_key>(fetch))};
    const weft::model_error failure = failure_with(model);
    BOOST_TEST(failure.code() == errc::model_unauthorized);
    BOOST_TEST(failure.failure().detail.find("expired") != std::string::npos);
    BOOST_TEST(endpoint.requests().size() == 1U);
}

BOOST_AUTO_TEST_CASE(nothing_is_repeated_once_a_reply_has_begun)
{
    scripted_endpoint endpoint;
    endpoint.when(any_request()).reply_always(script::text("hello to you").error_after(1, "expired", 401));
    const auto keys = numbered_keys();
    weft::openai_model model{client_for(endpoint), keyless(endpoint, keys)};
    BOOST_TEST(failure_with(model).code() == errc::model_stream_error);
    BOOST_TEST(endpoint.requests().size() == 1U);
    BOOST_TEST(keys->fetches() == 1);
}

BOOST_AUTO_TEST_CASE(without_a_key_nothing_is_sent)
{
    scripted_endpoint endpoint;
    const auto fetch = []() -> task<weft::fetched_key> {
        throw weft::error{errc::connect_failed, "the office", "is closed"};
        co_return weft::fetched_key{};
    };
    weft::openai_model model{client_for(endpoint), keyless(endpoint, std::make_shared<weft::refreshing_key>(fetch))};
    const weft::model_error failure = failure_with(model);
    BOOST_TEST(failure.code() == errc::connect_failed);
    BOOST_TEST((failure.failure().phase == weft::model_phase::request));
    BOOST_TEST(failure.is_retryable());
    BOOST_TEST(failure.failure().detail == "there is no key: the office: is closed");
    BOOST_TEST(endpoint.requests().empty());
}

BOOST_AUTO_TEST_CASE(every_provider_puts_the_key_where_it_belongs)
{
    struct place {
        weft::any_model_options options;
        const char* path;
        const char* header;
        const char* prefix;
    };
    const place places[] = {{weft::openai_model_options{}, "/v1", "authorization", "Bearer "},
                            {weft::responses_model_options{}, "/v1", "authorization", "Bearer "},
                            {weft::anthropic_model_options{}, "/v1", "x-api-key", ""},
                            {weft::gemini_model_options{}, "/v1", "x-goog-api-key", ""},
                            {weft::ollama_model_options{}, "", "authorization", "Bearer "}};
    for (const place& at : places) {
        scripted_endpoint endpoint;
        endpoint.when(script::path_ends_with("")).reply_always(script::status(401, "expired"));
        weft::any_model_options options = at.options;
        const std::string base = endpoint.url().substr(0, endpoint.url().size() - 3) + at.path;
        const auto set = [&](auto& one) {
            one.base_url = base;
            one.model = "m";
            one.key = weft::secret_string{"a key of old"};
        };
        std::visit(set, options);
        weft::set_credentials(options, numbered_keys());
        const auto model = weft::make_model(client_for(endpoint), options);
        BOOST_TEST(failure_with(*model).code() == errc::model_unauthorized);
        const auto requests = endpoint.requests();
        BOOST_REQUIRE(requests.size() == 2U);
        BOOST_TEST(requests[0].header(at.header) == at.prefix + std::string{"sk-refreshed-key-1"});
        BOOST_TEST(requests[1].header(at.header) == at.prefix + std::string{"sk-refreshed-key-2"});
    }
}

BOOST_AUTO_TEST_CASE(a_key_and_a_source_of_keys_contradict_each_other)
{
    weft::openai_model_options options;
    options.model = "m";
    options.key = weft::secret_string{"a key"};
    options.credentials = numbered_keys();
    const auto says_both = [](const weft::error& e) {
        return e.code() == errc::invalid_configuration && e.detail().find("not both") != std::string::npos;
    };
    BOOST_CHECK_EXCEPTION(weft::openai_model(weft::http_client{}, options), weft::error, says_both);
}

BOOST_AUTO_TEST_SUITE_END()
