#include <boost/test/unit_test.hpp>

#include "agent/loops.hpp"

#include <weft/agent/core/agent_event.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(event_loop_options_test)

namespace {

void check_clean(const seen_loop& seen, const loop_model& model)
{
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_CHECK_NO_THROW(model.assert_complete());
}

std::string fault_of_loop(weft::event_loop_options options, std::shared_ptr<weft::chat_model> model)
{
    try {
        (void)weft::event_loop(std::move(model), std::move(options));
    } catch (const weft::error& e) {
        return e.code() == weft::errc::invalid_configuration ? e.detail() : "another error";
    }
    return {};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(outputs_go_through_the_type_of_their_key)
{
    weft::event_loop_options options;
    options.outputs = {weft::output_of(loop_score), weft::nullable_output_of(loop_answer)};
    const auto model = model_of({sets("score", "many"), sets("score", "7")});
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(seen.result.state.get(loop_score) == 7);
    BOOST_TEST(seen.answer() == "none");
    BOOST_TEST(is_told(*model, 1, "The value does not fit the output 'score'"));
    BOOST_TEST(is_told(*model, 0, "user: Begin."));
}

BOOST_AUTO_TEST_CASE(a_prompt_is_filled_with_the_values_of_keys)
{
    weft::event_loop_options options = answering();
    options.settings.system = "You know all of {topic}.";
    options.settings.prompt = "Tell me of {topic}, {score}.";
    const auto model = model_of({sets("answer", "a")});
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(is_told(*model, 0, "You know all of rain."));
    BOOST_TEST(is_told(*model, 0, "user: Tell me of rain, ."));
    BOOST_TEST(seen.says(weft::agent_event::warning, "'score', which has no value"));
}

BOOST_AUTO_TEST_CASE(HIV_40_surroundings_stand_between_identity_and_focus)
{
    weft::event_loop_options options = answering();
    options.settings.identity = "You are Ada.";
    options.settings.tells_time = true;
    options.goal = "The goal: dry feet.";
    weft::prompt_section skills;
    skills.id = "skills";
    skills.text = "Skills: reading clouds.";
    options.surroundings = {skills};
    std::string layers;
    options.on_prompt = [&layers](const weft::composed_prompt& made) {
        for (const weft::section_report& one : made.sections)
            if (one.fate == weft::section_fate::kept) layers.append(layers.empty() ? "" : " ").append(one.id);
    };
    const auto model = model_of({sets("answer", "a")});
    check_clean(run_loop(model, std::move(options)), *model);
    BOOST_TEST(layers == "identity goal skills preamble focus time");
    const std::string system = model->requests()[0].messages[0].text();
    BOOST_TEST(system.find("You are Ada.") < system.find("Skills: reading clouds."));
    BOOST_TEST(system.find("Skills: reading clouds.") < system.find("## Current Focus"));
    BOOST_TEST(has(system, "The time is "));
}

BOOST_AUTO_TEST_CASE(a_person_of_the_program_is_asked_at_once)
{
    class someone final : public weft::human {
        weft::task<boost::json::value> ask(weft::human_question question) override { return answer(question.text); }
        static weft::task<boost::json::value> answer(std::string asked)
        {
            boost::json::value said("You asked: " + asked);
            co_return said;
        }
    };
    weft::event_loop_options options = answering();
    options.settings.faces_client = true;
    options.whom = std::make_shared<someone>();
    const auto model = model_of({loop_script{}.call("ask_user", {{"question", "Where?"}}), sets("answer", "a")});
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(is_told(*model, 1, "user: You asked: Where?"));
}

BOOST_AUTO_TEST_CASE(tools_read_and_write_the_keys_that_the_loop_carries)
{
    weft::tool_set tools;
    tools.add("note", "Notes.", [](weft::tool_context& context) {
        return weft::tool_result::text("was " + context.node->get(loop_topic)).set(loop_topic, "snow");
    });
    weft::event_loop_options options = answering();
    options.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    const auto turns = [] { return model_of({loop_script{}.call("note"), sets("answer", "a")}); };
    const auto model = turns();
    options.carries = {loop_topic};
    const seen_loop seen = run_loop(model, options);
    check_clean(seen, *model);
    BOOST_TEST(is_told(*model, 1, "tool: was rain"));
    BOOST_TEST(seen.result.state.get(loop_topic) == "snow");
}

BOOST_AUTO_TEST_CASE(a_hook_says_something_and_changes_the_focus)
{
    weft::event_loop_options options = answering();
    options.hook = [](weft::loop_moment when, const weft::event_loop_memory& memory) {
        weft::loop_hook_answer answer;
        if (when == weft::loop_moment::begin) answer.focus = "Answer in one word.";
        else if (memory.iteration == 2) answer.inject = "Hurry up.";
        return answer;
    };
    const auto model = model_of({loop_script{"Hm."}, sets("answer", "a")});
    const seen_loop seen = run_loop(model, std::move(options));
    check_clean(seen, *model);
    BOOST_TEST(is_told(*model, 0, "Answer in one word."));
    BOOST_TEST(!is_told(*model, 0, "Hurry up."));
    BOOST_TEST(is_told(*model, 1, "user: Hurry up."));
}

BOOST_AUTO_TEST_CASE(what_comes_from_outside_is_heard_between_turns)
{
    weft::event_loop_options options = answering();
    options.mailbox = std::make_shared<weft::agent_mailbox>();
    BOOST_TEST(options.mailbox->post("t", "The customer called."));
    BOOST_TEST(options.mailbox->post("t", "Be quick.", weft::message_author::person));
    BOOST_TEST(options.mailbox->trigger("t", {"timer", "daily", nullptr}));
    const auto model = model_of({sets("answer", "a")});
    const seen_loop seen = run_loop(model, options);
    check_clean(seen, *model);
    BOOST_TEST(is_told(*model, 0, "user: [External event]: The customer called.\nuser: Be quick.\n"
                                  "user: [TRIGGER: timer/daily]\n"));
    BOOST_TEST(options.mailbox->waiting("t") == 0u);
    BOOST_TEST(options.mailbox->take("t").empty());  // it was confirmed
}

BOOST_AUTO_TEST_CASE(mistakes_are_told_when_the_loop_is_made)
{
    const auto model = std::make_shared<loop_model>();
    BOOST_TEST(has(fault_of_loop(answering(), nullptr), "no model"));
    weft::event_loop_options limits = answering();
    limits.settings.limits.judge_every = 0;
    BOOST_TEST(has(fault_of_loop(limits, model), "limits.judge_every"));
    weft::event_loop_options twice = answering();
    twice.outputs.push_back(twice.outputs.front());
    BOOST_TEST(has(fault_of_loop(twice, model), "'answer' is there twice"));
    weft::event_loop_options taken = answering();
    weft::tool_set tools;
    tools.add("escalate", "Mine.", [] { return "x"; });
    taken.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    BOOST_TEST(has(fault_of_loop(taken, model), "a tool 'escalate' of its own"));
    weft::event_loop_options braces = answering();
    braces.settings.system = "{topic";
    BOOST_TEST(!fault_of_loop(braces, model).empty());
    BOOST_TEST(fault_of_loop(answering(), model) == "");
}

BOOST_AUTO_TEST_SUITE_END()
