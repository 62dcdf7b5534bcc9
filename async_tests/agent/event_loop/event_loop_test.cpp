#include <boost/test/unit_test.hpp>

#include "agent/loops.hpp"
#include "agent/talks.hpp"

#include <weft/agent/core/agent_event.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(event_loop_test)

namespace {

weft::task<weft::verdict> says_verdict(weft::judgement action, std::string feedback)
{
    weft::verdict said;
    said.action = action;
    said.feedback = std::move(feedback);
    said.by = "mine";
    co_return said;
}

weft::judge_function judge_that(weft::judgement action, std::string feedback = {})
{
    return [=](weft::judged_turn) { return says_verdict(action, feedback); };
}

/** A judge that says these one after the other. */
weft::judge_function judge_that_says(std::vector<weft::judgement> actions, std::shared_ptr<std::size_t> asked)
{
    return [=](weft::judged_turn) {
        const std::size_t turn = (*asked)++;
        return says_verdict(actions.at(turn), "because");
    };
}

void check_clean(const seen_loop& seen, const loop_model& model)
{
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_CHECK_NO_THROW(model.assert_complete());
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_loop_sets_its_output_and_is_accepted)
{
    const auto model = model_of({sets("answer", "It rains.", "Here it is.")});
    const seen_loop seen = run_loop(model, answering());
    check_clean(seen, *model);
    BOOST_TEST(seen.answer() == "It rains.");
    BOOST_TEST(seen.path == "write");
    BOOST_TEST(seen.steps == "begin listen turn act settle");
    BOOST_TEST(seen.says(weft::agent_event::output_key_set, "answer"));
    BOOST_TEST(seen.says(weft::agent_event::judge_verdict, "\"accept\""));
    BOOST_TEST(seen.says(weft::agent_event::internal_output, "Here it is."));
    BOOST_TEST(is_told(*model, 0, "user: Inputs:\n- topic: rain"));
    BOOST_TEST(is_told(*model, 0, "Answer."));
    BOOST_TEST(is_offered(*model, 0, "set_output"));
    BOOST_TEST(!is_offered(*model, 0, "ask_user"));
}

BOOST_AUTO_TEST_CASE(HIV_33_a_turn_with_tool_calls_goes_on_without_a_word)
{
    weft::event_loop_options options = answering();
    options.tools = looking();
    const boost::json::object setting{{"key", "answer"}, {"value", "a"}};
    const auto model = model_of({loop_script{}.call("look", look_at("sky")).call("set_output", setting),
                                 loop_script{"Done."}});
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(seen.answer() == "a");
    BOOST_TEST(!is_told(*model, 1, "[Judge feedback]"));
    BOOST_TEST(is_told(*model, 1, "tool: seen sky\ntool: Output 'answer' is set."));
}

BOOST_AUTO_TEST_CASE(HIV_33_missing_outputs_are_named_to_the_model)
{
    const auto model = model_of({loop_script{"I think it rains."}, sets("answer", "a")});
    const seen_loop seen = run_loop(model, answering());
    check_clean(seen, *model);
    BOOST_TEST(is_told(*model, 1, "user: [Judge feedback]: Task incomplete. Required outputs not yet produced: "
                                  "[answer]"));
    BOOST_TEST(seen.count(weft::agent_event::judge_verdict) == 2u);
}

BOOST_AUTO_TEST_CASE(HIV_33_a_model_judges_by_the_criteria)
{
    weft::event_loop_options options = answering();
    options.settings.criteria = "It names a river.";
    const auto judge = model_of({loop_script{"ACTION: RETRY\nCONFIDENCE: 0.4\nFEEDBACK: Name the river."},
                                 loop_script{"ACTION: ACCEPT\nCONFIDENCE: 90%\nFEEDBACK:"}});
    options.judge_model = judge;
    const auto model = model_of({sets("answer", "It rains."), sets("answer", "It rains into the Po.")});
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(seen.answer() == "It rains into the Po.");
    BOOST_TEST(is_told(*judge, 0, "It names a river."));
    BOOST_TEST(is_told(*judge, 0, "- answer: It rains."));
    BOOST_TEST(is_told(*model, 1, "[Judge feedback]: Name the river."));
    BOOST_TEST(seen.says(weft::agent_event::judge_verdict, "\"by\":\"model\""));
}

BOOST_AUTO_TEST_CASE(HIV_33_a_judge_that_writes_nonsense_or_fails_holds_nobody_up)
{
    const loop_script answers[] = {loop_script{"Well, it depends."}, loop_script{""},
                                   loop_script{}.fails(weft::errc::model_overloaded)};
    for (const loop_script& answer : answers) {
        weft::event_loop_options options = answering();
        options.settings.criteria = "It names a river.";
        options.judge_model = model_of({answer});
        const auto model = model_of({sets("answer", "a")});
        const seen_loop seen = run_loop(model, std::move(options));
        check_clean(seen, *model);
        BOOST_TEST(seen.says(weft::agent_event::judge_verdict, "\"action\":\"accept\""));
        BOOST_TEST(seen.says(weft::agent_event::judge_verdict, "\"confidence\":5E-1"));
    }
}

BOOST_AUTO_TEST_CASE(HIV_33_a_judge_of_ones_own_is_asked_each_turn)
{
    const auto asked = std::make_shared<std::size_t>(0);
    weft::event_loop_options options = answering();
    using weft::judgement;
    options.judge = judge_that_says({judgement::accept, judgement::retry, judgement::accept}, asked);
    const auto model = model_of({loop_script{"Hm."}, sets("answer", "a"), sets("answer", "b")});
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(*asked == 3u);
    BOOST_TEST(seen.answer() == "b");
    BOOST_TEST(is_told(*model, 1, "Task incomplete"));  // its first acceptance was overruled
    BOOST_TEST(is_told(*model, 2, "[Judge feedback]: because"));
}

BOOST_AUTO_TEST_CASE(HIV_34_HIV_5_an_escalating_judge_fails_the_node_and_its_failure_edge_is_taken)
{
    weft::event_loop_options options = answering();
    options.judge = judge_that(weft::judgement::escalate, "too hard");
    const auto model = model_of({sets("answer", "a")});
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(seen.path == "write rescue");
    BOOST_TEST(has(seen.rescued(), "Judge escalated: too hard"));
    BOOST_TEST(seen.answer() == "none");  // what a failed node set is not written
}

BOOST_AUTO_TEST_CASE(HIV_34_the_agent_escalates_by_its_tool)
{
    const auto model = model_of({loop_script{}.call("escalate", {{"reason", "no access"}})});
    const seen_loop seen = run_loop(model, answering());
    BOOST_TEST(seen.path == "write rescue");
    BOOST_TEST(has(seen.rescued(), "Escalated: no access"));
    BOOST_TEST(seen.says(weft::agent_event::escalation_requested, "no access"));
}

BOOST_AUTO_TEST_CASE(HIV_16_a_failed_loop_is_not_begun_again)
{
    weft::node_options thrice;
    thrice.retry = {.attempts_max = 3, .jitter = weft::jitter::none};
    const auto rejected = model_of({loop_script{}.fails(weft::errc::model_rejected)});
    const seen_loop refused = run_loop(rejected, answering(), thrice);
    BOOST_TEST(rejected->requests().size() == 1u);
    BOOST_TEST(refused.path == "write rescue");
    BOOST_TEST(refused.says(weft::agent_event::warning, "attempts"));
    const auto escalating = model_of({loop_script{}.call("escalate", {{"reason", "no"}})});
    const seen_loop escalated = run_loop(escalating, answering(), thrice);
    BOOST_TEST(escalating->requests().size() == 1u);
    BOOST_TEST(escalated.path == "write rescue");
    const auto plain = model_of({sets("answer", "a")});
    BOOST_TEST(!run_loop(plain, answering()).says(weft::agent_event::warning, "attempts"));
}

BOOST_AUTO_TEST_CASE(a_call_that_fails_for_now_is_made_again_after_2_and_4_seconds)
{
    const auto model = model_of({loop_script{}.fails(weft::errc::model_overloaded),
                                 loop_script{}.text("Hal").fails(weft::errc::connection_lost), sets("answer", "a")});
    const seen_loop seen = run_loop(model, answering());
    check_clean(seen, *model);
    BOOST_TEST(seen.elapsed >= 6s);
    BOOST_TEST(seen.elapsed < 7s);
    BOOST_TEST(seen.count(weft::agent_event::retract) == 1u);
    BOOST_TEST(seen.count(weft::agent_event::loop_iteration) == 1u);
}

BOOST_AUTO_TEST_CASE(HIV_35_an_agent_that_repeats_itself_fails)
{
    const auto model = std::make_shared<loop_model>();
    model->then(loop_script{"I am working on it, just a moment."}, 3);
    const seen_loop seen = run_loop(model, answering());
    BOOST_TEST(seen.path == "write rescue");
    BOOST_TEST(has(seen.rescued(), "Node stalled"));
    BOOST_TEST(seen.count(weft::agent_event::stalled) == 1u);
    BOOST_CHECK_NO_THROW(model->assert_complete());
}

BOOST_AUTO_TEST_CASE(HIV_35_a_doom_loop_is_warned_of)
{
    weft::event_loop_options options = answering();
    options.tools = looking();
    const auto model = std::make_shared<loop_model>();
    model->then(loop_script{}.call("look", look_at("sky")), 3).then(sets("answer", "a"));
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(seen.count(weft::agent_event::doom_loop) == 1u);
    BOOST_TEST(!is_told(*model, 2, "same tools with the same arguments"));
    BOOST_TEST(is_told(*model, 3, "same tools with the same arguments"));
}

BOOST_AUTO_TEST_CASE(HIV_36_tools_run_side_by_side_and_answer_in_the_order_of_the_calls)
{
    weft::event_loop_options options = answering();
    options.tools = looking();
    const auto model = model_of({loop_script{}
                                     .call("look", look_at("first", 3'000))
                                     .call("look", look_at("second", 1'000))
                                     .call("set_output", {{"key", "answer"}, {"value", "a"}})
                                     .call("look", look_at("third", 2'000)),
                                 loop_script{"Done."}});
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(seen.elapsed >= 3s);
    BOOST_TEST(seen.elapsed < 4s);
    BOOST_TEST(is_told(*model, 1, "tool: seen first\ntool: seen second\ntool: Output 'answer' is set.\n"
                                  "tool: seen third\n"));
}

BOOST_AUTO_TEST_CASE(HIV_36_calls_beyond_the_limits_are_warned_of_and_refused)
{
    weft::event_loop_options options = answering();
    options.tools = looking();
    loop_script many;
    for (int i = 0; i < 47; ++i) many.call("look", look_at(std::to_string(i)));
    const auto model = model_of({many, sets("answer", "a")});
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(seen.says(weft::agent_event::warning, "47 tool calls in one turn, more than 30"));
    BOOST_TEST(is_told(*model, 1, "tool: seen 44\ntool: Refused: a turn has at most 45 tool calls"));
    BOOST_TEST(!is_told(*model, 1, "seen 45"));
    BOOST_TEST(fault_of_pairs(model->requests()[1].messages) == "");
}

BOOST_AUTO_TEST_CASE(HIV_36_a_tool_that_takes_too_long_answers_with_an_error)
{
    weft::event_loop_options options = answering();
    options.tools = looking();
    const auto model = model_of({loop_script{}.call("look", look_at("far", 61'000)), sets("answer", "a")});
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(is_told(*model, 1, "tool: The tool did not answer in time"));
    BOOST_TEST(seen.elapsed >= 60s);
    BOOST_TEST(seen.elapsed < 61s);
}

BOOST_AUTO_TEST_CASE(HIV_37_an_invalid_key_is_an_error_result_and_the_loop_goes_on)
{
    const auto model = model_of({sets("answr", "a"), sets("answer", "a")});
    const seen_loop seen = run_loop(model, answering());
    check_clean(seen, *model);
    BOOST_TEST(is_told(*model, 1, "tool: Invalid output key 'answr'. Valid: answer."));
    bool is_error = false;
    const weft::chat_request second = model->requests()[1];
    for (const weft::message& one : second.messages) is_error = is_error || one.is_error;
    BOOST_TEST(is_error);
}

BOOST_AUTO_TEST_CASE(turns_run_out)
{
    weft::event_loop_options options = answering();
    options.settings.limits.iterations_max = 2;
    const auto model = model_of({loop_script{"Let me think about rain."}, loop_script{"Or about snow, perhaps?"}});
    const seen_loop seen = run_loop(model, std::move(options));
    BOOST_TEST(seen.path == "write rescue");
    BOOST_TEST(has(seen.rescued(), "Max iterations (2) reached without acceptance"));
}

BOOST_AUTO_TEST_CASE(a_model_that_says_nothing_is_nudged_twice)
{
    const auto model = std::make_shared<loop_model>();
    model->then(loop_script{}, 3);
    const seen_loop seen = run_loop(model, answering());
    BOOST_TEST(has(seen.rescued(), "Ghost empty stream"));
    BOOST_TEST(is_told(*model, 1, "[SYSTEM] Your last reply was empty"));
    BOOST_CHECK_NO_THROW(model->assert_complete());
}

BOOST_AUTO_TEST_SUITE_END()
