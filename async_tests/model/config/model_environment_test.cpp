#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/model/model_environment.hpp>

#include <cstdlib>
#include <map>
#include <string>

BOOST_AUTO_TEST_SUITE(model_environment_test)

using weft::errc;

namespace {

using variables = std::map<std::string, std::string>;

std::optional<weft::openai_model_options> read(const variables& set)
{
    return weft::read_model_environment([&](const std::string& name) -> std::optional<std::string> {
        const auto found = set.find(name);
        return found == set.end() ? std::nullopt : std::optional{found->second};
    });
}

template <class Options>
Options read_as(const variables& set)
{
    auto options = weft::read_any_model_environment([&](const std::string& name) -> std::optional<std::string> {
        const auto found = set.find(name);
        return found == set.end() ? std::nullopt : std::optional{found->second};
    });
    BOOST_REQUIRE(options);
    return std::get<Options>(*options);
}

auto names(errc code, std::string_view variable)
{
    return [code, variable](const weft::error& e) { return e.code() == code && e.where() == variable; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_variables_no_endpoint_is_named)
{
    BOOST_TEST(!read({}));
    BOOST_TEST(!read({{"WEFT_LLM_URL", ""}, {"WEFT_LLM_API_KEY", ""}, {"OPENAI_API_KEY", ""}, {"WEFT_LLM_MODEL", ""}}));
    BOOST_TEST(!read({{"OPENAI_BASE_URL", "https://x/v1"}}));
}

BOOST_AUTO_TEST_CASE(url_key_and_model_name_an_endpoint)
{
    const auto options = read({{"WEFT_LLM_URL", "https://api.mistral.ai/v1"}, {"WEFT_LLM_API_KEY", "k1"},
                               {"WEFT_LLM_MODEL", "m"}, {"OPENAI_API_KEY", "k2"}});
    BOOST_REQUIRE(options);
    BOOST_TEST(options->base_url == "https://api.mistral.ai/v1");
    BOOST_TEST(options->key.reveal() == "k1");
    BOOST_TEST(options->model == "m");
    BOOST_TEST(options->profile.provider == "mistral");
}

BOOST_AUTO_TEST_CASE(the_key_of_openai_never_goes_elsewhere)
{
    const auto options =
        read({{"WEFT_LLM_URL", "http://localhost:8080/v1"}, {"WEFT_LLM_MODEL", "m"}, {"OPENAI_API_KEY", "k"}});
    BOOST_REQUIRE(options);
    BOOST_TEST(options->key.empty());
    BOOST_TEST(options->profile.provider == "compatible");
}

BOOST_AUTO_TEST_CASE(the_key_of_openai_is_enough_for_openai)
{
    const auto plain = read({{"OPENAI_API_KEY", "k"}});
    BOOST_REQUIRE(plain);
    BOOST_TEST(plain->base_url == "https://api.openai.com/v1");
    BOOST_TEST(plain->model == weft::openai_default_model);
    BOOST_TEST(plain->key.reveal() == "k");
    BOOST_TEST(plain->profile.provider == "openai");
    const auto other =
        read({{"OPENAI_API_KEY", "k"}, {"OPENAI_BASE_URL", "https://proxy.example/v1"}, {"WEFT_LLM_MODEL", "m"}});
    BOOST_REQUIRE(other);
    BOOST_TEST(other->base_url == "https://proxy.example/v1");
    BOOST_TEST(other->model == "m");
    BOOST_TEST(other->profile.provider == "compatible");
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_wrong_is_named)
{
    for (const char* url : {"https://x/v1/chat/completions", "https://x/v1/chat/completions/?api-version=1"})
        BOOST_CHECK_EXCEPTION(read({{"WEFT_LLM_URL", url}, {"WEFT_LLM_MODEL", "m"}}), weft::error,
                              names(errc::invalid_url, "WEFT_LLM_URL"));
    BOOST_CHECK_EXCEPTION(
        read({{"WEFT_LLM_URL", "https://x/v1"}, {"WEFT_LLM_MODEL", "m"}, {"WEFT_LLM_API_KEY", "k\r"}}), weft::error,
        names(errc::invalid_configuration, "WEFT_LLM_API_KEY"));
    BOOST_CHECK_EXCEPTION(read({{"OPENAI_API_KEY", "k\nk"}}), weft::error,
                          names(errc::invalid_configuration, "OPENAI_API_KEY"));
    BOOST_CHECK_EXCEPTION(read({{"WEFT_LLM_URL", "https://x/v1"}}), weft::error,
                          names(errc::invalid_configuration, "WEFT_LLM_MODEL"));
    BOOST_CHECK_EXCEPTION(read({{"WEFT_LLM_API_KEY", "secret-key"}}), weft::error,
                          names(errc::invalid_configuration, "WEFT_LLM_URL"));
    BOOST_CHECK_EXCEPTION(read({{"WEFT_LLM_API_KEY", "k"}, {"OPENAI_API_KEY", "k"}}), weft::error,
                          names(errc::invalid_configuration, "WEFT_LLM_URL"));
    BOOST_CHECK_EXCEPTION(read({{"WEFT_LLM_MODEL", "m"}}), weft::error,
                          names(errc::invalid_configuration, "WEFT_LLM_MODEL"));
    BOOST_CHECK_EXCEPTION(read({{"WEFT_LLM_URL", "localhost:8080"}, {"WEFT_LLM_MODEL", "m"}}), weft::error,
                          names(errc::invalid_url, "WEFT_LLM_URL"));
    BOOST_CHECK_EXCEPTION(read({{"OPENAI_API_KEY", "k"}, {"OPENAI_BASE_URL", "ftp://x"}}), weft::error,
                          names(errc::invalid_url, "OPENAI_BASE_URL"));
}

BOOST_AUTO_TEST_CASE(without_a_provider_the_endpoint_is_openai_compatible)
{
    const auto named = read_as<weft::openai_model_options>(
        {{"WEFT_LLM_URL", "https://api.mistral.ai/v1"}, {"WEFT_LLM_MODEL", "m"}, {"WEFT_LLM_API_KEY", "k"}});
    BOOST_TEST(named.profile.provider == "mistral");
    BOOST_TEST(read_as<weft::openai_model_options>({{"OPENAI_API_KEY", "k"}, {"WEFT_LLM_PROVIDER", "openai"}})
                   .key.reveal() == "k");
    BOOST_TEST(!weft::read_any_model_environment([](const std::string&) { return std::nullopt; }));
}

BOOST_AUTO_TEST_CASE(the_provider_decides_which_api_is_spoken)
{
    const auto responses =
        read_as<weft::responses_model_options>({{"WEFT_LLM_PROVIDER", "openai_responses"}, {"OPENAI_API_KEY", "k"}});
    BOOST_TEST(responses.base_url == "https://api.openai.com/v1");
    BOOST_TEST(responses.key.reveal() == "k");
    BOOST_TEST(responses.model == weft::openai_default_model);
    const auto elsewhere = read_as<weft::responses_model_options>({{"WEFT_LLM_PROVIDER", "openai_responses"},
                                                                   {"OPENAI_API_KEY", "k"},
                                                                   {"OPENAI_BASE_URL", "https://proxy.example/v1"},
                                                                   {"WEFT_LLM_MODEL", "m"}});
    BOOST_TEST(elsewhere.base_url == "https://proxy.example/v1");
    BOOST_TEST(elsewhere.model == "m");
    const auto anthropic =
        read_as<weft::anthropic_model_options>({{"WEFT_LLM_PROVIDER", "anthropic"}, {"WEFT_LLM_API_KEY", "w"},
                                                {"ANTHROPIC_API_KEY", "k"}, {"WEFT_LLM_MODEL", "claude-x"}});
    BOOST_TEST(anthropic.key.reveal() == "w");
    BOOST_TEST(anthropic.model == "claude-x");
    for (const char* variable : {"GEMINI_API_KEY", "GOOGLE_API_KEY"}) {
        const auto gemini = read_as<weft::gemini_model_options>({{"WEFT_LLM_PROVIDER", "gemini"}, {variable, "k"}});
        BOOST_TEST(gemini.key.reveal() == "k");
        BOOST_TEST(gemini.model == weft::gemini_default_model);
    }
    const auto ollama =
        read_as<weft::ollama_model_options>({{"WEFT_LLM_PROVIDER", "ollama"}, {"WEFT_LLM_MODEL", "llama3.2"}});
    BOOST_TEST(ollama.base_url == "http://localhost:11434");
    BOOST_TEST(ollama.key.empty());
}

BOOST_AUTO_TEST_CASE(a_key_alone_says_which_provider_is_meant_and_that_of_openai_goes_first)
{
    variables keys = {{"GOOGLE_API_KEY", "g"}};
    BOOST_TEST(read_as<weft::gemini_model_options>(keys).key.reveal() == "g");
    keys["GEMINI_API_KEY"] = "e";
    BOOST_TEST(read_as<weft::gemini_model_options>(keys).key.reveal() == "e");
    keys["ANTHROPIC_API_KEY"] = "a";
    BOOST_TEST(read_as<weft::anthropic_model_options>(keys).key.reveal() == "a");
    BOOST_TEST(read_as<weft::anthropic_model_options>(keys).model == weft::anthropic_default_model);
    keys["OPENAI_API_KEY"] = "o";
    BOOST_TEST(read_as<weft::openai_model_options>(keys).key.reveal() == "o");
    keys["WEFT_LLM_URL"] = "http://localhost:1/v1";
    keys["WEFT_LLM_MODEL"] = "m";
    BOOST_TEST(read_as<weft::openai_model_options>(keys).key.empty());
    BOOST_TEST(!read({{"ANTHROPIC_API_KEY", "a"}}));
}

BOOST_AUTO_TEST_CASE(the_key_of_a_provider_never_goes_elsewhere)
{
    const variables proxy = {{"WEFT_LLM_PROVIDER", "openai_responses"},
                             {"WEFT_LLM_URL", "https://proxy.example/v1"},
                             {"WEFT_LLM_MODEL", "m"},
                             {"OPENAI_API_KEY", "k"},
                             {"OPENAI_BASE_URL", "https://other.example/v1"}};
    const auto without = read_as<weft::responses_model_options>(proxy);
    BOOST_TEST(without.base_url == "https://proxy.example/v1");
    BOOST_TEST(without.key.empty());
    variables with_key = proxy;
    with_key["WEFT_LLM_API_KEY"] = "w";
    BOOST_TEST(read_as<weft::responses_model_options>(with_key).key.reveal() == "w");
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_wrong_about_a_provider_is_named)
{
    const auto refused = [](const variables& set, errc code, std::string_view where) {
        BOOST_CHECK_EXCEPTION((void)read_as<weft::ollama_model_options>(set), weft::error, names(code, where));
    };
    refused({{"WEFT_LLM_PROVIDER", "olama"}}, errc::invalid_configuration, "WEFT_LLM_PROVIDER");
    refused({{"WEFT_LLM_PROVIDER", "ollama"}}, errc::invalid_configuration, "WEFT_LLM_MODEL");
    refused({{"WEFT_LLM_PROVIDER", "openai_responses"}}, errc::invalid_configuration, "WEFT_LLM_API_KEY");
    refused({{"WEFT_LLM_PROVIDER", "openai_responses"}, {"OPENAI_API_KEY", "a\nb"}}, errc::invalid_configuration,
            "OPENAI_API_KEY");
    refused({{"WEFT_LLM_PROVIDER", "openai_responses"}, {"OPENAI_API_KEY", "k"}, {"OPENAI_BASE_URL", "x"}},
            errc::invalid_url, "OPENAI_BASE_URL");
    refused({{"WEFT_LLM_PROVIDER", "ollama"}, {"WEFT_LLM_MODEL", "m"}, {"WEFT_LLM_URL", "http://x/api/chat"}},
            errc::invalid_url, "WEFT_LLM_URL");
    BOOST_CHECK_EXCEPTION((void)read({{"WEFT_LLM_PROVIDER", "ollama"}, {"OPENAI_API_KEY", "k"}}), weft::error,
                          names(errc::invalid_configuration, "WEFT_LLM_PROVIDER"));
    BOOST_TEST(read({{"WEFT_LLM_PROVIDER", "openai"}, {"OPENAI_API_KEY", "k"}}).has_value());
}

BOOST_AUTO_TEST_CASE(the_process_has_an_environment)
{
    const weft::environment_lookup lookup = weft::process_environment();
    BOOST_TEST(!lookup("WEFT_TEST_VARIABLE_THAT_NOBODY_SETS"));
    const char* path = std::getenv("PATH");
    BOOST_TEST((lookup("PATH") == (path ? std::optional<std::string>{path} : std::nullopt)));
}

BOOST_AUTO_TEST_SUITE_END()
