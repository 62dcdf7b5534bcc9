#include <weft/graph/node/event_question.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(event_question_test)

BOOST_AUTO_TEST_CASE(a_question_for_an_event_is_known_by_its_address)
{
    const weft::question asked = weft::question_for_event("order.paid-1");
    BOOST_TEST(asked.fault() == "");
    BOOST_TEST(weft::event_at("outer#1/wait#2/" + asked.name + "#0") == "order.paid-1");
    BOOST_TEST(weft::event_at("event:x#0") == "x");
    for (const char* other : {"wait#1/ask#0", "event:x#1/ask#0", "", "#", "a/b"})
        BOOST_TEST(weft::event_at(other) == "");
}

BOOST_AUTO_TEST_CASE(names_of_events_fit_into_addresses)
{
    for (const char* name : {"a", "paid", "order.paid_1-x"}) BOOST_TEST(weft::is_event_name(name));
    for (const char* name : {"", "a b", "a/b", "a#b", "a:b", "\xc3\xa4"}) BOOST_TEST(!weft::is_event_name(name));
    BOOST_TEST(weft::is_event_name(std::string(64, 'x')));
    BOOST_TEST(!weft::is_event_name(std::string(65, 'x')));
}

BOOST_AUTO_TEST_SUITE_END()
