#include <weft/agent/turn_agent/turn_rules.hpp>

#include <weft/base/json.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(turn_rules_test)

using weft::agent_outcome;
using weft::reply_facts;
using weft::tokens;
using weft::turn_budget;
using weft::turn_counters;
using weft::turn_budget_dimension;
using weft::usd_micros;
using std::chrono::milliseconds;

namespace {

/** The name of the dimension that is used up. */
std::string exhausted(const turn_counters& spent)
{
    turn_budget budget;
    budget.turns_max = 2;
    budget.tokens_max = tokens{100};
    budget.cost_max = usd_micros{500};
    budget.elapsed_max = milliseconds{1'000};
    budget.tool_calls_max = 3;
    const auto found = weft::exhausted(spent, budget);
    return found ? weft::to_json(*found).as_string().c_str() : "";
}

reply_facts answer() { return {.has_text = true}; }
reply_facts empty() { return {}; }
reply_facts calls() { return {.has_calls = true}; }

weft::tool_call call(std::string arguments)
{
    weft::tool_call made;
    made.name = "a";
    made.arguments = std::move(arguments);
    return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_2_IVY_3_IVY_4_IVY_6_what_is_reached_is_used_up)
{
    BOOST_TEST(exhausted({}) == "");
    BOOST_TEST(exhausted({.turns = 1}) == "");
    BOOST_TEST(exhausted({.turns = 2}) == "turns");
    BOOST_TEST(exhausted({.used = tokens{99}}) == "");
    BOOST_TEST(exhausted({.used = tokens{100}}) == "tokens");
    BOOST_TEST(exhausted({.cost = usd_micros{499}}) == "");
    BOOST_TEST(exhausted({.cost = usd_micros{500}}) == "cost");
    BOOST_TEST(exhausted({.tool_calls = 2}) == "");
    BOOST_TEST(exhausted({.tool_calls = 3}) == "tool_calls");
}

BOOST_AUTO_TEST_CASE(IVY_5_time_is_used_up_when_it_is_exceeded)
{
    BOOST_TEST(exhausted({.elapsed = milliseconds{1'000}}) == "");
    BOOST_TEST(exhausted({.elapsed = milliseconds{1'001}}) == "time");
    BOOST_TEST(exhausted({.turns = 2, .used = tokens{100}, .elapsed = milliseconds{9'999}}) == "turns");
}

BOOST_AUTO_TEST_CASE(IVY_7_an_agent_is_warned_once_at_70_and_once_at_90_percent)
{
    turn_budget budget;
    budget.turns_max = 10;
    weft::pressure_warnings warnings;
    std::vector<std::string> told;
    for (std::uint32_t turns = 0; turns < 10; ++turns)
        if (const std::string text = warnings.due({.turns = turns}, budget); !text.empty())
            told.push_back("turn " + std::to_string(turns + 1) + ": " + text);
    BOOST_REQUIRE(told.size() == 2U);
    BOOST_TEST(told[0] ==
               "turn 8: [BUDGET WARNING: 70% of turns budget consumed. Start wrapping up your current task.]");
    BOOST_TEST(told[1].starts_with("turn 10: [BUDGET WARNING: 90% of turns budget consumed. Finish now"));

    weft::pressure_warnings other;
    const std::string worst = other.due({.turns = 7, .tool_calls = 150}, budget);
    BOOST_TEST(worst.find("75% of tool_calls") != std::string::npos);
    const std::string last = other.due({.turns = 9, .tool_calls = 150}, budget);
    BOOST_TEST(last.find("90% of turns") != std::string::npos);
    BOOST_TEST(other.due({.turns = 9, .tool_calls = 199}, budget) == "");

    weft::pressure_warnings late;  // what begins beyond both is told the stronger one only
    BOOST_TEST(late.due({.turns = 9}, budget).find("Finish now") != std::string::npos);
    BOOST_TEST(late.due({.turns = 9}, budget) == "");
}

BOOST_AUTO_TEST_CASE(IVY_9_text_without_calls_answers_and_with_calls_it_goes_on)
{
    weft::turn_memory memory;
    BOOST_TEST((memory.reconcile({.has_text = true, .has_calls = true}).outcome == agent_outcome::none));
    BOOST_TEST((memory.reconcile(answer()).outcome == agent_outcome::answered));
}

BOOST_AUTO_TEST_CASE(IVY_10_three_empty_replies_are_nudged_and_the_fourth_fails)
{
    weft::turn_memory memory;
    for (int i = 0; i < 3; ++i) BOOST_TEST(!memory.reconcile(empty()).reminder.empty());
    BOOST_TEST((memory.reconcile(answer()).outcome == agent_outcome::answered));
    for (int i = 0; i < 3; ++i) BOOST_TEST((memory.reconcile(empty()).outcome == agent_outcome::none));
    const auto last = memory.reconcile(empty());
    BOOST_TEST((last.outcome == agent_outcome::failed));
    BOOST_TEST(last.why == "4 replies in a row were empty");
    weft::turn_memory strict;
    BOOST_TEST((strict.reconcile(empty(), 0).outcome == agent_outcome::failed));
    weft::turn_memory mixed;  // turns of tools between them do not stop the count of what follows them
    for (int i = 0; i < 3; ++i) BOOST_TEST(!mixed.reconcile(empty()).reminder.empty());
    BOOST_TEST((mixed.reconcile(calls()).outcome == agent_outcome::none));
    for (int i = 0; i < 3; ++i) BOOST_TEST(!mixed.reconcile(empty()).reminder.empty());
    BOOST_TEST((mixed.reconcile(empty()).outcome == agent_outcome::failed));
}

BOOST_AUTO_TEST_CASE(IVY_24_a_reply_with_calls_ends_a_row_of_empty_ones)
{
    weft::turn_memory memory;
    for (int i = 0; i < 20; ++i) {
        const auto nudged = memory.reconcile(empty());
        BOOST_TEST((nudged.outcome == agent_outcome::none));
        BOOST_TEST(!nudged.reminder.empty());
        BOOST_TEST((memory.reconcile(calls()).outcome == agent_outcome::none));
    }
    BOOST_TEST(memory.empty_replies == 0u);
}

BOOST_AUTO_TEST_CASE(IVY_26_working_time_is_a_budget_of_its_own)
{
    turn_budget budget;
    budget.working_max = milliseconds{500};
    BOOST_TEST(!weft::exhausted({.working = milliseconds{500}}, budget).has_value());
    BOOST_TEST((weft::exhausted({.working = milliseconds{501}}, budget) == turn_budget_dimension::working_time));
    weft::pressure_warnings warnings;
    BOOST_TEST(warnings.due({.working = milliseconds{400}}, budget).find("80% of working_time") != std::string::npos);
    BOOST_TEST(weft::pressure_warnings{}.due({.working = milliseconds{400}}, turn_budget{}) == "");
}

BOOST_AUTO_TEST_CASE(IVY_11_IVY_13_a_repeated_failure_goes_before_a_stop)
{
    weft::turn_memory memory;
    memory.failures.failed(call(R"({"x":1})"));
    BOOST_TEST((memory.reconcile(calls()).outcome == agent_outcome::none));
    memory = weft::from_json<weft::turn_memory>(weft::to_json(memory));  // also over a restart
    memory.failures.failed(call(R"({ "x": 1 })"));
    const auto decision = memory.reconcile({.has_calls = true, .is_aborted = true});
    BOOST_TEST((decision.outcome == agent_outcome::failed));
    BOOST_TEST((decision.trouble == weft::turn_trouble::repeated_failure));
    BOOST_TEST(decision.why.find(R"(a {"x":1})") != std::string::npos);

    weft::turn_memory stopped;
    BOOST_TEST((stopped.reconcile({.has_calls = true, .is_aborted = true}).outcome == agent_outcome::aborted));
}

BOOST_AUTO_TEST_SUITE_END()
