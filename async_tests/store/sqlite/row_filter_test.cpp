#ifdef WEFT_HAS_SQLITE

#include "store/sqlite/sql/row_filter.hpp"

#include <weft/base/error.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(row_filter_test)

using weft::sqlite_detail::row_filter;

BOOST_AUTO_TEST_CASE(a_row_has_what_the_filter_has)
{
    const row_filter filter{R"({"user": {"team": "blue"}, "tags": ["new"], "age": 4})"};
    BOOST_TEST(filter.is_in(R"({"age": 4.0, "tags": ["old", "new"], "user": {"team": "blue", "name": "Ada"}})"));
    BOOST_TEST(!filter.is_in(R"({"age": 5, "tags": ["new"], "user": {"team": "blue"}})"));
    BOOST_TEST(!filter.is_in(R"({"age": 4, "tags": ["new"], "user": {"team": "red"}, "blue": 1})"));
    BOOST_TEST(!filter.is_in(R"({"age": 4, "tags": ["new"], "user": {"team": "blues"}})"));
    BOOST_TEST(!filter.is_in("{}"));
    BOOST_TEST(!filter.is_in("no JSON"));
}

BOOST_AUTO_TEST_CASE(words_that_are_written_with_escapes_are_found)
{
    const row_filter plain{R"({"team": "blue"})"};
    BOOST_TEST(plain.is_in(R"({"t\u0065am": "bl\u0075e"})"));
    const row_filter quoted{R"({"say": "a \"word\" or\ttwo \\"})"};
    BOOST_TEST(quoted.is_in(R"({"say": "a \u0022word\" or\u0009two \\"})"));
    BOOST_TEST(!quoted.is_in(R"({"say": "a word or two"})"));
    const row_filter foreign{R"({"ort": "M\u00fcnchen"})"};
    BOOST_TEST(foreign.is_in("{\"ort\": \"M\xc3\xbcnchen\"}"));
    BOOST_TEST(foreign.is_in(R"({"ort": "M\u00fcnchen"})"));
}

BOOST_AUTO_TEST_CASE(a_filter_that_is_no_json_is_refused)
{
    BOOST_CHECK_THROW(row_filter{"{"}, weft::error);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
