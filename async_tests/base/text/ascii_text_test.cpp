#include <weft/base/text/ascii_text.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(ascii_text_test)

BOOST_AUTO_TEST_CASE(blanks_at_both_ends_are_taken_off)
{
    BOOST_TEST(weft::trimmed(" \t\r\na b\t \n") == "a b");
    BOOST_TEST(weft::trimmed("a") == "a");
    BOOST_TEST(weft::trimmed(" \n") == "");
    BOOST_TEST(weft::trimmed("") == "");
    BOOST_TEST(weft::trimmed("\xc2\xa0" "a") == "\xc2\xa0" "a");
}

BOOST_AUTO_TEST_CASE(blank_is_what_has_nothing_else)
{
    BOOST_TEST(weft::is_blank(""));
    BOOST_TEST(weft::is_blank(" \t\r\n"));
    BOOST_TEST(!weft::is_blank(" . "));
    BOOST_TEST(!weft::is_blank("\v"));
}

BOOST_AUTO_TEST_CASE(only_letters_of_ascii_become_small)
{
    BOOST_TEST(weft::ascii_lower_case("AZaz09@[`{") == "azaz09@[`{");
    BOOST_TEST(weft::ascii_lower_case("\xc3\x84 X") == "\xc3\x84 x");
    BOOST_TEST(weft::ascii_lower_case("") == "");
}

BOOST_AUTO_TEST_SUITE_END()
