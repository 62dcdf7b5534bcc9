#include "serve/wire/checkpoint_text.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(served_checkpoint_text_test)

using weft::serve_detail::checkpoint_number;
using weft::serve_detail::checkpoint_text;

BOOST_AUTO_TEST_CASE(ids_of_checkpoints_are_in_order_as_texts)
{
    BOOST_TEST(checkpoint_text(9) == "0000000009");
    BOOST_TEST(checkpoint_text(9) < checkpoint_text(10));
    BOOST_TEST(checkpoint_text(12345678901) == "12345678901");
}

BOOST_AUTO_TEST_CASE(an_id_is_read_with_its_zeros_and_without)
{
    BOOST_TEST(checkpoint_number("0000000012").value() == 12);
    BOOST_TEST(checkpoint_number("12").value() == 12);
    BOOST_TEST(checkpoint_number("0000000000").value() == 0);
    for (const char* const none : {"", "-1", "1x", " 1", "99999999999999999999"}) BOOST_TEST(!checkpoint_number(none));
}

BOOST_AUTO_TEST_SUITE_END()
