#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"
#include "net/test_loop.hpp"

#include <weft/model/embedding/gemini_embedding_model.hpp>
#include <weft/model/embedding/ollama_embedding_model.hpp>
#include <weft/model/embedding/openai_embedding_model.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(embedding_model_test)

namespace script = weft::testing;
using namespace endpoint_calls;
using weft::errc;
using weft::model_error;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_reply;
using vectors = std::vector<std::vector<float>>;

namespace {

weft::embedding_options embedding_options_for(const scripted_endpoint& endpoint)
{
    return endpoint_calls::options_at<weft::embedding_options>(endpoint, "embed-x");
}

scripted_reply json_reply(std::string body, int status = 200)
{
    return script::status(status).body(std::move(body)).header("content-type", "application/json");
}

weft::embeddings embed(weft::embedding_model& model, std::vector<std::string> texts)
{
    return weft::run_blocking(model.embed(std::move(texts)));
}

/** The error with which a call of one text ends when this is replied. */
model_error failure_with(scripted_reply reply)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/embeddings")).reply(std::move(reply));
    weft::openai_embedding_model model{client_for(endpoint), embedding_options_for(endpoint)};
    try {
        (void)embed(model, {"a"});
    } catch (const model_error& e) {
        return e;
    }
    throw std::logic_error{"the call succeeded"};
}

/** A key that is refused, and one that is not. */
class two_keys final : public weft::credential_source {
    weft::task<weft::secret_string> do_current() override { co_return weft::secret_string{"sk-OLD-key"}; }
    weft::task<weft::secret_string> do_refresh(weft::secret_string) override
    {
        co_return weft::secret_string{"sk-NEW-key"};
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(texts_become_vectors_over_tls)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/v1/embeddings"))
        .reply(json_reply(R"({"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}],
            "usage":{"prompt_tokens":5}})"));
    weft::embedding_options options = embedding_options_for(endpoint);
    options.headers = {{"X-Title", "weft"}};
    weft::openai_embedding_model model{client_for(endpoint), options};
    BOOST_TEST(model.label() == "embed-x at localhost:" + std::to_string(endpoint.port()));
    const weft::embeddings made = embed(model, {"a", "b"});
    BOOST_TEST((made.vectors == vectors{{1, 2}, {3, 4}}));
    BOOST_TEST((made.usage.input == weft::tokens{5}));

    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 1);
    BOOST_TEST(requests[0].method == "POST");
    BOOST_TEST(requests[0].header("authorization") == "Bearer " + std::string{secret});
    BOOST_TEST(requests[0].header("x-title") == "weft");
    BOOST_TEST(requests[0].body == R"({"model":"embed-x","input":["a","b"],"encoding_format":"float"})");
}

BOOST_AUTO_TEST_CASE(many_texts_go_in_several_requests_and_keep_their_order)
{
    scripted_endpoint endpoint;
    endpoint.when(script::request_number(1) && script::path_ends_with("/embeddings"))
        .reply(json_reply(R"({"data":[{"embedding":[1]},{"embedding":[2]}],"usage":{"prompt_tokens":5}})"));
    endpoint.when(script::request_number(2) && script::path_ends_with("/embeddings"))
        .reply(json_reply(R"({"data":[{"embedding":[3]}],"usage":{"prompt_tokens":2}})"));
    weft::embedding_options options = embedding_options_for(endpoint);
    options.batch_inputs_max = 2;
    weft::openai_embedding_model model{client_for(endpoint), options};
    const weft::embeddings made = embed(model, {"a", "b", "c"});
    BOOST_TEST((made.vectors == vectors{{1}, {2}, {3}}));
    BOOST_TEST((made.usage.input == weft::tokens{7}));
    BOOST_REQUIRE(endpoint.requests().size() == 2);
    BOOST_TEST(endpoint.requests()[1].body == R"({"model":"embed-x","input":["c"],"encoding_format":"float"})");
}

BOOST_AUTO_TEST_CASE(requests_of_one_call_that_give_different_lengths_fail)
{
    scripted_endpoint endpoint;
    endpoint.when(script::request_number(1) && script::path_ends_with("/embeddings"))
        .reply(json_reply(R"({"data":[{"embedding":[1]}]})"));
    endpoint.when(script::request_number(2) && script::path_ends_with("/embeddings"))
        .reply(json_reply(R"({"data":[{"embedding":[1,2]}]})"));
    weft::embedding_options options = embedding_options_for(endpoint);
    options.batch_bytes_max = 1;
    weft::openai_embedding_model model{client_for(endpoint), options};
    BOOST_CHECK_EXCEPTION((void)embed(model, {"a", "b"}), model_error, [](const model_error& e) {
        return e.code() == errc::invalid_model_reply && e.detail().find("vectors of 1 and of 2") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(nothing_is_sent_for_no_texts_and_for_wrong_ones)
{
    scripted_endpoint endpoint;
    weft::openai_embedding_model model{client_for(endpoint), embedding_options_for(endpoint)};
    BOOST_TEST(embed(model, {}).vectors.empty());
    BOOST_CHECK_EXCEPTION((void)embed(model, {"a", ""}), weft::error,
                          [](const weft::error& e) { return e.code() == errc::invalid_configuration; });
    BOOST_TEST(endpoint.requests().empty());
}

BOOST_AUTO_TEST_CASE(gemini_and_ollama_are_asked_at_their_own_addresses)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/v1/models/embed-x:batchEmbedContents"))
        .reply(json_reply(R"({"embeddings":[{"values":[1,2]}]})"));
    endpoint.when(script::path_ends_with("/api/embed"))
        .reply(json_reply(R"({"embeddings":[[3,4]],"prompt_eval_count":2})"));
    weft::embedding_options options = embedding_options_for(endpoint);
    weft::gemini_embedding_model gemini{client_for(endpoint), options};
    BOOST_TEST((embed(gemini, {"a"}).vectors == vectors{{1, 2}}));
    options.base_url = endpoint.url().substr(0, endpoint.url().rfind("/v1"));
    options.key = {};
    weft::ollama_embedding_model ollama{client_for(endpoint), options};
    BOOST_TEST((embed(ollama, {"a"}).vectors == vectors{{3, 4}}));
    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 2);
    BOOST_TEST(requests[0].header("x-goog-api-key") == secret);
    BOOST_TEST(requests[1].target == "/api/embed");
    BOOST_TEST(requests[1].header("authorization") == "");
}

BOOST_AUTO_TEST_CASE(errors_are_judged_as_those_of_chat_models)
{
    const model_error busy =
        failure_with(json_reply(R"({"error":{"message":"slow","code":"rate_limit_exceeded"}})", 429));
    BOOST_TEST((busy.code() == errc::model_rate_limited));
    BOOST_TEST(busy.is_retryable());
    const model_error refused = failure_with(json_reply(R"({"error":{"message":"wrong key"}})", 401));
    BOOST_TEST((refused.code() == errc::model_unauthorized));
    BOOST_TEST(refused.detail().ends_with("; the key of the model's options was sent"));
    BOOST_TEST((failure_with(script::status(200).body("<html>").header("content-type", "text/html")).code() ==
                errc::invalid_configuration));
    BOOST_TEST((failure_with(json_reply(R"({"error":{"message":"x","type":"server_error"}})")).code() ==
                errc::model_overloaded));
}

BOOST_AUTO_TEST_CASE(a_reply_that_is_no_vectors_is_an_error)
{
    const model_error broken = failure_with(json_reply("{"));
    BOOST_TEST((broken.code() == errc::invalid_model_reply));
    BOOST_TEST(broken.detail() == "the reply is no JSON object");
    BOOST_TEST(broken.where().starts_with("embed-x at localhost:"));
    const model_error none = failure_with(json_reply(R"({"data":[]})"));
    BOOST_TEST((none.code() == errc::invalid_model_reply));
    BOOST_TEST(none.detail() == "0 vectors came for 1 texts");
}

BOOST_AUTO_TEST_CASE(a_source_of_keys_is_asked_again_after_a_401)
{
    scripted_endpoint endpoint;
    endpoint.when(script::request_number(1) && script::path_ends_with("/embeddings"))
        .reply(json_reply(R"({"error":"expired"})", 401));
    endpoint.when(script::request_number(2) && script::path_ends_with("/embeddings"))
        .reply(json_reply(R"({"data":[{"embedding":[1]}]})"));
    weft::embedding_options options = embedding_options_for(endpoint);
    options.key = {};
    options.credentials = std::make_shared<two_keys>();
    weft::openai_embedding_model model{client_for(endpoint), options};
    BOOST_TEST((embed(model, {"a"}).vectors == vectors{{1}}));
    const auto requests = endpoint.requests();
    BOOST_REQUIRE(requests.size() == 2);
    BOOST_TEST(requests[0].header("authorization") == "Bearer sk-OLD-key");
    BOOST_TEST(requests[1].header("authorization") == "Bearer sk-NEW-key");
    BOOST_TEST(requests[0].body == requests[1].body);
}

BOOST_AUTO_TEST_CASE(a_call_that_is_stopped_while_it_waits_ends_as_cancelled)
{
    scripted_endpoint endpoint;
    endpoint.when(script::path_ends_with("/embeddings")).reply(script::silence());
    weft::openai_embedding_model model{client_for(endpoint), embedding_options_for(endpoint)};
    test_loop loop;
    started call{loop, model.embed({"a"})};
    loop.run_until([&] { return endpoint.requests().size() == 1; });
    BOOST_TEST(!call.is_done());
    call.stop();
    BOOST_CHECK_EXCEPTION((void)call.result(), weft::error,
                          [](const weft::error& e) { return e.code() == errc::cancelled; });
}

BOOST_AUTO_TEST_CASE(mistakes_in_the_options_are_found_at_once)
{
    const auto make = [](std::function<void(weft::embedding_options&)> change) {
        weft::embedding_options options;
        options.model = "m";
        change(options);
        return weft::openai_embedding_model{weft::http_client{}, std::move(options)};
    };
    const auto is = [](errc code) { return [code](const weft::error& e) { return e.code() == code; }; };
    BOOST_TEST(make([](auto&) {}).label() == "m at api.openai.com:443");
    const auto refused = is(errc::invalid_configuration);
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.model.clear(); }), weft::error, refused);
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.batch_inputs_max = 0; }), weft::error, refused);
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.batch_bytes_max = 0; }), weft::error, refused);
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.dimensions = 0; }), weft::error, refused);
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.dimensions = o.dimensions_max + 1; }), weft::error, refused);
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.headers = {{"a b", "c"}}; }), weft::error, refused);
    BOOST_CHECK_EXCEPTION(make([](auto& o) { o.base_url = "https://x.example/v1/embeddings"; }), weft::error,
                          is(errc::invalid_url));
    weft::embedding_options nothing;
    BOOST_CHECK_EXCEPTION((weft::gemini_embedding_model{weft::http_client{}, nothing}), weft::error, refused);
    BOOST_CHECK_EXCEPTION((weft::ollama_embedding_model{weft::http_client{}, nothing}), weft::error, refused);
}

BOOST_AUTO_TEST_SUITE_END()
