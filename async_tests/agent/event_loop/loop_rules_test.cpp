#include <boost/test/unit_test.hpp>

#include "agent/event_loop/loop_rules.hpp"

BOOST_AUTO_TEST_SUITE(loop_rules_test)

namespace {

using step = weft::loop_step::kind;

weft::loop_rules owing(std::vector<weft::event_loop_output> outputs = {{.name = "report"}})
{
    weft::loop_rules rules;
    rules.outputs = std::move(outputs);
    return rules;
}

std::vector<weft::tool_call> looks(std::string arguments)
{
    return {{.id = "1", .name = "look", .arguments = std::move(arguments)}};
}

/** A turn as the steps of a loop do it. */
weft::loop_step turn(weft::event_loop_memory& memory, const weft::loop_rules& rules, std::string text,
                     const std::vector<weft::tool_call>& real = {}, std::size_t own_calls = 0)
{
    weft::begin_turn(memory, rules);
    weft::note_reply(memory, std::move(text), real.size() + own_calls, real);
    return weft::guard_turn(memory, rules);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(turns_are_limited)
{
    weft::loop_rules rules = owing();
    BOOST_TEST(rules.iterations_max() == 50u);
    rules.faces_client = true;
    BOOST_TEST(rules.iterations_max() == 100u);
    rules.is_sub_agent = true;
    BOOST_TEST(rules.iterations_max() == 10u);
    rules.limits.iterations_max = 2;
    weft::event_loop_memory memory = weft::first_memory(rules);
    weft::begin_turn(memory, rules);
    weft::begin_turn(memory, rules);
    BOOST_TEST((memory.outcome == weft::loop_outcome::none));
    weft::begin_turn(memory, rules);
    BOOST_TEST((memory.outcome == weft::loop_outcome::exhausted));
    BOOST_TEST(memory.why == "Max iterations (2) reached without acceptance");
}

BOOST_AUTO_TEST_CASE(an_empty_reply_is_nudged_and_ends_the_loop_at_the_third)
{
    const weft::loop_rules rules = owing();
    weft::event_loop_memory memory = weft::first_memory(rules);
    for (int i = 0; i < 2; ++i) {
        const weft::loop_step after = turn(memory, rules, " \n");
        BOOST_TEST((after.what == step::again));
        BOOST_TEST(has(after.reminder, "[report]"));
    }
    BOOST_TEST((turn(memory, rules, "").what == step::end));
    BOOST_TEST((memory.outcome == weft::loop_outcome::empty));
    BOOST_TEST(has(memory.why, "Ghost empty stream"));
}

BOOST_AUTO_TEST_CASE(an_empty_reply_when_all_is_there_is_accepted)
{
    const weft::loop_rules rules = owing();
    weft::event_loop_memory memory = weft::first_memory(rules);
    memory.outputs["report"] = "x";
    BOOST_TEST((turn(memory, rules, "").what == step::end));
    BOOST_TEST((memory.outcome == weft::loop_outcome::accepted));
}

BOOST_AUTO_TEST_CASE(HIV_35_three_replies_alike_are_a_stall)
{
    const weft::loop_rules rules = owing();
    weft::event_loop_memory memory = weft::first_memory(rules);
    BOOST_TEST((turn(memory, rules, "I am still working on the report.").what == step::judge));
    BOOST_TEST((turn(memory, rules, "I am still working on the report!").what == step::judge));
    const weft::loop_step after = turn(memory, rules, "I am still working on the report.");
    BOOST_TEST((after.what == step::end));
    BOOST_TEST(after.event == "node_stalled");
    BOOST_TEST((memory.outcome == weft::loop_outcome::stalled));
    BOOST_TEST(has(memory.why, "Node stalled"));
}

BOOST_AUTO_TEST_CASE(HIV_35_like_replies_with_work_between_them_are_no_stall)
{
    const weft::loop_rules rules = owing();
    weft::event_loop_memory memory = weft::first_memory(rules);
    for (int i = 0; i < 6; ++i) {
        const auto calls = looks("{\"page\":" + std::to_string(i) + "}");
        BOOST_TEST((turn(memory, rules, "I read on in the report.", calls).what == step::judge));
    }
    for (int i = 0; i < 6; ++i) {
        weft::begin_turn(memory, rules);
        weft::note_reply(memory, "I set another part.", 1, {});
        memory.turn.set_outputs = true;
        BOOST_TEST((weft::guard_turn(memory, rules).what == step::judge));
    }
}

BOOST_AUTO_TEST_CASE(HIV_35_three_turns_with_the_same_calls_are_warned_of)
{
    const weft::loop_rules rules = owing();
    weft::event_loop_memory memory = weft::first_memory(rules);
    BOOST_TEST((turn(memory, rules, "", looks(R"({"a":1,"b":2})")).what == step::judge));
    BOOST_TEST((turn(memory, rules, "", looks(R"({"b":2,"a":1})")).what == step::judge));
    const weft::loop_step third = turn(memory, rules, "", looks(R"({ "a": 1, "b": 2 })"));
    BOOST_TEST((third.what == step::again));
    BOOST_TEST(third.event == "tool_doom_loop");
    BOOST_TEST(has(third.reminder, "same tools with the same arguments"));
    // It is warned of again after three more, not at once.
    BOOST_TEST(turn(memory, rules, "", looks(R"({"a":1,"b":2})")).event.empty());
    BOOST_TEST(turn(memory, rules, "", looks(R"({"a":1,"b":2})")).event.empty());
    BOOST_TEST(turn(memory, rules, "", looks(R"({"a":1,"b":2})")).event == "tool_doom_loop");
}

BOOST_AUTO_TEST_CASE(HIV_35_other_arguments_are_no_doom_loop)
{
    const weft::loop_rules rules = owing();
    weft::event_loop_memory memory = weft::first_memory(rules);
    for (int i = 0; i < 9; ++i) {
        const auto calls = looks("{\"page\":" + std::to_string(i % 2) + "}");
        BOOST_TEST(turn(memory, rules, "", calls).event.empty());
    }
}

BOOST_AUTO_TEST_CASE(HIV_34_an_escalation_ends_the_loop)
{
    const weft::loop_rules rules = owing();
    weft::event_loop_memory memory = weft::first_memory(rules);
    memory.escalation = "no access";
    BOOST_TEST((turn(memory, rules, "", {}, 1).what == step::end));
    BOOST_TEST((memory.outcome == weft::loop_outcome::escalated));
    BOOST_TEST(memory.why == "Escalated: no access");
}

BOOST_AUTO_TEST_CASE(a_question_comes_before_the_judge)
{
    weft::loop_rules rules = owing();
    rules.faces_client = true;
    weft::event_loop_memory memory = weft::first_memory(rules);
    memory.asks.push_back({.text = "Where?"});
    BOOST_TEST((turn(memory, rules, "", {}, 1).what == step::ask));
}

BOOST_AUTO_TEST_CASE(facing_the_client_one_turn_of_text_is_not_judged)
{
    weft::loop_rules rules = owing();
    rules.faces_client = true;
    weft::event_loop_memory memory = weft::first_memory(rules);
    BOOST_TEST((turn(memory, rules, "Hello!").what == step::again));
    BOOST_TEST((turn(memory, rules, "What a day.").what == step::judge));
}

BOOST_AUTO_TEST_CASE(turns_with_tools_are_judged_at_intervals_and_others_always)
{
    weft::loop_rules rules = owing();
    rules.limits.judge_every = 3;
    weft::event_loop_memory memory = weft::first_memory(rules);
    BOOST_TEST((turn(memory, rules, "a", looks("{\"p\":1}")).what == step::again));
    BOOST_TEST((turn(memory, rules, "b", looks("{\"p\":2}")).what == step::again));
    BOOST_TEST((turn(memory, rules, "c", looks("{\"p\":3}")).what == step::judge));
    BOOST_TEST((turn(memory, rules, "done").what == step::judge));
}

BOOST_AUTO_TEST_CASE(HIV_33_the_cascade)
{
    using weft::judge_kind;
    using weft::judgement;
    struct expected {
        std::string_view what;
        weft::loop_rules rules;
        bool called_tools, is_set, is_complete;
        judge_kind who;
        judgement action;
        std::string_view feedback;
    };
    weft::loop_rules plain = owing(), own = owing(), criteria = owing(), skipping = owing(), client = owing({}),
                     optional = owing({{.name = "a", .is_nullable = true}});
    own.has_judge = criteria.has_criteria = skipping.skips_judge = client.faces_client = true;
    const expected cases[] = {
        {"complete", plain, false, false, true, judge_kind::rules, judgement::accept, ""},
        {"complete before own", own, false, false, true, judge_kind::rules, judgement::accept, ""},
        {"not to be judged", skipping, false, true, false, judge_kind::rules, judgement::retry, ""},
        {"own", own, true, false, false, judge_kind::own, judgement::accept, ""},
        {"tools called", plain, true, true, false, judge_kind::rules, judgement::retry, ""},
        {"outputs missing", plain, false, false, false, judge_kind::rules, judgement::retry, "[report]"},
        {"no optional one", optional, false, false, false, judge_kind::rules, judgement::retry, "at least one"},
        {"a talk", client, false, false, false, judge_kind::rules, judgement::retry, ""},
        {"all set", plain, false, true, false, judge_kind::rules, judgement::accept, ""},
        {"criteria", criteria, false, true, false, judge_kind::model, judgement::accept, ""},
        {"criteria, missing", criteria, false, false, false, judge_kind::rules, judgement::retry, "[report]"},
    };
    for (const expected& one : cases) {
        weft::event_loop_memory memory = weft::first_memory(one.rules);
        memory.turn.called_tools = one.called_tools;
        memory.is_marked_complete = one.is_complete;
        if (one.is_set) memory.outputs["report"] = "x";
        weft::verdict said;
        BOOST_TEST((weft::judge_turn(memory, one.rules, said) == one.who), one.what);
        if (one.who == judge_kind::own) continue;
        BOOST_TEST((said.action == one.action), one.what);
        BOOST_TEST(has(said.feedback, one.feedback), one.what << ": " << said.feedback);
        BOOST_TEST(said.feedback.empty() == one.feedback.empty(), one.what << ": " << said.feedback);
    }
}

BOOST_AUTO_TEST_CASE(HIV_33_an_acceptance_without_the_outputs_is_overruled)
{
    const weft::loop_rules rules = owing();
    weft::event_loop_memory memory = weft::first_memory(rules);
    const weft::loop_step after = weft::take_verdict(memory, rules, weft::verdict{});
    BOOST_TEST((after.what == step::again));
    BOOST_TEST(has(after.reminder, "[Judge feedback]: Task incomplete"));
    BOOST_TEST((memory.outcome == weft::loop_outcome::none));
}

BOOST_AUTO_TEST_CASE(HIV_34_an_escalating_judge_ends_the_loop)
{
    const weft::loop_rules rules = owing();
    weft::event_loop_memory memory = weft::first_memory(rules);
    weft::verdict said;
    said.action = weft::judgement::escalate;
    said.feedback = "too hard";
    BOOST_TEST((weft::take_verdict(memory, rules, said).what == step::end));
    BOOST_TEST((memory.outcome == weft::loop_outcome::escalated));
    BOOST_TEST(memory.why == "Judge escalated: too hard");
}

BOOST_AUTO_TEST_CASE(HIV_38_the_judge_of_a_sub_agent_becomes_urgent)
{
    weft::loop_rules rules = owing();
    rules.is_sub_agent = true;
    weft::event_loop_memory memory = weft::first_memory(rules);
    const auto feedback_at = [&](std::uint32_t iteration) {
        memory.iteration = iteration;
        return weft::judge_sub_agent(memory, rules).feedback;
    };
    BOOST_TEST(feedback_at(4).starts_with("Missing outputs: [report]"));
    BOOST_TEST(feedback_at(5).starts_with("WARNING: 5 turns are left"));
    BOOST_TEST(feedback_at(7).starts_with("URGENT: only 3 turns are left"));
    memory.outputs["report"] = "x";
    BOOST_TEST((weft::judge_sub_agent(memory, rules).action == weft::judgement::accept));
}

BOOST_AUTO_TEST_CASE(limits_out_of_range_are_told)
{
    weft::loop_limits limits;
    BOOST_TEST(limits.fault() == "");
    limits.stall_similarity = 1.5;
    BOOST_TEST(has(limits.fault(), "stall_similarity"));
    limits = {};
    limits.tool_timeout_seconds = 0;
    BOOST_TEST(has(limits.fault(), "tool_timeout_seconds"));
    limits = {};
    const weft::model_retry_policy policy = limits.retry_policy();
    BOOST_TEST(policy.attempts_max == 4);
    BOOST_TEST((policy.base == std::chrono::seconds{2}));
    BOOST_TEST((policy.delay_max == std::chrono::seconds{60}));
}

BOOST_AUTO_TEST_SUITE_END()
