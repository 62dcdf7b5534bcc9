#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/model/any_embedding_model.hpp>

#include <map>
#include <optional>
#include <string>

BOOST_AUTO_TEST_SUITE(any_embedding_model_test)

namespace {

using weft::errc;
using weft::model_provider;
using variables = std::map<std::string, std::string>;

std::optional<weft::any_embedding_options> read(const variables& set)
{
    return weft::read_embedding_environment([&](const std::string& name) -> std::optional<std::string> {
        const auto found = set.find(name);
        return found == set.end() ? std::nullopt : std::optional{found->second};
    });
}

/** `provider model key-origin base_url`. */
std::string shown(const variables& set)
{
    const auto found = read(set);
    if (!found) return "none";
    const std::string provider = found->provider == model_provider::openai   ? "openai"
                                 : found->provider == model_provider::gemini ? "gemini"
                                                                             : "ollama";
    const std::string key = found->options.key.empty() ? "no key" : found->options.key_origin;
    return provider + " " + found->options.model + " " + key + " " + found->options.base_url;
}

auto names(errc code, std::string_view variable)
{
    return [code, variable](const weft::error& e) { return e.code() == code && e.where() == variable; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_environment_says_which_model_makes_embeddings)
{
    BOOST_TEST(shown({}) == "none");
    BOOST_TEST(shown({{"WEFT_LLM_URL", "http://h/v1"}, {"WEFT_LLM_API_KEY", "k"}}) == "none");
    BOOST_TEST(shown({{"OPENAI_API_KEY", "k"}}) == "openai text-embedding-3-small OPENAI_API_KEY ");
    BOOST_TEST(shown({{"OPENAI_API_KEY", "k"}, {"OPENAI_BASE_URL", "http://h/v1"}, {"WEFT_EMBEDDING_MODEL", "m"}}) ==
               "openai m OPENAI_API_KEY http://h/v1");
    BOOST_TEST(shown({{"GOOGLE_API_KEY", "k"}}) == "gemini gemini-embedding-001 GOOGLE_API_KEY ");
    BOOST_TEST(shown({{"WEFT_EMBEDDING_PROVIDER", "ollama"}, {"WEFT_EMBEDDING_MODEL", "m"}}) == "ollama m no key ");
    BOOST_TEST(shown({{"WEFT_EMBEDDING_URL", "http://h/v1"}, {"WEFT_EMBEDDING_MODEL", "m"}, {"OPENAI_API_KEY", "k"}}) ==
               "openai m no key http://h/v1");
    BOOST_TEST(shown({{"WEFT_EMBEDDING_URL", "http://h/v1"},
                      {"WEFT_EMBEDDING_MODEL", "m"},
                      {"WEFT_EMBEDDING_API_KEY", "k"}}) == "openai m WEFT_EMBEDDING_API_KEY http://h/v1");
}

BOOST_AUTO_TEST_CASE(variables_that_cannot_be_right_are_refused_by_name)
{
    BOOST_CHECK_EXCEPTION(read({{"WEFT_EMBEDDING_PROVIDER", "anthropic"}}), weft::error,
                          names(errc::invalid_configuration, "WEFT_EMBEDDING_PROVIDER"));
    BOOST_CHECK_EXCEPTION(read({{"WEFT_EMBEDDING_PROVIDER", "olama"}}), weft::error,
                          names(errc::invalid_configuration, "WEFT_EMBEDDING_PROVIDER"));
    BOOST_CHECK_EXCEPTION(read({{"WEFT_EMBEDDING_PROVIDER", "ollama"}}), weft::error,
                          names(errc::invalid_configuration, "WEFT_EMBEDDING_MODEL"));
    BOOST_CHECK_EXCEPTION(read({{"WEFT_EMBEDDING_URL", "http://h/v1"}}), weft::error,
                          names(errc::invalid_configuration, "WEFT_EMBEDDING_MODEL"));
    BOOST_CHECK_EXCEPTION(read({{"WEFT_EMBEDDING_API_KEY", "k"}}), weft::error,
                          names(errc::invalid_configuration, "WEFT_EMBEDDING_PROVIDER"));
    BOOST_CHECK_EXCEPTION(read({{"WEFT_EMBEDDING_PROVIDER", "gemini"}}), weft::error,
                          names(errc::invalid_configuration, "WEFT_EMBEDDING_API_KEY"));
    BOOST_CHECK_EXCEPTION(read({{"WEFT_EMBEDDING_URL", "http://h/v1/embeddings"}, {"WEFT_EMBEDDING_MODEL", "m"}}),
                          weft::error, names(errc::invalid_url, "WEFT_EMBEDDING_URL"));
}

BOOST_AUTO_TEST_CASE(a_model_is_made_of_what_was_read)
{
    for (const char* provider : {"openai", "gemini", "ollama"}) {
        const auto found = read({{"WEFT_EMBEDDING_PROVIDER", provider},
                                 {"WEFT_EMBEDDING_MODEL", "m"},
                                 {"WEFT_EMBEDDING_API_KEY", "k"}});
        BOOST_REQUIRE(found);
        const auto model = weft::make_embedding_model(weft::http_client{}, *found);
        BOOST_TEST(model->label().find("m at ") == 0u);
    }
    weft::any_embedding_options options;
    options.provider = model_provider::anthropic;
    BOOST_CHECK_EXCEPTION((void)weft::make_embedding_model(weft::http_client{}, options), weft::error,
                          names(errc::invalid_configuration, "provider"));
}

BOOST_AUTO_TEST_SUITE_END()
