#include <boost/test/unit_test.hpp>

#include "serve/run/heard_threads.hpp"

#include <vector>

BOOST_AUTO_TEST_SUITE(heard_threads_test)

using namespace weft::serve_detail;
using weft::store_notice;
using kind = store_notice::kind;
using heard_list = std::vector<heard_threads::heard>;

BOOST_AUTO_TEST_CASE(what_is_not_followed_is_not_kept)
{
    heard_threads heard;
    heard.add({kind::events, 1});
    heard.want(1);
    BOOST_TEST((heard.take() == heard_list{}));
    heard.add({kind::events, 1});
    heard.add({kind::events, 2});
    BOOST_TEST((heard.take() == heard_list{{1, false}}));
    heard.unwant(1);
    heard.add({kind::events, 1});
    BOOST_TEST((heard.take() == heard_list{}));
}

BOOST_AUTO_TEST_CASE(a_thread_is_told_once_with_all_that_was_heard)
{
    heard_threads heard;
    heard.want(1);
    heard.want(1);
    heard.unwant(1);  // another client follows it still
    heard.add({kind::events, 1});
    heard.add({kind::run, 1});
    heard.add({kind::events, 1});
    BOOST_TEST((heard.take() == heard_list{{1, true}}));
    BOOST_TEST((heard.take() == heard_list{}));
    heard.add({kind::events, 1});
    BOOST_TEST((heard.take() == heard_list{{1, false}}));
}

BOOST_AUTO_TEST_CASE(notices_that_may_be_of_any_thread_are_of_all)
{
    heard_threads heard;
    heard.want(1);
    heard.add(store_notice{});
    BOOST_TEST((heard.take() == heard_list{{1, true}}));
}

BOOST_AUTO_TEST_SUITE_END()
