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

BOOST_AUTO_TEST_CASE(the_process_has_an_environment)
{
    const weft::environment_lookup lookup = weft::process_environment();
    BOOST_TEST(!lookup("WEFT_TEST_VARIABLE_THAT_NOBODY_SETS"));
    const char* path = std::getenv("PATH");
    BOOST_TEST((lookup("PATH") == (path ? std::optional<std::string>{path} : std::nullopt)));
}

BOOST_AUTO_TEST_SUITE_END()
