#include <boost/test/unit_test.hpp>

#include "engine/scheduler/restart_point.hpp"
#include "graph/graphs.hpp"

using namespace weft_tests;
using weft::restart_point;
using weft::branch_phase;

BOOST_AUTO_TEST_SUITE(restart_point_test)

namespace {

/** A run whose only branch is at `a`. */
struct run_at_a {
    run_at_a()
        : graph{plain_graph("ab", "^a ab").build()},
          branches{graph, weft::frontier{weft::state{graph.layout()}}}, restart{branches, {}}
    {
        weft::run_branch& t = branches[branches.add()];
        t.node = graph.find("a");
        t.phase = branch_phase::running;
        t.visit = t.attempt = 2;
    }
    [[nodiscard]] weft::write_set write(std::int64_t number) const
    {
        weft::write_set writes;
        writes.push_back({graph.layout()->find("total"), false, false, weft::make_box<std::int64_t>(number)});
        return writes;
    }

    weft::graph graph;
    weft::branch_table branches;
    restart_point restart;
};

}  // namespace

BOOST_AUTO_TEST_CASE(it_is_left_for_a_save_or_if_it_is_wanted)
{
    run_at_a run;
    BOOST_TEST(!run.restart.is_left());
    run.restart.leave();
    BOOST_TEST(run.restart.is_left());
    weft::schedule_limits limits;
    limits.saves_end = true;
    restart_point for_save{run.branches, limits};
    BOOST_TEST(for_save.is_left());
    for_save.forget_save();
    BOOST_TEST(!for_save.is_left());
}

BOOST_AUTO_TEST_CASE(a_cancelled_run_goes_on_where_it_was)
{
    run_at_a run;
    BOOST_TEST(&run.restart.to_save() == &run.branches.where());
    run.restart.mark();
    static_cast<void>(run.branches.release(0));
    BOOST_TEST((run.restart.to_save().branches[0].phase == branch_phase::running));
    const auto kept = run.restart.take();
    BOOST_TEST_REQUIRE(kept);
    BOOST_TEST(kept->branches[0].node == run.graph.find("a"));
}

BOOST_AUTO_TEST_CASE(what_was_published_during_a_stop_is_part_of_it)
{
    run_at_a run;
    run.restart.add_published(0, run.write(1));  // before the stop nothing is kept
    run.restart.mark();
    run.restart.add_published(0, run.write(20));
    BOOST_TEST(run.restart.to_save().root->root().get(total) == 20);
    BOOST_TEST(!run.branches.where().root->root().find(total));
}

BOOST_AUTO_TEST_CASE(a_failed_visit_begins_again_with_all_its_attempts)
{
    run_at_a run;
    mark_broken_off(run.branches[0]);
    BOOST_TEST((run.branches[0].phase == branch_phase::broken_off));
    run.restart.mark_failed();
    const auto kept = run.restart.take();
    BOOST_TEST((kept->branches[0].phase == branch_phase::ready));
    BOOST_TEST(kept->branches[0].visit == 2u);
    BOOST_TEST(kept->branches[0].attempt == 0u);
    BOOST_TEST(kept->branches[0].is_counted);
}

BOOST_AUTO_TEST_CASE(a_branch_that_failed_behind_its_node_chooses_again)
{
    run_at_a run;
    run.branches[0].phase = branch_phase::choosing;
    mark_broken_off(run.branches[0]);
    run.restart.mark_failed();
    BOOST_TEST((run.restart.take()->branches[0].phase == branch_phase::choosing));
}

BOOST_AUTO_TEST_CASE(what_is_noted_during_a_stop_is_kept_with_it)
{
    run_at_a run;
    run.restart.mark();
    run.restart.note_elapsed(std::chrono::seconds{3});
    run.restart.note_inner(0, std::make_shared<const weft::frontier>(weft::state{run.graph.layout()}));
    BOOST_TEST((run.branches.where().extras->elapsed == std::chrono::seconds{3}));
    BOOST_TEST((run.restart.to_save().extras->elapsed == std::chrono::seconds{3}));
    BOOST_TEST(run.restart.to_save().inner_of(0));
    run.restart.note_inner(0, nullptr);
    BOOST_TEST(!run.restart.to_save().inner_of(0));
    BOOST_TEST(!run.branches.where().inner_of(0));
}

BOOST_AUTO_TEST_CASE(unfinished_nodes_are_those_under_way_or_broken_off)
{
    run_at_a run;
    BOOST_TEST((nodes_under_way(run.branches.where()) == std::vector{run.graph.find("a")}));
    BOOST_TEST(nodes_broken_off(run.graph, run.branches.where()).empty());
    mark_broken_off(run.branches[0]);
    BOOST_TEST(nodes_under_way(run.branches.where()).empty());
    BOOST_TEST((nodes_broken_off(run.graph, run.branches.where()) == std::vector{run.graph.find("a")}));
}

BOOST_AUTO_TEST_SUITE_END()
