#include <boost/test/unit_test.hpp>

#include "engine/run/node_run.hpp"

BOOST_AUTO_TEST_SUITE(node_run_test)

BOOST_AUTO_TEST_CASE(questions_and_effects_of_a_visit_are_counted_by_name)
{
    weft::visit_places places{"plan#2"};
    BOOST_TEST(places.address() == "plan#2");
    BOOST_TEST(places.next("charge") == "plan#2/charge#0");
    BOOST_TEST(places.next("mail") == "plan#2/mail#0");
    BOOST_TEST(places.next("charge") == "plan#2/charge#1");
    BOOST_TEST(places.next("charge") == "plan#2/charge#2");
    BOOST_TEST(places.next("mail") == "plan#2/mail#1");
}

BOOST_AUTO_TEST_CASE(a_visit_only_waits_while_it_has_questions_and_no_effect)
{
    weft::visit_places places{"plan#1"};
    BOOST_TEST(!places.only_waits());
    places.questions = 2;
    BOOST_TEST(places.only_waits());
    places.effects = 1;
    BOOST_TEST(!places.only_waits());
    places.effects = 0;
    places.questions = 0;
    BOOST_TEST(!places.only_waits());
}

BOOST_AUTO_TEST_SUITE_END()
