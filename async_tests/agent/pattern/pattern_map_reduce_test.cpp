#include <boost/test/unit_test.hpp>

#include "agent/teams.hpp"

#include <weft/agent/pattern/pattern_map_reduce.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
namespace patterns = weft::patterns;

BOOST_AUTO_TEST_SUITE(pattern_map_reduce_test)

namespace {

/** Doubles its task; longer tasks take less time. */
patterns::participant doubler()
{
    return who_says("double", 1s, [](const std::string& task) {
        if (task == "bad") throw weft::error{weft::errc::model_rejected, "test", "fails on purpose"};
        return task + task;
    });
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_line_is_worked_at_side_by_side_and_put_together_in_order)
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const team_run run = run_team(patterns::map_reduce("m", doubler()), "a\n\n  b \nc", seed);
        BOOST_TEST(run.answer() == "aa\n\nbb\n\ncc");
        BOOST_TEST(run.elapsed.count() == 1000);
    }
}

BOOST_AUTO_TEST_CASE(participants_divide_and_put_together)
{
    patterns::map_reduce_options options;
    options.split = who_says("split", 0s, R"(Here: ["x]", "y"])");
    const auto joins = [](const std::string& task) {
        BOOST_TEST(task == "Do it.\n\nIts parts are done. Make one answer of these:\n\nx]x]\n\nyy");
        return std::string{"done"};
    };
    options.reduce = who_says("join", 0s, joins);
    BOOST_TEST(run_team(patterns::map_reduce("m", doubler(), options), "Do it.").answer() == "done");
    options.split = who_says("split", 0s, "1\n2");
    options.reduce = patterns::joiner{&patterns::one_after_the_other};
    BOOST_TEST(run_team(patterns::map_reduce("m", doubler(), options), "x").answer() == "11\n\n22");
}

BOOST_AUTO_TEST_CASE(nothing_to_do_gives_an_empty_answer)
{
    BOOST_TEST(run_team(patterns::map_reduce("m", doubler()), "").answer() == "");
}

BOOST_AUTO_TEST_CASE(items_are_bounded_and_so_are_those_at_the_same_time)
{
    BOOST_TEST((run_team(patterns::map_reduce("m", doubler(), {.items_max = 2}), "a\nb\nc").code() ==
                weft::errc::limit_reached));
    const auto in_turn = patterns::map_reduce("m", doubler(), {.concurrency_max = 1});
    BOOST_TEST(run_team(in_turn, "a\nb\nc").elapsed.count() == 3000);
}

BOOST_AUTO_TEST_CASE(an_item_that_fails_fails_all_or_is_left_out)
{
    const team_run all = run_team(patterns::map_reduce("m", doubler()), "a\nbad\nc");
    BOOST_TEST((all.result.status == weft::run_status::failed));
    const auto some = patterns::map_reduce("m", doubler(), {.needs_all = false});
    BOOST_TEST(run_team(some, "a\nbad\nc").answer() == "aa\n\ncc");
}

BOOST_AUTO_TEST_CASE(it_can_be_destroyed_and_stopped_at_every_suspension_point)
{
    const auto graph = [] { return patterns::map_reduce("m", doubler(), {.concurrency_max = 2}); };
    const auto make = [=] { return run_whole(graph, "aa\n\nbb\n\ncc"); };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 2u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) > 2u);
}

BOOST_AUTO_TEST_SUITE_END()
