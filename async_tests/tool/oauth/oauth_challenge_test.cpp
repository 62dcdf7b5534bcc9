#include <boost/test/unit_test.hpp>

#include "tool/oauth/oauth_challenge.hpp"

#include <string>

BOOST_AUTO_TEST_SUITE(oauth_challenge_test)

namespace {

/** What is read, with bars between; `none` if there is no challenge. */
std::string read(std::string_view header)
{
    const auto challenge = weft::oauth_challenge::read(header);
    if (!challenge) return "none";
    return challenge->error + "|" + challenge->scope + "|" + challenge->resource_metadata;
}

}  // namespace

BOOST_AUTO_TEST_CASE(M4_challenges_are_read_as_servers_write_them)
{
    BOOST_TEST(read(R"(Bearer resource_metadata="https://a.example/m", scope="a b", error="invalid_token")") ==
               "invalid_token|a b|https://a.example/m");
    BOOST_TEST(read("bearer ERROR=invalid_token,scope = \"a\"") == "invalid_token|a|");
    BOOST_TEST(read("Bearer") == "||");
    BOOST_TEST(read(R"(Basic realm="Bearer, error=\"x\"", Bearer error="e")") == "e||");
    BOOST_TEST(read(R"(Bearer error="first", error="second", Basic realm="r", scope="basic")") == "first||");
    BOOST_TEST(read("Negotiate YWJj==, Bearer error=e") == "e||");
    BOOST_TEST(read(R"(Bearer realm="a\"b", error="quo\\ted")") == R"(quo\ted||)");
    BOOST_TEST(read(R"(Bearer error_description="error=\"no\"", error=e)") == "e||");
    BOOST_TEST(read("") == "none");
    BOOST_TEST(read("Basic error=x") == "none");
    BOOST_TEST(read("=,\"Bearer\"") == "none");
}

BOOST_AUTO_TEST_CASE(M4_a_scope_that_is_none_is_left_out)
{
    BOOST_TEST(read("Bearer scope=\"a\\\\b\"") == "||");
    BOOST_TEST(read("Bearer scope=\" a\"") == "||");
    BOOST_TEST(read("Bearer scope=\"a  b\"") == "||");
    BOOST_TEST(weft::is_oauth_scope("mcp:tools read"));
    BOOST_TEST(!weft::is_oauth_scope("a\nb"));
    BOOST_TEST(!weft::is_oauth_scope("\xc3\xa9"));
}

BOOST_AUTO_TEST_CASE(M4_a_challenge_that_breaks_off_is_read_to_its_end)
{
    BOOST_TEST(read("Bearer error=\"inval") == "inval||");
    BOOST_TEST(read("Bearer error=\"inval\\") == "inval\\||");
    BOOST_TEST(read("Bearer error=") == "||");
    BOOST_TEST(read("Bearer error") == "||");
}

BOOST_AUTO_TEST_SUITE_END()
