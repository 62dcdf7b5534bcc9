#include <boost/test/unit_test.hpp>

#include "serve/http/url_text.hpp"

#include <weft/net/server/http_error.hpp>

#include <string_view>

BOOST_AUTO_TEST_SUITE(url_text_test)

using weft::serve_detail::percent_decoded;
using weft::serve_detail::query_value;
using weft::serve_detail::query_values;

BOOST_AUTO_TEST_CASE(escapes_are_decoded)
{
    BOOST_TEST(percent_decoded("a%2Fb%c3%A4").value() == "a/b\xc3\xa4");
    BOOST_TEST(percent_decoded("a+b").value() == "a+b");
    BOOST_TEST(percent_decoded("a+b", true).value() == "a b");
    for (const char* const broken : {"%", "%2", "%2g", "%g2", "a%", "%00"}) BOOST_TEST(!percent_decoded(broken));
}

BOOST_AUTO_TEST_CASE(values_of_a_query_are_found_by_name)
{
    constexpr std::string_view query = "a=1&b=x%26y&empty=&a=2&flag&c=%zz";
    BOOST_TEST(query_value(query, "a").value() == "1");
    BOOST_TEST(query_value(query, "b").value() == "x&y");
    BOOST_TEST(query_value(query, "empty").value() == "");
    BOOST_TEST(query_value(query, "flag").value() == "");
    BOOST_TEST(!query_value(query, "d"));
    BOOST_TEST(!query_value("", "a"));
    BOOST_TEST((query_values(query, "a") == std::vector<std::string>{"1", "2"}));
}

BOOST_AUTO_TEST_CASE(a_value_that_cannot_be_decoded_is_refused_with_its_name)
{
    for (const char* const broken : {"a=1&c=%zz", "c=%00Y", "c=%"}) {
        const auto is_named = [](const weft::http_error& refused) {
            return refused.status() == 422 && std::string_view{refused.what()}.starts_with("query.c: ");
        };
        BOOST_CHECK_EXCEPTION(static_cast<void>(query_value(broken, "c")), weft::http_error, is_named);
    }
    BOOST_TEST(query_value("%zz=1&c=2", "c").value() == "2");
}

BOOST_AUTO_TEST_CASE(a_text_is_divided_at_commas)
{
    using weft::serve_detail::comma_separated;
    BOOST_TEST((comma_separated("a,bc,,d,") == std::vector<std::string>{"a", "bc", "d"}));
    BOOST_TEST(comma_separated(",").empty());
    BOOST_TEST(comma_separated("").empty());
}

BOOST_AUTO_TEST_SUITE_END()
