#include <boost/test/unit_test.hpp>

#include "agent/teams.hpp"

#include <weft/agent/pattern/pattern_sequence.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
namespace patterns = weft::patterns;

BOOST_AUTO_TEST_SUITE(pattern_sequence_test)

BOOST_AUTO_TEST_CASE(each_works_at_what_the_one_before_made)
{
    const auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(weft::testing::scripted_turn{"It rains."});
    model->then(weft::testing::scripted_turn{"It rains cats."});
    const team_run run = run_team(patterns::sequence("s", {who_asks("a", model), who_asks("b", model)}), "Weather?");
    BOOST_TEST(run.answer() == "It rains cats.");
    const auto asked = model->requests();
    BOOST_TEST(asked.at(0).messages[0].text() == "You are a.");
    BOOST_TEST(asked.at(0).messages[1].text() == "Weather?");
    BOOST_TEST(asked.at(1).messages[1].text() == "Weather?\n\nWhat a made of it:\nIt rains.");
    const auto all = run.result.state.get(patterns::contributions);
    BOOST_TEST(all.size() == 2u);
    BOOST_TEST(all[1].by == "b");
    BOOST_TEST(all[1].place == 1);
}

BOOST_AUTO_TEST_CASE(what_is_handed_over_can_be_chosen)
{
    const auto next = [](std::string_view, const std::vector<patterns::contribution>& before) {
        return before.back().text + "!";
    };
    const auto echo = [](const std::string& task) { return task; };
    const auto graph =
        patterns::sequence("s", {who_says("a", 1s, echo), who_says("b", 1s, echo), who_says("c", 1s, echo)}, next);
    const team_run run = run_team(graph, "x");
    BOOST_TEST(run.answer() == "x!!");
    BOOST_TEST(run.elapsed.count() == 3000);
}

BOOST_AUTO_TEST_CASE(one_that_fails_ends_it)
{
    const team_run run = run_team(patterns::sequence("s", {who_fails("a"), who_says("b", 0s, "x")}), "x");
    BOOST_TEST((run.code() == weft::errc::model_rejected));
    BOOST_TEST(run.answer() == "nothing");
}

BOOST_AUTO_TEST_CASE(a_pattern_takes_part_in_another)
{
    const auto last = [](std::string_view, const std::vector<patterns::contribution>& before) {
        return before.back().text;
    };
    const auto inner = [&](std::string name, std::string sign) {
        const auto adds = [sign](const std::string& task) { return task + sign; };
        auto both = patterns::sequence(name, {who_says("one", 0s, adds), who_says("two", 0s, adds)}, last);
        return patterns::participant{name, std::move(both)};
    };
    const auto graph = patterns::sequence("outer", {inner("x", "+"), inner("y", "-")}, last);
    BOOST_TEST(run_team(graph, "0").answer() == "0++--");
}

BOOST_AUTO_TEST_CASE(who_cannot_take_part_is_told)
{
    const auto says = [](std::string name) { return who_says(std::move(name), {}, "x"); };
    const auto has = [](const std::function<weft::graph()>& make, std::string_view part) {
        BOOST_TEST(refusal_of(make).find(part) != std::string::npos, refusal_of(make));
    };
    has([&] { return patterns::sequence("s", {}); }, "nobody takes part");
    has([&] { return patterns::sequence("s", {says("a"), says("a")}); }, "the name 'a' is used twice");
    has([&] { return patterns::sequence("s", {says("meet")}); }, "is one of the pattern itself");
    has([&] { return patterns::sequence("s", {says("")}); }, "has no name");
    constexpr weft::state_key<std::int64_t> number{"answer"};
    has([&] {
            weft::graph_builder builder{"g"};
            builder.state(patterns::given_task, number).node("n", [] {}).edge(weft::start, "n");
            const auto graph = builder.build();
            return patterns::sequence("s", {patterns::participant{"a", graph}});
        }, "has no key 'answer' that takes texts");
}

BOOST_AUTO_TEST_CASE(one_that_answers_nothing_fails)
{
    const patterns::participant silent{"a", [] {}};
    const team_run run = run_team(patterns::sequence("s", {silent}), "x");
    BOOST_TEST((run.code() == weft::errc::missing_state_value));
}

BOOST_AUTO_TEST_CASE(it_can_be_destroyed_and_stopped_at_every_suspension_point)
{
    const auto graph = [] { return patterns::sequence("s", {who_says("a", 1s, "x"), who_says("b", 1s, "y")}); };
    const auto make = [=] { return run_whole(graph, "y"); };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 2u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) >= 2u);
}

BOOST_AUTO_TEST_SUITE_END()
