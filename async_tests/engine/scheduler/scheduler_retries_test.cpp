#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(scheduler_retries_test)

namespace {

weft::graph_builder flaky(weft::node_options options)
{
    weft::graph_builder builder{"flaky"};
    builder.state(value, total).node("a", [] {}, std::move(options)).node("b", [] {});
    builder.edge(weft::start, "a").edge("a", "b");
    return builder;
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_a_policy_a_node_is_tried_once)
{
    scheduler_script run{flaky({}).build()};
    run.begin();
    BOOST_TEST(run.fail("a") == "finish failed failed");
}

BOOST_AUTO_TEST_CASE(attempts_and_delays_follow_the_policy)
{
    scheduler_script run{flaky(tries(4)).build()};
    BOOST_TEST(run.begin() == "start a");
    BOOST_TEST(run.fail("a") == "wait a 1000");
    BOOST_TEST(run.due("a") == "start a");
    BOOST_TEST(run.where().branches[0].attempt == 2u);
    BOOST_TEST(run.fail("a") == "wait a 2000");
    BOOST_TEST(run.due("a") == "start a");
    BOOST_TEST(run.fail("a") == "wait a 4000");
    BOOST_TEST(run.due("a") == "start a");
    BOOST_TEST(run.fail("a") == "finish failed failed");
    BOOST_TEST(run.where().retries == 3u);
    BOOST_TEST(run.where().steps == 1u);
    BOOST_TEST(joined(run.path()) == "a");
}

BOOST_AUTO_TEST_CASE(HIV_51_a_retry_that_succeeds_leaves_the_run_clean_and_is_counted)
{
    scheduler_script run{flaky(tries(2)).build()};
    run.begin();
    run.fail("a");
    run.due("a");
    BOOST_TEST(run.ok("a") == "start b");
    BOOST_TEST(run.ok("b") == "finish finished clean");
    BOOST_TEST(run.where().retries == 1u);
}

BOOST_AUTO_TEST_CASE(an_attempt_knows_why_the_last_one_failed)
{
    scheduler_script run{flaky(tries(2)).build()};
    run.begin();
    run.fail("a", weft::errc::model_overloaded);
    run.due("a");
    BOOST_REQUIRE(run.where().branches[0].previous());
    BOOST_TEST((run.where().branches[0].previous()->code == weft::errc::model_overloaded));
}

BOOST_AUTO_TEST_CASE(every_visit_has_the_whole_budget)
{
    scheduler_script run{flaky(tries(2)).edge("b", "a").build()};
    run.begin();
    for (int visit = 1; visit <= 3; ++visit) {
        BOOST_TEST(run.fail("a") == "wait a 1000");
        BOOST_TEST(run.due("a") == "start a");
        BOOST_TEST(run.where().branches[0].attempt == 2u);
        BOOST_TEST(run.ok("a") == "start b");
        BOOST_TEST(run.ok("b") == "start a");
        BOOST_TEST(run.where().branches[0].attempt == 1u);
    }
}

BOOST_AUTO_TEST_CASE(errors_outside_retry_on_are_final)
{
    weft::node_options options = tries(3);
    options.retry.retry_on = {weft::errc::model_overloaded};
    const auto graph = flaky(options).build();
    scheduler_script worth_it{graph};
    worth_it.begin();
    BOOST_TEST(worth_it.fail("a", weft::errc::model_overloaded) == "wait a 1000");
    scheduler_script in_vain{graph};
    in_vain.begin();
    BOOST_TEST(in_vain.fail("a", weft::errc::model_rejected) == "finish failed failed");
}

BOOST_AUTO_TEST_CASE(a_node_may_say_that_trying_again_is_in_vain)
{
    scheduler_script run{flaky(tries(3)).build()};
    run.begin();
    BOOST_TEST(run.fail("a", weft::errc::node_failed, false) == "finish failed failed");
}

BOOST_AUTO_TEST_CASE(a_waiting_branch_leaves_its_place_in_flight_to_others)
{
    weft::graph_builder builder{"two"};
    builder.node("a", [] {}, tries(2)).node("b", [] {});
    builder.edge(weft::start, "a").edge(weft::start, "b");
    scheduler_script run{builder.build(), {.in_flight_max = 1}};
    BOOST_TEST(run.begin() == "start a");
    BOOST_TEST(run.fail("a") == "wait a 1000, start b");
    BOOST_TEST(run.due("a") == "");
    BOOST_TEST(run.ok("b") == "start a");
}

BOOST_AUTO_TEST_CASE(a_failing_sibling_ends_the_wait_for_a_retry)
{
    weft::graph_builder builder{"two"};
    builder.node("a", [] {}, tries(2)).node("b", [] {});
    builder.edge(weft::start, "a").edge(weft::start, "b");
    scheduler_script run{builder.build()};
    run.begin();
    BOOST_TEST(run.fail("a") == "wait a 1000");
    BOOST_TEST(run.fail("b") == "unwait a, finish failed failed");
    BOOST_TEST(run.scheduler().course().why()->node == "b");
}

BOOST_AUTO_TEST_SUITE_END()
