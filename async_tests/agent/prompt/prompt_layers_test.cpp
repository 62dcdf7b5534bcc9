#include <boost/test/unit_test.hpp>

#include <weft/agent/prompt/prompt_layers.hpp>

BOOST_AUTO_TEST_SUITE(prompt_layers_test)

namespace {

using namespace std::chrono_literals;

weft::prompt_section skill(std::string id)
{
    weft::prompt_section made;
    made.text = "You can " + id + ".";
    made.id = std::move(id);
    return made;
}

constexpr std::chrono::sys_seconds noon{std::chrono::sys_days{std::chrono::year{2026} / 11 / 22} + 12h + 5min};

weft::prompt_layers all_layers()
{
    weft::prompt_layers layers;
    layers.identity = "You are Ada.";
    layers.goal = "Goal: a report.";
    layers.surroundings = {skill("count"), skill("add")};
    layers.phases_done = {"research", "outline"};
    layers.values = {{"facts", std::string(250, 'f')}, {"score", "0.5"}};
    layers.scope = "You work in a graph.";
    layers.preamble = "Call set_output when you are done.";
    layers.focus = "Write the report.";
    layers.now = noon;
    layers.notice = "Half of the budget is used.";
    return layers;
}

std::string ids(const weft::composed_prompt& prompt)
{
    std::string text;
    for (const weft::section_report& report : prompt.sections)
        if (report.fate == weft::section_fate::kept) text.append(text.empty() ? "" : " ").append(report.id);
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_40_layers_follow_each_other_from_identity_to_time)
{
    const weft::composed_prompt prompt = weft::compose(all_layers());
    BOOST_TEST(ids(prompt) == "identity goal count add narrative scope preamble focus time notice");
    BOOST_TEST(prompt.text ==
               "You are Ada.\n\nGoal: a report.\n\nYou can count.\n\nYou can add.\n\n"
               "## Context (what has happened so far)\nPhases completed: research, outline\n- facts: " +
                   std::string(200, 'f') +
                   "…\n- score: 0.5\n\nYou work in a graph.\n\nCall set_output when you are done.\n\n"
                   "## Current Focus\nWrite the report.\n\nThe time is Sunday, 2026-11-22 12:05 UTC.\n\n"
                   "Half of the budget is used.");
}

BOOST_AUTO_TEST_CASE(HIV_40_missing_layers_are_left_out)
{
    weft::prompt_layers layers;
    layers.focus = "Write.";
    BOOST_TEST(weft::compose(layers).text == "## Current Focus\nWrite.");
    layers.identity = "You are Ada.";
    BOOST_TEST(weft::compose(layers).text == "You are Ada.\n\n## Current Focus\nWrite.");
    BOOST_TEST(weft::compose(weft::prompt_layers{}).text == "");
}

BOOST_AUTO_TEST_CASE(HIV_40_an_isolated_node_gets_neither_identity_nor_narrative)
{
    weft::prompt_layers layers = all_layers();
    layers.mode = weft::conversation_mode::isolated;
    const weft::composed_prompt prompt = weft::compose(layers);
    BOOST_TEST(ids(prompt) == "goal count add scope preamble focus time notice");
    BOOST_TEST(prompt.text.find("\n\nWrite the report.\n\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(only_the_end_differs_from_turn_to_turn)
{
    weft::prompt_layers layers = all_layers();
    const std::string before = weft::compose(layers).text;
    layers.now = noon + 1min;
    layers.notice = "Nearly all of the budget is used.";
    const std::string after = weft::compose(layers).text;
    const std::size_t time = before.find("The time is");
    BOOST_TEST(after.compare(0, time, before, 0, time) == 0);
    BOOST_TEST(after != before);
    BOOST_TEST(weft::compose(layers).text == after);
    layers.focus = "Check the report.";
    const std::string next = weft::compose(layers).text;
    const std::size_t narrative = before.find("## Context");
    BOOST_TEST(next.compare(0, narrative, before, 0, narrative) == 0);
}

BOOST_AUTO_TEST_CASE(surroundings_make_room_for_the_layers)
{
    weft::prompt_layers layers = all_layers();
    layers.surroundings.push_back(skill(std::string(2'000, 'x')));
    weft::prompt_options options;
    options.budget = weft::tokens{200};
    const weft::composed_prompt prompt = weft::compose(layers, options);
    BOOST_TEST(ids(prompt) == "identity goal count add narrative scope preamble focus time notice");
    BOOST_TEST((prompt.sections.back().fate == weft::section_fate::dropped));
}

BOOST_AUTO_TEST_CASE(time_is_read_by_people)
{
    BOOST_TEST(weft::readable_time(std::chrono::sys_seconds{}) == "Thursday, 1970-01-01 00:00 UTC");
    BOOST_TEST(weft::readable_time(noon - 13h) == "Saturday, 2026-11-21 23:05 UTC");
}

BOOST_AUTO_TEST_SUITE_END()
