#include <boost/test/unit_test.hpp>

#include <weft/model/openai/openai_profile.hpp>

#include <string_view>
#include <utility>

BOOST_AUTO_TEST_SUITE(openai_profile_test)

namespace profiles = weft::openai_profiles;

BOOST_AUTO_TEST_CASE(the_host_tells_the_profile)
{
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"api.openai.com", "openai"},
        {"weft.openai.azure.com", "azure"},
        {"openrouter.ai", "openrouter"},
        {"api.deepseek.com", "deepseek"},
        {"api.groq.com", "groq"},
        {"api.mistral.ai", "mistral"},
        {"generativelanguage.googleapis.com", "gemini"},
        {"localhost", "compatible"},
        {"api.openai.com.evil.example", "compatible"},
        {"notopenrouter.ai", "compatible"},
        {"openai.azure.com", "compatible"},
    };
    for (const auto& [host, provider] : cases) BOOST_TEST(profiles::for_host(host).provider == provider);
}

BOOST_AUTO_TEST_CASE(an_unknown_server_gets_only_what_all_understand)
{
    const weft::openai_profile p = profiles::compatible();
    BOOST_TEST(p.max_tokens_field == "max_tokens");
    BOOST_TEST(p.system_role == "system");
    BOOST_TEST(!p.takes_null_content);
    BOOST_TEST(!p.takes_strict_tools);
}

BOOST_AUTO_TEST_CASE(azure_has_its_own_header_for_the_key)
{
    BOOST_TEST(profiles::azure().auth_header == "api-key");
    BOOST_TEST(profiles::azure().auth_prefix == "");
    BOOST_TEST(profiles::openai().auth_header == "Authorization");
    BOOST_TEST(profiles::openai().auth_prefix == "Bearer ");
}

BOOST_AUTO_TEST_SUITE_END()
