#include <boost/test/unit_test.hpp>

#include <weft/base/text/joined_text.hpp>

#include <array>
#include <set>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(joined_text_test)

BOOST_AUTO_TEST_CASE(the_texts_of_a_range_are_one)
{
    using weft::joined_text;
    BOOST_TEST(joined_text(std::vector<std::string>{"a", "b", "c"}) == "a, b, c");
    BOOST_TEST(joined_text(std::array<std::string_view, 2>{"a", "b"}, " | ") == "a | b");
    BOOST_TEST(joined_text(std::set<std::string>{"only"}) == "only");
    BOOST_TEST(joined_text(std::vector<std::string>{}) == "");
    BOOST_TEST(joined_text(std::vector<std::string>{"", "a", "", "b"}, "-") == "a--b");
}

BOOST_AUTO_TEST_SUITE_END()
