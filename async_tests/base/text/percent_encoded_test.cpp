#include <boost/test/unit_test.hpp>

#include <weft/base/text/percent_encoded.hpp>

BOOST_AUTO_TEST_SUITE(percent_encoded_test)

BOOST_AUTO_TEST_CASE(a_text_becomes_one_piece_of_a_url)
{
    BOOST_TEST(weft::percent_encoded("aZ9-._~") == "aZ9-._~");
    BOOST_TEST(weft::percent_encoded("a/b?c#d e%\xc3\xa4\r\n") == "a%2Fb%3Fc%23d%20e%25%C3%A4%0D%0A");
    BOOST_TEST(weft::percent_encoded("").empty());
}

BOOST_AUTO_TEST_SUITE_END()
