#include "agent/conversation/relevance.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(relevance_test)

BOOST_AUTO_TEST_CASE(words_in_common_make_a_text_relevant)
{
    weft::recent_words recent;
    recent.add("The Harbour bridge needs painting.");
    BOOST_TEST(recent.irrelevance_of("harbour bridge, painting!") == 0.0);
    BOOST_TEST(recent.irrelevance_of("umbrellas were forgotten yesterday") == 1.0);
    // Half of the words are enough; a quarter is half relevant.
    BOOST_TEST(recent.irrelevance_of("bridge harbour umbrellas yesterday") == 0.0);
    BOOST_TEST(recent.irrelevance_of("bridge clouds umbrellas yesterday") == 0.5);
}

BOOST_AUTO_TEST_CASE(short_texts_and_short_words_tell_little)
{
    weft::recent_words recent;
    recent.add("bridge the it");
    BOOST_TEST(recent.irrelevance_of("bridge") == 0.8);
    BOOST_TEST(recent.irrelevance_of("") == 0.8);
    BOOST_TEST(recent.irrelevance_of("the it a of an to be") == 0.8);
    BOOST_TEST(weft::recent_words{}.irrelevance_of("something with words") == 1.0);
}

BOOST_AUTO_TEST_CASE(words_of_any_language_are_words)
{
    weft::recent_words recent;
    recent.add("Brücke über Köln");
    BOOST_TEST(recent.irrelevance_of("köln brücke über") == 0.0);
}

BOOST_AUTO_TEST_CASE(older_messages_can_better_be_done_without)
{
    BOOST_TEST(weft::dispensability(1, 1) == 1.0);
    BOOST_TEST(weft::dispensability(0, 0) == 0.0);
    BOOST_TEST(weft::dispensability(1, 0.5) > weft::dispensability(0.5, 0.5));
    BOOST_TEST(weft::dispensability(0.5, 1) > weft::dispensability(0.5, 0));
}

BOOST_AUTO_TEST_SUITE_END()
