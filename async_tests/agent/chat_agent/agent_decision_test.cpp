#include "agent/chat_agent/agent_decision.hpp"

#include <weft/base/json.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(agent_decision_test)

using weft::agent_decision;
using weft::agent_facts;
using weft::agent_step;
using weft::agent_stop;
using weft::completion_kind;

namespace {

agent_decision decide(completion_kind said, bool called_tools = false, bool was_nudged = false)
{
    agent_facts facts;
    facts.said = said;
    facts.called_tools = called_tools;
    facts.was_nudged = was_nudged;
    return decide_agent_step(facts);
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_9_done_and_blocked_end_whatever_tools_were_called)
{
    for (const bool called_tools : {false, true}) {
        BOOST_TEST((decide(completion_kind::done, called_tools).next == agent_step::end));
        BOOST_TEST((decide(completion_kind::done, called_tools).stop == agent_stop::done));
        BOOST_TEST((decide(completion_kind::blocked, called_tools).next == agent_step::end));
        BOOST_TEST((decide(completion_kind::blocked, called_tools).stop == agent_stop::blocked));
    }
}

BOOST_AUTO_TEST_CASE(SUL_9_one_nudge_and_then_the_end)
{
    const agent_decision first = decide(completion_kind::in_progress);
    BOOST_TEST((first.next == agent_step::again));
    BOOST_TEST(first.reminds);
    BOOST_TEST(first.was_nudged);
    BOOST_TEST(!first.counts_loop);
    const agent_decision second = decide(completion_kind::in_progress, false, true);
    BOOST_TEST((second.next == agent_step::end));
    BOOST_TEST((second.stop == agent_stop::no_block));
    BOOST_TEST(second.tells_error);
    BOOST_TEST(!second.reminds);
    BOOST_TEST(!second.was_nudged);
}

BOOST_AUTO_TEST_CASE(SUL_9_progress_takes_the_nudge_back)
{
    for (const auto& [said, called_tools] :
         {std::pair{completion_kind::carry_on, false}, std::pair{completion_kind::in_progress, true}}) {
        const agent_decision decision = decide(said, called_tools, true);
        BOOST_TEST((decision.next == agent_step::again));
        BOOST_TEST((decision.stop == agent_stop::none));
        BOOST_TEST(decision.counts_loop);
        BOOST_TEST(!decision.was_nudged);
    }
}

BOOST_AUTO_TEST_CASE(SUL_2_a_workflow_that_runs_ends_the_agent_whatever_it_says)
{
    using enum completion_kind;
    for (const completion_kind said : {in_progress, carry_on, done}) {
        agent_facts facts;
        facts.said = said;
        facts.called_tools = true;
        facts.workflow_running = true;
        const agent_decision decision = decide_agent_step(facts);
        BOOST_TEST((decision.next == agent_step::end));
        BOOST_TEST((decision.stop == agent_stop::workflow_running));
    }
}

BOOST_AUTO_TEST_CASE(SUL_10_only_a_blocked_agent_at_the_top_waits_for_a_person)
{
    agent_facts facts;
    facts.said = completion_kind::blocked;
    BOOST_TEST(decide_agent_step(facts).waiting_for_user);
    facts.is_sub_agent = true;
    BOOST_TEST(!decide_agent_step(facts).waiting_for_user);
    BOOST_TEST(!decide(completion_kind::done).waiting_for_user);
    BOOST_TEST(weft::decide_agent_failure(false).waiting_for_user);
    BOOST_TEST(!weft::decide_agent_failure(true).waiting_for_user);
    BOOST_TEST((weft::decide_agent_failure(true).stop == agent_stop::agent_error));
}

BOOST_AUTO_TEST_CASE(a_decision_changes_the_status_and_both_travel_as_json)
{
    weft::agent_status status;
    apply_decision(status, decide(completion_kind::carry_on));
    apply_decision(status, decide(completion_kind::in_progress));
    BOOST_TEST(status.loops == 1u);
    BOOST_TEST(status.was_nudged);
    BOOST_TEST((status.next == agent_step::again));
    status.reply = "so far";
    BOOST_TEST((weft::from_json<weft::agent_status>(weft::to_json(status)) == status));
    weft::input_diagnostics found;
    found.rate_limited = true;
    found.rate_limit_reason = weft::rate_sign::burst;
    found.injections = {weft::injection_sign::jailbreak};
    BOOST_TEST((weft::from_json<weft::input_diagnostics>(weft::to_json(found)) == found));
}

BOOST_AUTO_TEST_CASE(a_nudge_names_the_blocks)
{
    for (const char* const block : {"AGENT_DONE", "AGENT_BLOCKED", "AGENT_CONTINUE"})
        BOOST_TEST(weft::reminder_text().find(block) != std::string_view::npos);
    BOOST_TEST(!weft::no_block_text().empty());
}

BOOST_AUTO_TEST_SUITE_END()
