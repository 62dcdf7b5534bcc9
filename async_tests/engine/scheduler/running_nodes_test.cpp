#include <boost/test/unit_test.hpp>

#include "engine/scheduler/running_nodes.hpp"

using weft::parked_rule;
using weft::running_nodes;

BOOST_AUTO_TEST_SUITE(running_nodes_test)

BOOST_AUTO_TEST_CASE(a_parked_node_does_not_count_as_running)
{
    running_nodes nodes;
    BOOST_TEST(!nodes.are_parked());
    nodes.begin();
    nodes.begin();
    nodes.park();
    BOOST_TEST(nodes.running() == 1u);
    BOOST_TEST(nodes.parked() == 1u);
    BOOST_TEST(!nodes.are_parked());
    nodes.end();
    BOOST_TEST(nodes.are_parked());
    nodes.unpark();
    BOOST_TEST(!nodes.are_parked());
    BOOST_TEST(nodes.running() == 1u);
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_does_nothing_about_parked_nodes)
{
    BOOST_TEST(!running_nodes{}.is_rule_due());
}

BOOST_AUTO_TEST_CASE(a_run_that_pauses_does_so_each_time)
{
    running_nodes nodes;
    nodes.when_parked(parked_rule::pause);
    BOOST_TEST(nodes.is_rule_due());
    BOOST_TEST(nodes.apply_rule());
    BOOST_TEST(nodes.is_rule_due());
}

BOOST_AUTO_TEST_CASE(a_run_that_tells_does_so_once_until_a_node_goes_on)
{
    running_nodes nodes;
    nodes.when_parked(parked_rule::notify);
    nodes.begin();
    nodes.park();
    BOOST_TEST(nodes.is_rule_due());
    BOOST_TEST(!nodes.apply_rule());
    BOOST_TEST(!nodes.is_rule_due());
    nodes.unpark();
    BOOST_TEST(nodes.is_rule_due());
}

BOOST_AUTO_TEST_CASE(a_run_that_is_kept_awake_does_not_pause)
{
    running_nodes nodes;
    nodes.when_parked(parked_rule::pause);
    nodes.begin();
    nodes.park();
    nodes.keep_awake();
    nodes.keep_awake();
    BOOST_TEST(nodes.are_parked());
    BOOST_TEST(!nodes.is_rule_due());
    nodes.let_rest();
    BOOST_TEST(!nodes.is_rule_due());
    nodes.let_rest();
    BOOST_TEST(nodes.is_rule_due());
}

BOOST_AUTO_TEST_SUITE_END()
