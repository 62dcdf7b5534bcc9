#include <boost/test/unit_test.hpp>

#include "model/endpoint_calls.hpp"

#include <weft/model/config/model_config.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

BOOST_AUTO_TEST_SUITE(model_config_test)

using weft::errc;
using weft::model_config;
using weft::model_config_error;
using namespace std::chrono_literals;
namespace script = weft::testing;

namespace {

constexpr std::string_view secret = "sk-live-0123456789abcdef";

weft::model_config_options options_with(std::map<std::string, std::string> variables)
{
    weft::model_config_options options;
    options.environment = [set = std::move(variables)](const std::string& name) -> std::optional<std::string> {
        const auto found = set.find(name);
        return found == set.end() ? std::nullopt : std::optional{found->second};
    };
    return options;
}

model_config read(std::string_view text)
{
    return model_config::read(text, options_with({{"KEY", std::string{secret}}, {"HOST", "api.mistral.ai"}}));
}

/** One model called `m` with these members. */
std::string model_with(std::string_view members)
{
    return R"({"models":{"m":{)" + std::string{members} + "}}}";
}

template <class Options>
Options only(std::string_view members)
{
    return std::get<Options>(read(model_with(members)).options());
}

std::vector<weft::spec_mistake> mistakes_of(std::string_view text)
{
    try {
        (void)read(text);
    } catch (const model_config_error& e) {
        BOOST_TEST((e.code() == errc::invalid_configuration));
        BOOST_TEST(std::string{e.what()}.find("0123456789") == std::string::npos);
        for (const weft::spec_mistake& m : e.mistakes())
            BOOST_TEST(std::string{e.what()}.find(m.text) != std::string::npos);
        return e.mistakes();
    }
    return {};
}

/** The only mistake of a model with these members, as `path: text`. */
std::string mistake_in(std::string_view members)
{
    const auto mistakes = mistakes_of(model_with(members));
    std::string all;
    for (const weft::spec_mistake& m : mistakes) all.append(all.empty() ? "" : "\n").append(m.path + ": " + m.text);
    return all;
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(models_have_names_and_one_is_the_default)
{
    const model_config config = read(R"({
        "models": {
            "local": {"provider": "ollama", "model": "llama3.2"},
            "fast": {"provider": "openai", "model": "gpt-x", "api_key": "${KEY}"}},
        "default": "fast"})");
    BOOST_TEST(config.names() == (std::vector<std::string>{"fast", "local"}), boost::test_tools::per_element());
    BOOST_TEST(config.default_name() == "fast");
    BOOST_TEST(std::get<weft::openai_model_options>(config.options()).key.reveal() == secret);
    BOOST_TEST(std::get<weft::ollama_model_options>(config.options("local")).model == "llama3.2");
    BOOST_TEST(config.make(weft::http_client{})->label() == "gpt-x at api.openai.com:443");
    BOOST_TEST(config.make(weft::http_client{}, "local")->label() == "llama3.2 at localhost:11434");
    BOOST_TEST(config.make_all(weft::http_client{}).size() == 2);
    BOOST_CHECK_EXCEPTION((void)config.options("fats"), weft::error, [](const weft::error& e) {
        return e.code() == errc::invalid_configuration && e.where() == "fats" && contains(e.detail(), "'fast'");
    });
}

BOOST_AUTO_TEST_CASE(the_only_model_is_the_default_and_several_have_none_by_themselves)
{
    BOOST_TEST(read(model_with(R"("provider":"ollama","model":"x")")).default_name() == "m");
    const model_config two = read(R"({"models":{"a":{"provider":"ollama","model":"x"},)"
                                  R"("b":{"provider":"ollama","model":"x"}}})");
    BOOST_TEST(two.default_name() == "");
    BOOST_CHECK_EXCEPTION((void)two.options(), weft::error,
                          [](const weft::error& e) { return e.where() == "default"; });
}

BOOST_AUTO_TEST_CASE(everything_about_an_openai_compatible_endpoint)
{
    const auto o = only<weft::openai_model_options>(
        R"("provider":"openai","base_url":"https://${HOST}/v1")" "\n"
        R"(,"api_key":"${KEY}","profile":"vllm","organization":"o","project":"p","headers":{"X-Title":"$${x}"},)"
        R"("timeouts":{"connect":"3s","gap":"5m","first_token":"7s","token_gap":"9s"},)"
        R"("limits":{"tool_calls_max":4},"extra_body":{"top_k":5},)"
        R"("takes_sampling":false,"model":"m1")");
    BOOST_TEST(!o.profile.takes_sampling);
    BOOST_TEST(o.base_url == "https://api.mistral.ai/v1");
    BOOST_TEST(o.model == "m1");
    BOOST_TEST(o.key.reveal() == secret);
    BOOST_TEST(o.profile.provider == "vllm");
    BOOST_TEST(o.profile.headers.at(0).second == "${x}");
    BOOST_TEST(o.profile.extra_body.at("top_k").as_int64() == 5);
    BOOST_TEST(o.organization == "o");
    BOOST_TEST(o.project == "p");
    BOOST_REQUIRE(o.timeouts);
    BOOST_TEST((o.timeouts->connect == 3s));
    BOOST_TEST((o.timeouts->gap == 5min));
    BOOST_TEST((o.first_token_max == 7s));
    BOOST_TEST((o.token_gap_max == 9s));
    BOOST_TEST(o.key_origin == "KEY");
    BOOST_TEST((o.timeouts->send == weft::http_timeouts{}.send));
    BOOST_TEST(o.limits.tool_calls_max == 4U);
    BOOST_TEST(o.limits.text_bytes_max == weft::reply_limits{}.text_bytes_max);
    const auto plain =
        only<weft::openai_model_options>(R"("provider":"openai","model":"m","base_url":"https://${HOST}")");
    BOOST_TEST(plain.profile.provider == "mistral");
    BOOST_TEST(plain.profile.takes_sampling);
    BOOST_TEST(!plain.timeouts);
    BOOST_TEST(!plain.first_token_max);
    BOOST_TEST(plain.key.empty());
}

BOOST_AUTO_TEST_CASE(everything_about_the_responses_api)
{
    const auto o = only<weft::responses_model_options>(
        R"("provider":"openai_responses","model":"m","store":true,"include":[],"reasoning_summary":"auto",)"
        R"("metadata":{"team":"${HOST}"},"organization":"o","project":"p","headers":{"A":"b"},"extra_body":{"c":1},)"
        R"("takes_sampling":false)");
    BOOST_TEST(!o.settings.takes_sampling);
    BOOST_TEST(o.settings.store);
    BOOST_TEST(o.settings.include.empty());
    BOOST_TEST(o.settings.reasoning_summary == "auto");
    BOOST_TEST(o.settings.metadata.at("team") == "api.mistral.ai");
    BOOST_TEST(o.settings.headers.size() == 1U);
    BOOST_TEST(o.settings.extra_body.contains("c"));
    BOOST_TEST(o.organization == "o");
    const auto plain = only<weft::responses_model_options>(R"("provider":"openai_responses","model":"m")");
    BOOST_TEST(plain.settings.include.size() == 1U);
    BOOST_TEST(!plain.settings.store);
    BOOST_TEST(plain.settings.takes_sampling);
}

BOOST_AUTO_TEST_CASE(everything_about_anthropic)
{
    const auto o = only<weft::anthropic_model_options>(
        R"("provider":"anthropic","model":"claude-x","api_key":"${KEY}","version":"2024-01-01","betas":["b"],)"
        R"("output_max":4096,"thinking":"budget","thinking_budget":2048,"thinking_display":"omitted",)"
        R"("cache":{"tools":true,"system":true,"messages":1,"ttl":"1h"},"user_label":"tenant","takes_sampling":false,)"
        R"("server_tools":[{"type":"web_search"}],"bearer":true,"headers":{"A":"b"},"extra_body":{"c":1})");
    BOOST_TEST(o.key.reveal() == secret);
    BOOST_TEST(o.settings.version == "2024-01-01");
    BOOST_TEST(o.settings.betas.size() == 1U);
    BOOST_TEST((o.settings.output_max == weft::tokens{4096}));
    BOOST_TEST((o.settings.thinking.how == weft::anthropic_thinking::mode::budget));
    BOOST_TEST((o.settings.thinking.budget == weft::tokens{2048}));
    BOOST_TEST(o.settings.thinking.display == "omitted");
    BOOST_TEST(o.settings.cache.tools);
    BOOST_TEST(o.settings.cache.system);
    BOOST_TEST(o.settings.cache.messages == 1U);
    BOOST_TEST(o.settings.cache.ttl == "1h");
    BOOST_TEST(o.settings.user_label == "tenant");
    BOOST_TEST(!o.settings.takes_sampling);
    BOOST_TEST(o.settings.server_tools.size() == 1U);
    BOOST_TEST(o.settings.auth_header == "Authorization");
    BOOST_TEST(o.settings.headers.size() == 1U);
    BOOST_TEST(o.settings.extra_body.contains("c"));
    const auto plain =
        only<weft::anthropic_model_options>(R"("provider":"anthropic","model":"m","thinking":"adaptive")");
    BOOST_TEST((plain.settings.thinking.how == weft::anthropic_thinking::mode::adaptive));
    BOOST_TEST(plain.settings.auth_header == "x-api-key");
    // What the model itself refuses is a mistake of the document.
    BOOST_TEST(mistake_in(R"("provider":"anthropic","model":"m","thinking":"budget","thinking_budget":5)")
                   .starts_with("$.models.m: "));
}

BOOST_AUTO_TEST_CASE(everything_about_gemini)
{
    const auto o = only<weft::gemini_model_options>(
        R"("provider":"gemini","model":"gemini-x","api_key":"${KEY}","schemas":"openapi","includes_thoughts":true,)"
        R"("thinking_budget":-1,"safety":{"HARM_CATEGORY_HARASSMENT":"BLOCK_NONE"},)"
        R"("cached_content":"cachedContents/x",)"
        R"("foreign_signature":"s","server_tools":[{"googleSearch":{}}],"bearer":true,"headers":{"A":"b"},)"
        R"("extra_body":{"c":1})");
    BOOST_TEST(o.key.reveal() == secret);
    BOOST_TEST((o.settings.schemas == weft::gemini_schemas::openapi));
    BOOST_TEST(o.settings.includes_thoughts);
    BOOST_TEST((o.settings.thinking_budget == -1));
    BOOST_TEST(o.settings.safety.at(0).second == "BLOCK_NONE");
    BOOST_TEST(o.settings.cached_content == "cachedContents/x");
    BOOST_TEST(o.settings.foreign_signature == "s");
    BOOST_TEST(o.settings.server_tools.size() == 1U);
    BOOST_TEST(o.settings.auth_prefix == "Bearer ");
    BOOST_TEST(o.settings.headers.size() == 1U);
    BOOST_TEST(o.settings.extra_body.contains("c"));
    BOOST_TEST(only<weft::gemini_model_options>(R"("provider":"gemini","model":"m")").settings.auth_header ==
               "x-goog-api-key");
}

BOOST_AUTO_TEST_CASE(everything_about_ollama)
{
    const auto o = only<weft::ollama_model_options>(
        R"("provider":"ollama","model":"m","context_max":4096,"keep_alive":"-1","options":{"top_k":3},)"
        R"("timeouts":{"gap":"1m"},"headers":{"A":"b"},"extra_body":{"c":1})");
    BOOST_TEST((o.settings.context_max == weft::tokens{4096}));
    BOOST_TEST(o.settings.keep_alive == "-1");
    BOOST_TEST(o.settings.options.contains("top_k"));
    BOOST_TEST((o.timeouts->gap == 1min));
    BOOST_TEST((o.timeouts->first_byte == 10min));  // loading takes its time, whatever else is said
}

BOOST_AUTO_TEST_CASE(a_key_must_not_stand_in_the_text)
{
    for (const std::string_view key : {secret, std::string_view{"x${KEY}"}, std::string_view{"Bearer ${KEY}"},
                                       std::string_view{"$${KEY}"}}) {
        const std::string members = R"("provider":"openai","model":"m","api_key":")" + std::string{key} + "\"";
        BOOST_TEST(mistake_in(members) == "$.models.m.api_key: a key must not stand in a file: put it into an "
                                          "environment variable and write its name, as in \"${OPENAI_API_KEY}\"");
    }
    BOOST_TEST(mistake_in(R"("provider":"openai","model":"m","api_key":["sk-live-0123456789abcdef"])") ==
               "$.models.m.api_key: a key must be a string");
    weft::model_config_options options = options_with({{"KEY", "from outside"}});
    options.takes_literal_keys = true;
    const auto key_of = [&](std::string_view key) {
        const auto config = model_config::read(
            model_with(R"("provider":"openai","model":"m","api_key":")" + std::string{key} + "\""), options);
        return std::string{std::get<weft::openai_model_options>(config.options()).key.reveal()};
    };
    BOOST_TEST(key_of("sk-x") == "sk-x");
    BOOST_TEST(key_of("${KEY}") == "from outside");
    BOOST_TEST(key_of("") == "");
}

BOOST_AUTO_TEST_CASE(headers_that_carry_secrets_are_refused)
{
    for (const std::string name : {"Authorization", "api-key", "X-API-Key", "Cookie"}) {
        const std::string members =
            R"("provider":"ollama","model":"m","headers":{")" + name + R"(":"sk-live-0123456789abcdef"})";
        BOOST_TEST(mistake_in(members).starts_with("$.models.m.headers"));
        BOOST_TEST(contains(mistake_in(members), "give it as 'api_key'"));
    }
}

BOOST_AUTO_TEST_CASE(references_to_nothing_are_mistakes)
{
    BOOST_TEST(mistake_in(R"("provider":"openai","model":"m","api_key":"${NO_KEY}")") ==
               "$.models.m.api_key: the environment variable NO_KEY is not set, or empty");
    BOOST_TEST(mistake_in(R"("provider":"ollama","model":"${NO_MODEL}")") ==
               "$.models.m.model: the environment variable NO_MODEL is not set, or empty");
    for (const std::string text : {"${", "${}", "${A B}", "${1}", "x${HOST"})
        BOOST_TEST(mistake_in(R"("provider":"ollama","model":")" + text + "\"") ==
                   "$.models.m.model: '${' begins a reference to the environment: write '${NAME}', or '$${' for the "
                   "characters");
}

BOOST_AUTO_TEST_CASE(misspelt_names_get_a_suggestion)
{
    BOOST_TEST(contains(mistake_in(R"("provider":"olama","model":"m")"), "did you mean 'ollama'?"));
    BOOST_TEST(contains(mistake_in(R"("provider":"openai","model":"m","profile":"mistrall")"),
                        "did you mean 'mistral'?"));
    BOOST_TEST(contains(mistake_in(R"("provider":"openai","model":"m","apikey":"sk-live-0123456789abcdef")"),
                        "there is no member 'apikey' here (did you mean 'api_key'?)"));
    BOOST_TEST(contains(mistake_in(R"("provider":"openai","model":"m","timeouts":{"first-byte":"1s"})"),
                        "did you mean 'first_byte'?"));
    const auto mistakes = mistakes_of(R"({"models":{"fast":{"provider":"ollama","model":"m"}},"default":"fsat"})");
    BOOST_REQUIRE(mistakes.size() == 1);
    BOOST_TEST(mistakes[0].path == "$.default");
    BOOST_TEST(contains(mistakes[0].text, "did you mean 'fast'?"));
}

BOOST_AUTO_TEST_CASE(members_of_other_providers_are_refused)
{
    BOOST_TEST(contains(mistake_in(R"("provider":"ollama","model":"m","profile":"vllm")"), "no member 'profile'"));
    BOOST_TEST(contains(mistake_in(R"("provider":"openai","model":"m","keep_alive":"5m")"), "no member 'keep_alive'"));
}

BOOST_AUTO_TEST_CASE(addresses_times_and_names_are_checked)
{
    BOOST_TEST(mistake_in(R"("provider":"openai","model":"m","base_url":"api.openai.com")") ==
               "$.models.m.base_url: this is no base URL: it must begin with https:// or http://");
    BOOST_TEST(contains(mistake_in(R"("provider":"openai","model":"m","base_url":"https://x/chat/completions")"),
                        "leave out /chat/completions, which weft adds"));
    BOOST_TEST(contains(mistake_in(R"("provider":"ollama","model":"m","base_url":"http://localhost:11434/v1")"),
                        "$.models.m.base_url: /v1 is where Ollama speaks like OpenAI"));
    BOOST_TEST(contains(mistake_in(R"("provider":"ollama","model":"m","timeouts":{"gap":"0s"})"),
                        "$.models.m.timeouts.gap: must be longer than nothing"));
    BOOST_TEST(contains(mistake_in(R"("provider":"ollama","model":"m","timeouts":{"gap":"soon"})"),
                        "$.models.m.timeouts.gap"));
    BOOST_TEST(contains(mistake_in(R"("provider":"ollama","model":"")"), "$.models.m.model: name the model"));
    BOOST_TEST(contains(mistake_in(R"("provider":"ollama","model":"m","headers":{"a b":"c"})"), "$.models.m"));
    BOOST_TEST(contains(mistake_in(R"("model":"m")"), "the member 'provider' is missing"));
    BOOST_TEST(contains(mistake_in(R"("provider":"ollama")"), "the member 'model' is missing"));
}

BOOST_AUTO_TEST_CASE(all_mistakes_come_at_once_with_their_places)
{
    const auto mistakes = mistakes_of("{\n"
                                      "  \"models\": {\n"
                                      "    \"a\": {\"provider\": \"openai\", "
                                      "\"api_key\": \"sk-live-0123456789abcdef\"},\n"
                                      "    \"b\": {\"provider\": \"ollama\", \"model\": 5},\n"
                                      "    \"c\": []\n"
                                      "  },\n"
                                      "  \"defaults\": \"a\"\n"
                                      "}\n");
    BOOST_REQUIRE(mistakes.size() == 5);
    const auto has = [&](std::uint32_t line, std::uint32_t column, std::string_view path) {
        return std::any_of(mistakes.begin(), mistakes.end(), [&](const weft::spec_mistake& m) {
            return m.line == line && m.column == column && m.path == path;
        });
    };
    BOOST_TEST(has(3, 10, "$.models.a"));
    BOOST_TEST(has(3, 44, "$.models.a.api_key"));
    BOOST_TEST(has(4, 42, "$.models.b.model"));
    BOOST_TEST(has(5, 10, "$.models.c"));
    BOOST_TEST(has(7, 15, "$.defaults"));
}

BOOST_AUTO_TEST_CASE(what_is_no_configuration_is_refused)
{
    BOOST_TEST(mistakes_of("{\n\"models\": sk}").at(0).line == 2U);
    BOOST_TEST(mistakes_of("[]").size() == 1U);
    BOOST_TEST(mistakes_of("{}").size() == 1U);
    BOOST_TEST(mistakes_of(R"({"models":{}})").size() == 1U);
    BOOST_TEST(mistakes_of(R"({"models":{"":{"provider":"ollama","model":"m"}}})").size() == 1U);
    weft::model_config_options options = options_with({});
    options.bytes_max = 10;
    BOOST_CHECK_THROW((void)model_config::read(R"({"models": {}})", options), model_config_error);
    options.bytes_max = 1000;
    options.mistakes_max = 2;
    try {
        (void)model_config::read(R"({"a":1,"b":2,"c":3,"models":{}})", options);
        BOOST_ERROR("read");
    } catch (const model_config_error& e) {
        BOOST_REQUIRE(e.mistakes().size() == 3);
        BOOST_TEST(e.mistakes()[2].text == "and 2 more mistakes");
    }
}

BOOST_AUTO_TEST_CASE(files_are_read)
{
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "weft_model_config_test.json";
    std::ofstream{file} << model_with(R"("provider":"ollama","model":"llama3.2")");
    BOOST_TEST(model_config::read_file(file).default_name() == "m");
    std::ofstream{file} << "{}";
    BOOST_CHECK_EXCEPTION((void)model_config::read_file(file), model_config_error, [&](const model_config_error& e) {
        return e.mistakes().at(0).file == file.string() && contains(e.where(), file.string());
    });
    std::filesystem::remove(file);
    BOOST_CHECK_EXCEPTION((void)model_config::read_file(file), model_config_error, [](const model_config_error& e) {
        return e.mistakes().at(0).text == "the file cannot be read";
    });
    BOOST_CHECK_THROW((void)model_config::read_file(std::filesystem::temp_directory_path()), model_config_error);
}

BOOST_AUTO_TEST_CASE(models_of_a_configuration_answer)
{
    script::scripted_endpoint endpoint;
    endpoint.when(script::any_request()).reply(script::text("Hello"));
    weft::model_config_options options = options_with({{"URL", endpoint.url()}, {"KEY", std::string{secret}}});
    const model_config config = model_config::read(
        model_with(R"("provider":"openai","model":"gpt-x","base_url":"${URL}","api_key":"${KEY}")"), options);
    const auto model = config.make(endpoint_calls::client_for(endpoint));
    BOOST_TEST(weft::run_blocking(model->reply(endpoint_calls::hello())).message.text() == "Hello");
    BOOST_TEST(endpoint.requests().at(0).header("authorization") == "Bearer " + std::string{secret});
}

BOOST_AUTO_TEST_CASE(a_configuration_names_a_model_of_embeddings)
{
    const model_config config = read(R"({"models": {"m": {"provider": "ollama", "model": "x"}},
        "embedding": {"provider": "openai", "model": "text-x", "base_url": "https://${HOST}/v1", "api_key": "${KEY}",
                      "headers": {"x-team": "blue"}, "dimensions": 512, "batch_inputs_max": 16,
                      "timeouts": {"connect": "2s"}}})");
    BOOST_REQUIRE(config.embedding());
    const weft::embedding_options& options = config.embedding()->options;
    BOOST_TEST((config.embedding()->provider == weft::model_provider::openai));
    BOOST_TEST(options.model == "text-x");
    BOOST_TEST(options.base_url == "https://api.mistral.ai/v1");
    BOOST_TEST(options.key_origin == "KEY");
    BOOST_TEST((options.dimensions == 512u && options.batch_inputs_max == 16u));
    BOOST_TEST((options.timeouts && options.timeouts->connect == 2s));
    BOOST_TEST(config.make_embedding(weft::http_client{})->label().find("text-x at api.mistral.ai") == 0u);
    const model_config without = read(model_with(R"("provider": "ollama", "model": "x")"));
    BOOST_TEST(!without.embedding());
    BOOST_CHECK_THROW((void)without.make_embedding(weft::http_client{}), weft::error);
}

BOOST_AUTO_TEST_CASE(mistakes_of_a_model_of_embeddings_are_told)
{
    const auto told = [](std::string_view entry) {
        const auto found = mistakes_of(R"({"models": {"m": {"provider": "ollama", "model": "x"}}, "embedding": )" +
                                       std::string{entry} + "}");
        return found.size() == 1 ? found[0].path + ": " + found[0].text : std::to_string(found.size()) + " mistakes";
    };
    BOOST_TEST(told("1").find("$.embedding: ") == 0u);
    BOOST_TEST(told(R"({"provider": "anthropic", "model": "x"})").find("no embeddings") != std::string::npos);
    BOOST_TEST(told(R"({"provider": "openai", "model": "x", "base_url": "https://h/v1/embeddings"})")
                   .find("$.embedding.base_url") == 0u);
    BOOST_TEST(told(R"({"provider": "openai", "model": "x", "api_key": "sk-live-0123456789abcdef"})")
                   .find("$.embedding.api_key") == 0u);
    BOOST_TEST(told(R"({"provider": "openai", "model": "x", "dimension": 1})").find("dimensions") !=
               std::string::npos);
    BOOST_TEST(told(R"({"provider": "openai"})").find("model") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
