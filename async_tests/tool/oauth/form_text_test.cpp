#include <boost/test/unit_test.hpp>

#include "tool/oauth/form_text.hpp"

BOOST_AUTO_TEST_SUITE(form_text_test)

using namespace weft::tool_detail;

BOOST_AUTO_TEST_CASE(M4_fields_come_back_as_they_were_written)
{
    std::string all;
    for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
    const form_fields fields{{"a", all}, {"b c", ""}, {"", "x&y=z"}};
    BOOST_TEST((read_form(form_text(fields), 3) == fields));
    BOOST_TEST(!read_form(form_text(fields), 2));
}

BOOST_AUTO_TEST_CASE(M4_forms_of_others_are_read_as_browsers_read_them)
{
    const auto read = read_form("a=1+2&&b&c=%4a%4B%zz%4&d==", 9).value();
    const form_fields wanted{{"a", "1 2"}, {"b", ""}, {"c", "JK%zz%4"}, {"d", "="}};
    BOOST_TEST((read == wanted));
    BOOST_TEST(read_form("", 0).value().empty());
}

BOOST_AUTO_TEST_SUITE_END()
