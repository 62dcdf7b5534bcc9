#include <boost/test/unit_test.hpp>

#include "engine/scheduler/action_queue.hpp"

using weft::action;

BOOST_AUTO_TEST_SUITE(action_queue_test)

BOOST_AUTO_TEST_CASE(actions_come_out_in_the_order_in_which_they_were_pushed)
{
    weft::action_queue queue{false};
    BOOST_TEST(queue.is_empty());
    queue.push(action::kind::wait, 3, std::chrono::seconds{2});
    queue.push(action::kind::stop_node, 1);
    const action first = queue.take();
    BOOST_TEST((first.what == action::kind::wait));
    BOOST_TEST(first.branch == 3u);
    BOOST_TEST((first.delay == std::chrono::seconds{2}));
    queue.push(action::kind::finish, weft::no_index);
    BOOST_TEST((queue.take().what == action::kind::stop_node));
    BOOST_TEST((queue.take().what == action::kind::finish));
    BOOST_TEST(queue.is_empty());
}

BOOST_AUTO_TEST_CASE(an_empty_queue_is_used_again)
{
    weft::action_queue queue{false};
    for (weft::branch_index branch = 0; branch < 3; ++branch) {
        queue.push(action::kind::stop_node, branch);
        BOOST_TEST(queue.take().branch == branch);
        BOOST_TEST(queue.is_empty());
    }
}

BOOST_AUTO_TEST_CASE(notices_are_queued_only_once_they_are_wanted)
{
    weft::action_queue queue{false};
    queue.notify(action::notice_kind::node_skipped, 0, 2);
    queue.notify_edge(0, 2, 3, 7);
    BOOST_TEST(queue.is_empty());
    queue.give_notices();
    queue.notify(action::notice_kind::node_retried, 0, 2, 4);
    queue.notify_edge(0, 2, 3, 7);
    BOOST_TEST(queue.take().number == 4u);
    const action edge = queue.take();
    BOOST_TEST((edge.what == action::kind::notice));
    BOOST_TEST((edge.notice == action::notice_kind::edge_taken));
    BOOST_TEST(edge.source == 2u);
    BOOST_TEST(edge.node == 3u);
    BOOST_TEST(edge.edge == 7u);
}

BOOST_AUTO_TEST_SUITE_END()
