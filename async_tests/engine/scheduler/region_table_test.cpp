#include <boost/test/unit_test.hpp>

#include "engine/scheduler/fan_out_plan.hpp"
#include "engine/scheduler/region_table.hpp"
#include "graph/graphs.hpp"

using namespace weft_tests;
using weft::branch_status;
using weft::region_index;
using weft::branch_index;

BOOST_AUTO_TEST_SUITE(region_table_test)

namespace {

/** `a` fans out to `b`, `c` and `d`, which meet in `j`; the first branch of the run stands at `a`. */
struct fan_out_at_a {
    explicit fan_out_at_a(weft::fan_out_options options = {})
        : graph{plain_graph("abcdj", "^a ab ac ad bj cj dj").fan_out("a", std::move(options)).build()},
          branches{graph, weft::frontier{weft::state{graph.layout()}}}, regions{branches}
    {
        branches[branches.add()].node = graph.find("a");
        at = open();
    }
    region_index open()
    {
        const region_index opened = regions.add(0);
        plan_branches(graph, regions[opened], {graph.find("b"), graph.find("c"), graph.find("d")}, false);
        regions.open(opened, 64);
        return opened;
    }
    void succeed(branch_index branch) { regions.end_branch(branch, branch_status::succeeded, nullptr, false); }
    void write(branch_index branch, std::int64_t number)
    {
        weft::write_set writes;
        const std::uint32_t slot = graph.layout()->find("total");
        writes.push_back({slot, false, false, weft::make_box<std::int64_t>(number)});
        branches.own_state_of(branch).commit(std::move(writes));
    }

    weft::graph graph;
    weft::branch_table branches;
    weft::region_table regions;
    region_index at;
};

}  // namespace

BOOST_AUTO_TEST_CASE(branches_begin_in_their_order_and_the_region_settles_when_all_have_ended)
{
    fan_out_at_a run;
    std::vector<branch_index> begun;
    while (run.regions.next_to_start() != weft::no_index) {
        const weft::node_index next = run.regions.next_first_node();
        begun.push_back(run.regions.begin_branch(run.regions.next_to_start()));
        BOOST_TEST(run.regions[run.at].first_node_of(run.branches[begun.back()].branch) == next);
    }
    BOOST_TEST((begun == std::vector<branch_index>{1, 2, 3}));
    BOOST_TEST(run.regions.next_first_node() == weft::no_node);
    for (const branch_index branch : begun) {
        BOOST_TEST(!run.regions.is_settled(run.at));
        run.succeed(branch);
    }
    BOOST_TEST(run.regions.is_settled(run.at));
    BOOST_TEST(run.regions[run.at].succeeded == 3u);
}

BOOST_AUTO_TEST_CASE(a_narrow_fan_out_begins_a_branch_when_another_has_ended)
{
    fan_out_at_a run{{.concurrency_max = 1}};
    const branch_index first = run.regions.begin_branch(run.regions.next_to_start());
    BOOST_TEST(run.regions.next_to_start() == weft::no_index);
    run.succeed(first);
    BOOST_TEST(run.regions.next_to_start() == run.at);
}

BOOST_AUTO_TEST_CASE(the_oldest_fan_out_starts_first_and_after_a_save_the_one_of_the_lowest_number)
{
    fan_out_at_a run;
    const region_index second = run.open();
    BOOST_TEST(run.regions.next_to_start() == run.at);
    run.regions.release(run.at);
    BOOST_TEST(run.regions.next_to_start() == second);
    const region_index third = run.open();  // in the slot of the first
    BOOST_TEST(third == run.at);
    BOOST_TEST(run.regions.next_to_start() == second);
    run.regions.sort();
    BOOST_TEST(run.regions.next_to_start() == third);
}

BOOST_AUTO_TEST_CASE(a_join_merges_what_branches_wrote_that_succeeded)
{
    fan_out_at_a run;
    for (std::int64_t number : {1, 20, 300}) run.write(run.regions.begin_branch(run.at), number);
    run.succeed(1);
    run.regions.end_branch(2, branch_status::stopped, nullptr, false);
    run.succeed(3);
    const auto ended = run.regions.join(run.at);
    BOOST_TEST(run.branches.where().root->root().get(total) == 301);
    BOOST_TEST((ended->results().at(0).status == branch_status::succeeded));
    BOOST_TEST((ended->results().at(1).status == branch_status::stopped));
}

BOOST_AUTO_TEST_CASE(what_a_stopped_branch_wrote_joins_if_the_whole_run_is_stopped)
{
    fan_out_at_a run;
    for (std::int64_t number : {1, 20, 300}) run.write(run.regions.begin_branch(run.at), number);
    for (const branch_index branch : {1u, 2u, 3u})
        run.regions.end_branch(branch, branch_status::stopped, nullptr, true);
    (void)run.regions.join(run.at);
    BOOST_TEST(run.branches.where().root->root().get(total) == 321);
    BOOST_TEST(run.regions[run.at].failed == 0u);
}

BOOST_AUTO_TEST_CASE(enough_is_told_once_the_condition_holds_of_what_is_joined)
{
    fan_out_at_a run{{.until = [](const weft::state_view& seen) { return seen.get(total) >= 20; }}};
    bool is_enough = false;
    for (std::int64_t number : {1, 20, 300}) run.write(run.regions.begin_branch(run.at), number);
    BOOST_TEST(!run.regions.refusal_of(1, is_enough));
    BOOST_TEST(!is_enough);
    run.succeed(1);
    BOOST_TEST(!run.regions.refusal_of(2, is_enough));
    BOOST_TEST(is_enough);
}

BOOST_AUTO_TEST_CASE(a_condition_that_throws_refuses_the_branch)
{
    fan_out_at_a run{{.until = [](const weft::state_view&) -> bool { throw std::runtime_error{"no idea"}; }}};
    bool is_enough = false;
    const weft::failure_ptr refusal = run.regions.refusal_of(run.regions.begin_branch(run.at), is_enough);
    BOOST_TEST_REQUIRE(refusal);
    BOOST_TEST((refusal->code == weft::errc::condition_failed));
    BOOST_TEST(refusal->message.find("no idea") != std::string::npos);
    BOOST_TEST(!is_enough);
}

BOOST_AUTO_TEST_CASE(branches_that_are_cancelled_before_they_begin_are_passed_over)
{
    fan_out_at_a run;
    BOOST_TEST(run.regions.begin_branch(run.at) == 1u);
    branch_index own = 1;
    const weft::branch_choice which{.first_node = "c", .index = {}};
    BOOST_TEST(run.regions.region_meant(own, which) == run.at);
    BOOST_TEST(own == 1u);
    BOOST_TEST(run.regions.cancel_unstarted(run.at, 0, which) == 1u);
    BOOST_TEST(run.regions.cancel_unstarted(run.at, 0, which) == 0u);  // it is cancelled already
    BOOST_TEST(run.regions.next_first_node() == run.graph.find("d"));
    const weft::branch_choice nowhere{.first_node = "j", .index = {}};
    BOOST_TEST(run.regions.region_meant(own, nowhere) == weft::no_index);
}

BOOST_AUTO_TEST_CASE(open_fan_outs_of_a_kept_frontier_go_on)
{
    fan_out_at_a run;
    static_cast<void>(run.regions.begin_branch(run.at));
    weft::branch_table branches{run.graph, weft::frontier{run.branches.where()}};
    weft::region_table regions{branches};
    BOOST_TEST(regions.next_to_start() == run.at);
    BOOST_TEST(regions.next_first_node() == run.graph.find("c"));
    BOOST_TEST(regions.add(0) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
