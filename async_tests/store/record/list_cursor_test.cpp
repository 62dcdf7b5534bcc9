#include <boost/test/unit_test.hpp>

#include "store/record/list_cursor.hpp"

#include <weft/base/error.hpp>

BOOST_AUTO_TEST_SUITE(list_cursor_test)

using weft::list_cursor;

BOOST_AUTO_TEST_CASE(a_cursor_comes_back_from_its_text)
{
    for (const list_cursor& each :
         {list_cursor{0, 0, "", ""}, list_cursor{-5, 7, "a:b", "3:c"}, list_cursor{INT64_MAX, INT64_MIN, "", "ü"}})
        BOOST_TEST((list_cursor::parse(each.text()) == each), each.text());
}

BOOST_AUTO_TEST_CASE(a_text_that_is_no_cursor_is_refused)
{
    for (const char* text : {"", "1", "1:2", "1:2:", "1:2:9:short", "x:2:0:", "1:2:-1:a", "99999999999999999999:0:0:"})
        BOOST_CHECK_EXCEPTION(
            (void)list_cursor::parse(text), weft::error,
            [](const weft::error& e) { return e.code() == weft::errc::store_refused; });
}

BOOST_AUTO_TEST_SUITE_END()
