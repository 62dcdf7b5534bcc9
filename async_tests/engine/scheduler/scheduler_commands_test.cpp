#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

using namespace weft_tests;
using weft::command;

BOOST_AUTO_TEST_SUITE(scheduler_commands_test)

BOOST_AUTO_TEST_CASE(go_to_beats_the_edges)
{
    scheduler_script run{plain_graph("abc", "^a ab bc").build()};
    run.begin();
    BOOST_TEST(run.answer("a", command::go_to("c")) == "start c");
    BOOST_TEST(run.ok("c") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(go_to_the_end_ends)
{
    scheduler_script run{plain_graph("ab", "^a ab").build()};
    run.begin();
    BOOST_TEST(run.answer("a", command::go_to(std::string{weft::end})) == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(go_to_an_unknown_node_fails_the_node)
{
    for (const char* name : {"x", "__start__"}) {
        scheduler_script run{plain_graph("ab", "^a ab").build()};
        run.begin();
        BOOST_TEST(run.answer("a", command::go_to(name)) == "finish failed failed");
        BOOST_TEST((run.scheduler().course().why()->code == weft::errc::unknown_node));
        BOOST_TEST(run.scheduler().course().why()->message.find("'" + std::string{name} + "'") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(go_to_an_unknown_node_may_be_handled_by_a_failure_edge)
{
    scheduler_script run{plain_graph("ab", "^a").edge_on_failure("a", "b").build()};
    run.begin();
    BOOST_TEST(run.answer("a", command::go_to("x")) == "start b");
}

BOOST_AUTO_TEST_CASE(end_ends_the_run_whatever_the_edges_say)
{
    scheduler_script run{plain_graph("ab", "^a ab").build()};
    run.begin();
    BOOST_TEST(run.answer("a", command::end()) == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(end_in_a_branch_ends_the_branch_and_the_join_still_runs)
{
    scheduler_script run{plain_graph("abcdj", "^a ab ac bd dj cj").build()};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b, start c");
    BOOST_TEST(run.answer("b", command::end()) == "");
    BOOST_TEST(run.ok("c") == "start j");
    BOOST_TEST(run.ok("j") == "finish finished clean");
    BOOST_TEST(joined(run.path()) == "a b c j");
}

BOOST_AUTO_TEST_CASE(again_is_a_new_visit)
{
    scheduler_script run{plain_graph("ab", "^a ab").build()};
    run.begin();
    BOOST_TEST(run.answer("a", command::again()) == "start a");
    BOOST_TEST(run.where().branches[0].visit == 2u);
    BOOST_TEST(run.where().branches[0].attempt == 1u);
    BOOST_TEST(run.ok("a") == "start b");
    BOOST_TEST(run.where().steps == 3u);
}

BOOST_AUTO_TEST_CASE(fail_takes_the_failure_edge_and_keeps_the_reason)
{
    scheduler_script run{plain_graph("ab", "^a").edge_on_failure("a", "b").build()};
    run.begin();
    BOOST_TEST(run.answer("a", command::fail("the judge said no")) == "start b");
    const auto& why = run.where().branches[0].previous();
    BOOST_TEST(why->message.find("the judge said no") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(updates_come_with_the_command)
{
    scheduler_script run{plain_graph("abc", "^a ab bc").build()};
    run.begin();
    run.answer("a", command::go_to("c"), weft::state_update{}.set(value, 7));
    BOOST_TEST(run.state().get(value) == 7);
}

BOOST_AUTO_TEST_CASE(go_to_the_join_ends_the_branch)
{
    scheduler_script run{plain_graph("abcdj", "^a ab ac bd dj cj").build()};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.answer("b", command::go_to("j")) == "");
    BOOST_TEST(run.ok("c") == "start j");
}

BOOST_AUTO_TEST_CASE(go_to_the_join_of_the_outer_fan_out_leaves_the_inner_one)
{
    // a -> (b, k); b -> (c, d) -> e -> j; k -> j. c jumps to j, so that e runs for d alone.
    scheduler_script run{plain_graph("abcdejk", "^a ab ak bc bd ce de ej kj").build()};
    run.begin();
    run.ok("a");
    run.ok("k");
    BOOST_TEST(run.ok("b") == "start c, start d");
    BOOST_TEST(run.answer("c", command::go_to("j")) == "");
    BOOST_TEST(run.ok("d") == "start e");
    BOOST_TEST(run.ok("e") == "start j");
    BOOST_TEST(run.ok("j") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(a_reducer_that_throws_fails_the_node)
{
    struct picky {
        using update_type = std::int64_t;
        static void apply(std::int64_t&, const std::int64_t&) { throw std::runtime_error{"too picky"}; }
    };
    static constexpr weft::state_key<std::int64_t, picky> picked{"picked"};
    scheduler_script run{graph_of("ab").state(picked).edge(weft::start, "a").edge_on_failure("a", "b").build()};
    run.begin();
    BOOST_TEST(run.ok("a", weft::state_update{}.set(picked, 1)) == "start b");
    BOOST_TEST(run.where().branches[0].previous()->message.find("too picky") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
