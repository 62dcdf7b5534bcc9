#include <boost/test/unit_test.hpp>

#include "agent/teams.hpp"

#include <weft/agent/pattern/pattern_debate.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
namespace patterns = weft::patterns;

BOOST_AUTO_TEST_SUITE(pattern_debate_test)

namespace {

/** Says one thing, and another as soon as it has read a text. */
patterns::participant convinced_by(std::string name, std::string own, std::string text, std::string other)
{
    return who_says(std::move(name), 1s, [=](const std::string& task) {
        return task.find(text) == std::string::npos ? own : other;
    });
}

}  // namespace

BOOST_AUTO_TEST_CASE(they_answer_again_until_they_agree)
{
    const auto graph = patterns::debate(
        "d",
        {who_says("a", 1s, "Rome"), convinced_by("b", "Paris", "Rome", "rome."),
         convinced_by("c", "Oslo", "### b\nrome.", "Rome")},
        {.rounds_max = 9});
    const team_run run = run_team(graph, "Where?");
    BOOST_TEST(run.answer() == "Rome");
    const patterns::debate_state& stands = run.result.state.get(patterns::debate_stands);
    BOOST_TEST(stands.has_agreed);
    BOOST_TEST(stands.rounds == 3);
    BOOST_TEST(run.elapsed.count() == 3000);
    BOOST_TEST(run.result.state.get(patterns::contributions).size() == 9u);
}

BOOST_AUTO_TEST_CASE(the_rounds_are_bounded_and_then_the_majority_counts)
{
    const auto team = [] {
        return std::vector<patterns::participant>{who_says("a", 1s, "x"), who_says("b", 1s, "y"),
                                                  who_says("c", 1s, "y")};
    };
    const team_run run = run_team(patterns::debate("d", team(), {.rounds_max = 2}), "Where?");
    BOOST_TEST(run.answer() == "y");
    BOOST_TEST(!run.result.state.get(patterns::debate_stands).has_agreed);
    BOOST_TEST(run.result.state.get(patterns::debate_stands).rounds == 2);
    BOOST_TEST(refusal_of([&] { return patterns::debate("d", team(), {.rounds_max = 0}); }).find("rounds_max") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(each_reads_what_all_said_in_the_order_of_the_participants)
{
    const auto model = std::make_shared<weft::testing::scripted_model>();
    using weft::testing::scripted_turn;
    const auto of = [](std::string name) {
        return [name](const weft::chat_request& request) {
            return request.messages[0].text() == "You are " + name + ".";
        };
    };
    model->then(scripted_turn{}.wait(2s).text("yes").when(of("a"))).then(scripted_turn{"no"}.when(of("b")));
    model->then(scripted_turn{"no"}.when(of("a"))).then(scripted_turn{"No!"}.when(of("b")));
    const team_run run = run_team(patterns::debate("d", {who_asks("a", model), who_asks("b", model)}), "Rain?");
    BOOST_TEST(run.answer() == "no");
    BOOST_CHECK_NO_THROW(model->assert_complete());
    bool was_told = false;
    const std::string expected =
        "Rain?\n\nYou are b. These are the answers of the last round, yours among them:\n\n### a\nyes\n\n### b\nno\n\n"
        "Weigh them and give your answer again; change it if another is better.";
    for (const weft::chat_request& request : model->requests())
        was_told = was_told || request.messages[1].text() == expected;
    BOOST_TEST(was_told);
}

BOOST_AUTO_TEST_CASE(one_that_fails_is_left_out_of_the_round)
{
    BOOST_TEST(run_team(patterns::debate("d", {who_fails("a"), who_says("b", 1s, "x")}), "?").answer() == "x");
    const team_run none = run_team(patterns::debate("d", {who_fails("a"), who_fails("b")}), "?");
    BOOST_TEST((none.result.status == weft::run_status::failed));
}

BOOST_AUTO_TEST_CASE(agreement_and_choice_can_be_functions)
{
    patterns::debate_options options;
    options.agrees = [](const std::vector<patterns::contribution>& answers) { return answers[0].text.size() == 3; };
    options.choose = [](const std::vector<patterns::contribution>&) { return std::size_t{1}; };
    options.brief = [](std::string_view task, std::string_view, const std::vector<patterns::contribution>& last) {
        return last.empty() ? std::string{task} : last[0].text + "+";
    };
    const auto echo = [](const std::string& task) { return task; };
    const auto graph = patterns::debate("d", {who_says("a", 0s, echo), who_says("b", 0s, "b")}, options);
    const team_run run = run_team(graph, "x");
    BOOST_TEST(run.answer() == "b");
    BOOST_TEST(run.result.state.get(patterns::debate_stands).rounds == 3);
}

BOOST_AUTO_TEST_CASE(it_can_be_destroyed_and_stopped_at_every_suspension_point)
{
    const auto graph = [] {
        return patterns::debate("d", {who_says("a", 1s, "x"), convinced_by("b", "y", "### a\nx", "x")});
    };
    const auto make = [=] { return run_whole(graph, "x"); };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 4u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) >= 4u);
}

BOOST_AUTO_TEST_SUITE_END()
