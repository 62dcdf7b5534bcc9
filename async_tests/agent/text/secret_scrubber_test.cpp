#include <boost/test/unit_test.hpp>

#include <weft/agent/text/secret_scrubber.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(secret_scrubber_test)

namespace {

std::string cleaned(std::string_view text) { return weft::secret_scrubber{}.clean(text); }

std::string key_of(std::string_view beginning) { return std::string{beginning} + "0123456789abcdefABCDEF"; }

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_28_what_looks_like_a_key_is_hidden)
{
    for (const char* const beginning : {"sk-", "sk-proj-", "ghp_", "AKIA", "xoxb-", "github_pat_", "glpat-", "AIza"})
        BOOST_TEST(cleaned("use " + key_of(beginning) + ", please") == "use ***, please");
    BOOST_TEST(cleaned("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln") == "***");
    BOOST_TEST(cleaned("Authorization: Bearer abcdefgh12345678") == "Authorization: Bearer ***");
    BOOST_TEST(cleaned("curl -H 'X: bearer abcdefgh12345678'") == "curl -H 'X: bearer ***'");
    BOOST_TEST(cleaned("a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b") == "a *** b");
    BOOST_TEST(cleaned("-----BEGIN PRIVATE KEY-----\nMII") == "***");
}

BOOST_AUTO_TEST_CASE(SUL_28_values_of_secret_names_are_hidden)
{
    BOOST_TEST(cleaned(R"({"user": "ada", "password": "my dog, Rex", "n": 1})") ==
               R"({"user": "ada", "password": "***", "n": 1})");
    BOOST_TEST(cleaned(R"({\"api_key\": \"abcd1234\", \"n\": 1})") == R"({\"api_key\": \"***\", \"n\": 1})");
    BOOST_TEST(cleaned("https://a.example/?q=1&api_key=abcd1234&n=2") == "https://a.example/?q=1&api_key=***&n=2");
    BOOST_TEST(cleaned("PASSWORD=hunter22 make") == "PASSWORD=*** make");
    BOOST_TEST(cleaned("password: hunter22") == "password: ***");
}

BOOST_AUTO_TEST_CASE(SUL_28_other_texts_stay)
{
    for (const std::string_view text :
         {"the risk-taker", "task-0123456789abcdefABCDEF", "sk-short", "Bearer of news", "What is my password?",
          "The secret: no", "tokens: 123456", "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
          "eyJ", "\xC3\xA4 \xE2\x80\xA6", ""})
        BOOST_TEST(cleaned(text) == text);
}

BOOST_AUTO_TEST_CASE(SUL_28_known_secrets_are_hidden_wherever_they_stand)
{
    std::vector<weft::secret_string> known;
    known.emplace_back("correct horse battery");
    known.emplace_back("abc");  // too short to tell anything
    const weft::secret_scrubber scrubber{std::move(known)};
    BOOST_TEST(scrubber.clean("it is 'correct horse battery', abc") == "it is '***', abc");
}

BOOST_AUTO_TEST_CASE(members_of_the_names_of_secrets_are_known_in_any_case)
{
    const weft::secret_scrubber scrubber;
    for (const char* const name : {"password", "API_KEY", "token", "client_secret"}) BOOST_TEST(scrubber.hides(name));
    for (const char* const name : {"tokens", "pass", "content", ""}) BOOST_TEST(!scrubber.hides(name));
}

BOOST_AUTO_TEST_CASE(a_long_text_takes_time_by_its_length)
{
    std::string long_text;
    while (long_text.size() < 200'000) long_text += "password password: sk- Bearer -----BEGIN PRIVATE ";
    BOOST_TEST(cleaned(long_text).size() > 100'000u);
}

BOOST_AUTO_TEST_SUITE_END()
