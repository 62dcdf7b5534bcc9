#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

using namespace weft_tests;
using weft::conflict_strategy;
using weft::state_update;

BOOST_AUTO_TEST_SUITE(scheduler_conflicts_test)

namespace {

weft::graph_builder two_writers() { return plain_graph("abcj", "^a ab ac bj cj"); }

/** Runs a -> (b, c) -> j: c finishes before b and writes 3, b writes 2. */
struct c_before_b : scheduler_script {
    explicit c_before_b(const weft::graph& graph) : scheduler_script{graph}
    {
        begin();
        ok("a");
        ok("c", state_update{}.set(value, 3));
        ok("b", state_update{}.set(value, 2));
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(last_wins_is_the_default)
{
    BOOST_TEST(c_before_b(two_writers().build()).state().get(value) == 2);
}

BOOST_AUTO_TEST_CASE(first_wins_keeps_what_the_first_to_finish_wrote)
{
    BOOST_TEST(c_before_b(two_writers().conflict(conflict_strategy::first_wins).build()).state().get(value) == 3);
}

BOOST_AUTO_TEST_CASE(branch_order_takes_the_last_branch_whatever_the_timing)
{
    BOOST_TEST(c_before_b(two_writers().conflict(conflict_strategy::branch_order).build()).state().get(value) == 3);
}

BOOST_AUTO_TEST_CASE(error_fails_the_branch_that_finishes_later_and_names_both)
{
    c_before_b run{two_writers().conflict(conflict_strategy::error).build()};
    BOOST_TEST((run.scheduler().course().status() == weft::run_status::failed));
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::write_conflict));
    const std::string& message = run.scheduler().course().why()->message;
    for (const char* part : {"'value'", "'b'", "'c'"}) BOOST_TEST(message.find(part) != std::string::npos, message);
}

BOOST_AUTO_TEST_CASE(error_is_a_failure_of_one_branch_for_the_policy)
{
    c_before_b run{two_writers()
                       .conflict(conflict_strategy::error)
                       .fan_out("a", {.on_failure = weft::branch_policy::wait_all})
                       .build()};
    const auto branches = run.branches("j");
    BOOST_TEST((branches[0].status == weft::branch_status::failed));
    BOOST_TEST((branches[1].status == weft::branch_status::succeeded));
    BOOST_TEST(run.state().get(value) == 3);
}

BOOST_AUTO_TEST_CASE(different_keys_do_not_conflict)
{
    scheduler_script run{two_writers().conflict(conflict_strategy::error).build()};
    run.begin();
    run.ok("a");
    run.ok("b", state_update{}.set(value, 1));
    BOOST_TEST(run.ok("c", state_update{}.set(other, 2)) == "start j");
}

BOOST_AUTO_TEST_CASE(keys_with_a_reducer_never_conflict)
{
    for (const auto strategy : {conflict_strategy::error, conflict_strategy::first_wins,
                                conflict_strategy::last_wins, conflict_strategy::branch_order}) {
        scheduler_script run{two_writers().conflict(strategy).build()};
        run.begin();
        run.ok("a", state_update{}.set(total, 1));
        run.ok("c", state_update{}.set(total, 10));
        BOOST_TEST(run.ok("b", state_update{}.set(total, 100)) == "start j");
        BOOST_TEST(run.state().get(total) == 111);
    }
}

BOOST_AUTO_TEST_CASE(P14_reducers_join_in_branch_order_unless_the_key_or_the_fan_out_says_otherwise)
{
    const auto lines_of = [](const weft::graph_builder& builder) {
        scheduler_script run{builder.build()};
        run.begin();
        run.ok("a");
        run.ok("c", state_update{}.set(words, "c"));
        run.ok("b", state_update{}.set(words, "b"));
        std::string line;
        for (const std::string& word : run.state().get(words)) line += word;
        return line;
    };
    BOOST_TEST(lines_of(two_writers()) == "bc");
    BOOST_TEST(lines_of(two_writers().conflict(conflict_strategy::error)) == "bc");
    BOOST_TEST(lines_of(two_writers().conflict(conflict_strategy::branch_order)) == "bc");
    BOOST_TEST(lines_of(two_writers().conflict(words, conflict_strategy::last_wins)) == "cb");
    BOOST_TEST(lines_of(two_writers().fan_out("a", {.conflict = conflict_strategy::last_wins})) == "cb");
}

BOOST_AUTO_TEST_CASE(the_fan_out_comes_before_the_graph_and_the_key_before_both)
{
    const auto builder = [] {
        return two_writers()
            .conflict(conflict_strategy::error)
            .fan_out("a", {.conflict = conflict_strategy::first_wins});
    };
    BOOST_TEST(c_before_b(builder().build()).state().get(value) == 3);
    BOOST_TEST(c_before_b(builder().conflict(value, conflict_strategy::last_wins).build()).state().get(value) == 2);
}

BOOST_AUTO_TEST_CASE(siblings_do_not_see_each_others_writes_and_both_see_what_was_before)
{
    scheduler_script run{two_writers().build()};
    run.begin();
    run.ok("a", state_update{}.set(value, 1).set(total, 5));
    run.ok("b", state_update{}.set(value, 2).set(total, 1));
    const std::uint32_t slot = run.state().layout().find("value");
    const std::uint32_t sum = run.state().layout().find("total");
    for (weft::branch_index t = 1; t < run.where().branches.size(); ++t) {
        if (run.where().branches[t].phase != weft::branch_phase::running) continue;
        BOOST_TEST(weft::unboxed<std::int64_t>(*run.scheduler().view_of(t).read(slot)) == 1);
        BOOST_TEST(weft::unboxed<std::int64_t>(*run.scheduler().view_of(t).read(sum)) == 5);
    }
    BOOST_TEST(run.state().get(value) == 1);
}

BOOST_AUTO_TEST_CASE(a_branch_of_several_nodes_sees_its_own_writes)
{
    scheduler_script run{plain_graph("abcdj", "^a ab ac bd dj cj").build()};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.ok("b", state_update{}.set(value, 2).set(total, 1)) == "start d");
    const std::uint32_t slot = run.state().layout().find("value");
    bool was_seen = false;
    for (weft::branch_index t = 1; t < run.where().branches.size(); ++t) {
        if (run.where().branches[t].region == weft::no_index || run.where().branches[t].branch != 0) continue;
        was_seen = weft::unboxed<std::int64_t>(*run.scheduler().view_of(t).read(slot)) == 2;
    }
    BOOST_TEST(was_seen);
    BOOST_TEST(!run.state().find(value));
    run.ok("d", state_update{}.set(total, 1));
    run.ok("c");
    BOOST_TEST(run.state().get(value) == 2);
    BOOST_TEST(run.state().get(total) == 2);
}

BOOST_AUTO_TEST_CASE(the_writes_of_a_failed_branch_are_dropped)
{
    scheduler_script run{plain_graph("abcdj", "^a ab ac bd dj cj")
                             .fan_out("a", {.on_failure = weft::branch_policy::continue_others})
                             .build()};
    run.begin();
    run.ok("a");
    run.ok("b", state_update{}.set(value, 2).set(total, 1));
    run.fail("d");
    BOOST_TEST(run.ok("c", state_update{}.set(total, 10)) == "start j");
    BOOST_TEST(!run.state().find(value));
    BOOST_TEST(run.state().get(total) == 10);
}

BOOST_AUTO_TEST_CASE(an_inner_fan_out_merges_into_its_branch_and_not_into_the_run)
{
    // a -> (b, k) -> j, and b -> (c, d) -> e -> j.
    scheduler_script run{plain_graph("abcdejk", "^a ab ak bc bd ce de ej kj").build()};
    run.begin();
    run.ok("a");
    run.ok("b");
    run.ok("c", state_update{}.set(total, 1).set(value, 1));
    BOOST_TEST(run.ok("d", state_update{}.set(total, 2)) == "start e");
    BOOST_TEST(!run.state().find(total));
    run.ok("e", state_update{}.set(total, 4));
    BOOST_TEST(run.ok("k", state_update{}.set(total, 8)) == "start j");
    BOOST_TEST(run.state().get(total) == 15);
    BOOST_TEST(run.state().get(value) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
