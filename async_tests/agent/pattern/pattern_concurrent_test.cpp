#include <boost/test/unit_test.hpp>

#include "agent/teams.hpp"

#include <weft/agent/pattern/pattern_concurrent.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

#include <cmath>

using namespace weft_tests;
using namespace std::chrono_literals;
namespace patterns = weft::patterns;
using patterns::contribution;

BOOST_AUTO_TEST_SUITE(pattern_concurrent_test)

namespace {

std::vector<contribution> answers(std::vector<std::string> texts)
{
    std::vector<contribution> made;
    for (std::string& text : texts) made.push_back({"x", static_cast<std::int64_t>(made.size()), 1, std::move(text)});
    return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(votes_are_compared_without_case_blanks_and_marks_around)
{
    BOOST_TEST(patterns::as_vote("  **Paris**, \n France. ") == "paris**, france");
    BOOST_TEST(patterns::as_vote("42") == "42");
    BOOST_TEST(patterns::as_vote(" .!") == "");
    BOOST_TEST(patterns::as_vote("É.") == "É");
}

BOOST_AUTO_TEST_CASE(the_majority_wins_and_of_several_the_first)
{
    BOOST_TEST(patterns::majority(answers({"A", "b.", " B "})) == 1u);
    BOOST_TEST(patterns::majority(answers({"z", "b", "a", "b", "z"})) == 0u);
    BOOST_TEST(patterns::majority(answers({"only"})) == 0u);
}

BOOST_AUTO_TEST_CASE(the_highest_score_wins_and_of_several_the_first)
{
    const auto by_size = patterns::best_by([](const contribution& one) { return double(one.text.size()); });
    BOOST_TEST(by_size(answers({"aa", "bbb", "ccc"})) == 1u);
    const auto none = patterns::best_by([](const contribution&) { return std::nan(""); });
    BOOST_TEST(none(answers({"a", "b"})) == 0u);
}

BOOST_AUTO_TEST_CASE(all_work_side_by_side_and_vote)
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto graph = patterns::concurrent(
            "c", {who_says("a", 3s, "Rome"), who_says("b", 1s, "paris"), who_says("c", 2s, "Paris.")});
        const team_run run = run_team(graph, "Capital?", seed);
        BOOST_TEST(run.answer() == "paris");
        BOOST_TEST(run.elapsed.count() == 3000);
    }
}

BOOST_AUTO_TEST_CASE(a_score_chooses)
{
    patterns::concurrent_options options;
    options.choose = patterns::best_by([](const contribution& one) { return double(one.text.size()); });
    const auto graph = patterns::concurrent("c", {who_says("a", 1s, "a"), who_says("b", 1s, "long")}, options);
    BOOST_TEST(run_team(graph, "x").answer() == "long");
}

BOOST_AUTO_TEST_CASE(a_judge_names_the_best)
{
    const auto judged = [](std::string verdict) {
        patterns::concurrent_options options;
        const auto says = [verdict](const std::string& task) {
            BOOST_TEST(task == "Which answer to this task is the best?\n\nx\n\n### Answer 1\none\n\n"
                               "### Answer 2\ntwo\n\nSay the number of the best answer and nothing else.");
            return verdict;
        };
        options.judge = who_says("judge", 1s, says);
        return run_team(patterns::concurrent("c", {who_says("a", 2s, "one"), who_says("b", 1s, "two")}, options), "x");
    };
    BOOST_TEST(judged("Answer 2.").answer() == "two");
    BOOST_TEST((judged("3").code() == weft::errc::invalid_model_reply));
    BOOST_TEST((judged("none").code() == weft::errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(those_that_fail_are_left_out)
{
    const auto team = [] { return std::vector<patterns::participant>{who_fails("a"), who_says("b", 1s, "yes")}; };
    BOOST_TEST(run_team(patterns::concurrent("c", team()), "x").answer() == "yes");
    const team_run few = run_team(patterns::concurrent("c", team(), {.answers_min = 2}), "x");
    BOOST_TEST((few.code() == weft::errc::quorum_missed));
    const auto failing = patterns::concurrent("c", {who_fails("a"), who_fails("b")});
    BOOST_TEST((run_team(failing, "x").result.status == weft::run_status::failed));
    const auto late = patterns::concurrent("c", {who_says("a", 1s, "yes"), who_says("b", 1h, "no")}, {.timeout = 5s});
    BOOST_TEST(run_team(late, "x").answer() == "yes");
}

BOOST_AUTO_TEST_CASE(so_many_work_at_the_same_time)
{
    const auto graph = patterns::concurrent(
        "c", {who_says("a", 1s, "x"), who_says("b", 1s, "x"), who_says("c", 1s, "x")}, {.concurrency_max = 1});
    BOOST_TEST(run_team(graph, "x").elapsed.count() == 3000);
}

BOOST_AUTO_TEST_CASE(it_can_be_destroyed_and_stopped_at_every_suspension_point)
{
    const auto graph = [] { return patterns::concurrent("c", {who_says("a", 1s, "x"), who_says("b", 2s, "x")}); };
    const auto make = [=] { return run_whole(graph, "x"); };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 2u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) >= 2u);
}

BOOST_AUTO_TEST_SUITE_END()
