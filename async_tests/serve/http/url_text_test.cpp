#include <boost/test/unit_test.hpp>

#include "serve/http/url_text.hpp"

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

BOOST_AUTO_TEST_CASE(a_text_is_escaped_as_a_segment_of_a_path)
{
    using weft::serve_detail::percent_encoded;
    BOOST_TEST(percent_encoded("aZ9-._~") == "aZ9-._~");
    const std::string all{"a/b?c#d e%\xc3\xa4\r\n"};
    BOOST_TEST(percent_encoded(all) == "a%2Fb%3Fc%23d%20e%25%C3%A4%0D%0A");
    BOOST_TEST(percent_decoded(percent_encoded(all)).value() == all);
}

BOOST_AUTO_TEST_CASE(values_of_a_query_are_found_by_name)
{
    constexpr std::string_view query = "a=1&b=x%26y&empty=&a=2&flag&c=%zz";
    BOOST_TEST(query_value(query, "a").value() == "1");
    BOOST_TEST(query_value(query, "b").value() == "x&y");
    BOOST_TEST(query_value(query, "empty").value() == "");
    BOOST_TEST(query_value(query, "flag").value() == "");
    BOOST_TEST(!query_value(query, "c"));
    BOOST_TEST(!query_value(query, "d"));
    BOOST_TEST(!query_value("", "a"));
    BOOST_TEST((query_values(query, "a") == std::vector<std::string>{"1", "2"}));
}

BOOST_AUTO_TEST_CASE(a_text_is_divided_at_commas)
{
    using weft::serve_detail::comma_separated;
    BOOST_TEST((comma_separated("a,bc,,d,") == std::vector<std::string>{"a", "bc", "d"}));
    BOOST_TEST(comma_separated(",").empty());
    BOOST_TEST(comma_separated("").empty());
}

BOOST_AUTO_TEST_SUITE_END()
