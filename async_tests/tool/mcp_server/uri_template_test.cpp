#include "tool/mcp_server/uri_template.hpp"

#include <weft/base/error.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(uri_template_test)

using weft::mcp_detail::uri_template;

std::string matched(std::string_view form, std::string_view uri)
{
    const auto parts = uri_template{form}.match(uri);
    return parts ? boost::json::serialize(*parts) : std::string{"no"};
}

BOOST_AUTO_TEST_CASE(an_address_is_of_the_family_or_not)
{
    BOOST_TEST(matched("test://template/{id}/data", "test://template/123/data") == R"({"id":"123"})");
    BOOST_TEST(matched("test://template/{id}/data", "test://template//data") == "no");
    BOOST_TEST(matched("test://template/{id}/data", "test://template/1/2/data") == "no");
    BOOST_TEST(matched("test://template/{id}/data", "test://template/1/data/more") == "no");
    BOOST_TEST(matched("test://template/{id}/data", "other://template/1/data") == "no");
    BOOST_TEST(matched("file:///{name}.{ending}", "file:///a.txt") == R"({"name":"a","ending":"txt"})");
    BOOST_TEST(matched("x:{all}", "x:") == "no");
    BOOST_TEST(matched("x:{all}", "x:y") == R"({"all":"y"})");
}

BOOST_AUTO_TEST_CASE(a_template_that_is_none_is_refused)
{
    for (const char* const wrong : {"x:y", "x:{}", "x:{a", "x:a}", "x:{a}{b}", "x:{a}/{a}", "x:{a{b}"})
        BOOST_CHECK_THROW(uri_template{wrong}, weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
