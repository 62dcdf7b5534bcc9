#include <boost/test/unit_test.hpp>

#include "guarded_files.hpp"
#include "guards.hpp"
#include "unsettled_journal.hpp"

#include <weft/testing/simulation/suspension_points.hpp>

#include <tuple>

using namespace weft_tests;
using weft::errc;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(model_guards_files_test)

using namespace weft_tests::tool_agents;
using weft_tests::tool_agents::script;

BOOST_AUTO_TEST_CASE(what_an_agent_tells_its_model_itself_is_no_input)
{
    const std::string short_words = "'guards': {'input': [{'name': 'dry', 'chars_max': 12}]}";
    for (const char* const kind : {"turn_agent", "event_loop"}) BOOST_TEST_CONTEXT(kind)
    {
        const auto model = script();
        model->then(scripted_turn{""}).then(scripted_turn{}.call("weather", {{"city", "Rome"}}));
        model->then(kind == std::string{"event_loop"} ? sets_answer("Fine.") : scripted_turn{"Fine."});
        const weft::run_result result =
            run_file(file_of(kind, "'prompt': 'About rain?', 'tools': ['weather'], " + short_words, "'answer'"),
                     registry_with(model));
        BOOST_TEST(result.message() == "finished");
        BOOST_CHECK_NO_THROW(model->assert_complete());
        BOOST_TEST(last_of(model->requests().at(1), weft::role::user).size() > 12u);  // a reminder
    }
}

BOOST_AUTO_TEST_CASE(what_a_judge_says_is_not_looked_at)
{
    const auto model = script();
    model->then(sets_answer("Fine.")).then(scripted_turn{"ACTION: ACCEPT\nCONFIDENCE: 1\nFEEDBACK: rain"});
    const weft::run_result result = run_file(
        file_of("event_loop",
                "'prompt': 'Well?', 'criteria': 'It tells of rain.', 'guards': {'input': [{'name': 'dry', 'words': "
                "['rain']}], 'output': [{'name': 'dry', 'words': ['rain']}]}",
                "'answer'"),
        registry_with(model));
    BOOST_TEST(result.message() == "finished");
    BOOST_CHECK_NO_THROW(model->assert_complete());
}

BOOST_AUTO_TEST_CASE(what_a_loop_says_by_its_own_tools_is_looked_at)
{
    const auto trips = [](scripted_turn turn) {
        const auto model = script();
        model->then(std::move(turn));
        const heard_run heard = hear_file(
            file_of("event_loop", "'prompt': 'Well?', 'faces_client': true, 'sub_agents': [{'id': 'x'}], " +
                                      no_rain_answered, "'answer'"),
            registry_with(model));
        check_tripped(heard.result, "output");
        BOOST_TEST(!heard.hears("rain falls"), heard.emitted);
        BOOST_TEST(model->requests().size() == 1u);
    };
    trips(scripted_turn{}.call("set_output", {{"key", "answer"}, {"value", "Then\nrain falls."}}));
    trips(scripted_turn{}.call("ask_user", {{"question", "Is it that rain falls?"}}));
    trips(scripted_turn{}.call("delegate_to_sub_agent", {{"agent_id", "x"}, {"task", "See where rain falls."}}));
}

BOOST_AUTO_TEST_CASE(guardrails_of_a_loop_look_at_its_sub_agents_and_stop_the_loop)
{
    const auto runs = [](const std::string& task, const std::string& reply, const std::string& guards) {
        const auto model = script();
        model->then(scripted_turn{}.call("delegate_to_sub_agent", {{"agent_id", "x"}, {"task", task}}))
            .then(scripted_turn{reply}.call("weather", {{"city", "Rome"}}))
            .otherwise(sets_answer("Fine."));
        const heard_run heard = hear_file(
            file_of("event_loop", "'prompt': 'Well?', 'sub_agents': [{'id': 'x', 'tools': ['weather']}], " + guards,
                    "'answer'"),
            registry_with(model));
        BOOST_TEST(!heard.hears("will be rain"));
        return std::pair{heard.result, model->requests().size()};
    };
    const auto [told, asked] = runs("Look for rain.", "Fine.", no_rain_said);
    check_tripped(told, "input");
    BOOST_TEST(asked == 1u);
    const auto [answered, asked_then] = runs("Look.", "There will be rain.", no_rain_answered);
    check_tripped(answered, "output");
    BOOST_TEST(asked_then == 2u);
}

BOOST_AUTO_TEST_CASE(a_reply_that_is_shown_at_once_is_taken_back)
{
    const std::string at_once = "'guards': {'output': [{'name': 'dry', 'words': ['rain']}], 'release': 'at_once'}";
    const std::vector<std::pair<std::string, std::string>> kinds{
        {"turn_agent", "message_delta"}, {"event_loop", "internal_output"}, {"agent", "delta"}};
    for (const auto& [kind, label] : kinds) BOOST_TEST_CONTEXT(kind)
    {
        const auto model = script();
        model->then(scripted_turn{}.text("There will ").text("be rain."));
        const heard_run heard =
            hear_file(file_of(kind, "'prompt': 'Well?', " + at_once, "'answer'"), registry_with(model));
        check_tripped(heard.result, "output");
        const std::size_t shown = heard.emitted.find(label + ": be rain.");
        BOOST_REQUIRE(shown != std::string::npos);
        BOOST_TEST(heard.emitted.find("retract: ", shown) != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(a_failed_call_is_made_again_and_looked_at_once)
{
    const auto is_work = [](const weft::chat_request& request) { return request.model != "small"; };
    const auto model = script();
    model->then(scripted_turn{}.text("It ").fails(errc::connection_lost).when(is_work))
        .then(scripted_turn{"It is fine."}.when(is_work))
        .then(scripted_turn{R"({"trips": false})"});
    const heard_run heard = hear_file(
        file_of("turn_agent", "'prompt': 'Well?', 'guards': {'input': [{'name': 'x', 'rule': 'y', 'model': 'small', "
                              "'timing': 'first'}], 'output': [{'name': 'dry', 'words': ['rain']}]}", "'answer'"),
        registry_with(model));
    BOOST_TEST(heard.result.message() == "finished");
    BOOST_TEST(value_of(heard.result, "answer").as_string() == "It is fine.");
    BOOST_CHECK_NO_THROW(model->assert_complete());
}

BOOST_AUTO_TEST_CASE(a_reply_that_is_held_back_is_a_sign_of_life)
{
    using namespace std::chrono_literals;
    const auto model = script();
    model->then(scripted_turn{}.text("It ").wait(100s).text("is ").wait(100s).text("<AGENT_DONE>fine</AGENT_DONE>"));
    const heard_run heard =
        hear_file(file_of("heartbeat", "'directive': 'Well?', 'timeout': '1000s', " + no_rain_answered, "'answer'"),
                  registry_with(model));
    BOOST_TEST(heard.result.message() == "finished");
    BOOST_TEST(!heard.hears("is silent"), heard.emitted);  // which 120 s are
}

BOOST_AUTO_TEST_CASE(one_participant_that_trips_stops_the_others)
{
    const auto model = script();
    model->then(scripted_turn{"Fine."}).then(scripted_turn{"There will be rain."}).otherwise(scripted_turn{"Fine."});
    const std::string three = "'members': [{'name': 'x'}, {'name': 'y'}, {'name': 'z'}]";
    check_tripped(run_file(file_of("pattern", pattern_settings_of("concurrent", three) + no_rain_answered, "'answer'"),
                        registry_with(model)),
               "output");
    const auto planning = script();
    planning->then(scripted_turn{R"({"steps": ["look"]})"}).then(scripted_turn{"There will be rain."});
    check_tripped(run_file(file_of("pattern", pattern_settings_of("plan_and_execute",
                                                               "'planner': {'name': 'p'}, 'members': [{'name': 'x'}]") +
                                               no_rain_answered, "'answer'"),
                        registry_with(planning)),
               "output");
    BOOST_TEST(planning->requests().size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_branch_of_a_playbook_that_trips_stops_the_others)
{
    const auto runs = [](const std::string& first, const std::string& second) {
        const auto asked_for = [](std::string what) {
            return [what](const weft::chat_request& request) { return request.messages.back().text() == what; };
        };
        const auto model = script();
        model->then(scripted_turn{first}.when(asked_for("One"))).then(scripted_turn{second}.when(asked_for("Two")));
        return run_file(
            file_of("playbook",
                    "'prompt': 'x', 'playbooks': [{'name': 'p', 'nodes': [{'id': 't', 'subtype': 'trigger'}, {'id': "
                    "'f', 'subtype': 'parallel'}, {'id': 'a', 'subtype': 'orchestrator-prompt', 'prompt': 'One'}, {"
                    "'id': 'b', 'subtype': 'orchestrator-prompt', 'prompt': 'Two'}, {'id': 'm', 'subtype': 'merge'}, {"
                    "'id': 'r', 'subtype': 'response', 'prompt': 'Said.'}], 'edges': [{'source': 't', 'target': 'f'}, "
                    "{'source': 'f', 'target': 'a'}, {'source': 'f', 'target': 'b'}, {'source': 'a', 'target': 'm'}, "
                    "{'source': 'b', 'target': 'm'}, {'source': 'm', 'target': 'r'}]}], " + no_rain_answered,
                    "'answer'"),
            registry_with(model));
    };
    BOOST_TEST(value_of(runs("Fine.", "Good."), "answer").as_string() == "Said.");
    check_tripped(runs("Fine.", "There will be rain."), "output");
    check_tripped(runs("So: rain.", "There will be rain."), "output");
}

BOOST_AUTO_TEST_CASE(guardrails_of_the_program_look_before_those_of_a_file)
{
    const auto model = script();
    model->then(sets_answer("A rain falls."));
    weft::agent_surroundings around = surroundings_with(model);
    weft::guardrails of_program;
    of_program.output = {masks("rain")};
    around.loops.guards = std::make_shared<const weft::guardrails>(of_program);
    around.turns.guards = around.loops.guards;
    const heard_run heard = hear_file(file_of("event_loop", "'prompt': 'Well?', " + no_rain_answered, "'answer'"),
                                      registry_around(around));
    BOOST_TEST(heard.result.message() == "finished");
    BOOST_TEST(heard.hears("A *** falls."), heard.emitted);
    const auto further = script();
    further->then(scripted_turn{"A rain falls."});
    around.model = further;
    const weft::run_result result =
        run_file(file_of("turn_agent", "'prompt': 'Well?', " + no_rain_answered, "'answer'"), registry_around(around));
    BOOST_TEST(value_of(result, "answer").as_string() == "A *** falls.");
}

BOOST_AUTO_TEST_CASE(an_output_that_a_guardrail_replaces_is_the_other_text)
{
    const auto model = script();
    model->then(scripted_turn{}.call("set_output", {{"key", "answer"}, {"value", "A \"rain\" falls."}}));
    weft::agent_surroundings around = surroundings_with(model);
    weft::guardrails of_program;
    of_program.output = {masks("rain")};
    around.loops.guards = std::make_shared<const weft::guardrails>(of_program);
    const weft::run_result result =
        run_file(file_of("event_loop", "'prompt': 'Well?'", "'answer'"), registry_around(around));
    BOOST_TEST(value_of(result, "answer").as_string() == "A \"***\" falls.");
}

BOOST_AUTO_TEST_CASE(a_refused_call_and_a_withheld_result_are_told_to_the_model)
{
    const std::string calls = "'guards': {'tool_call': [{'name': 'places', 'words': ['Rome'], 'action': 'refuse'}]}";
    const std::string results = "'guards': {'tool_result': [{'name': 'dry', 'words': ['rain'], 'action': 'refuse'}]}";
    const auto answer_of = [](const std::string& guards) {
        const auto model = script();
        model->then(scripted_turn{}.call("weather", {{"city", "Rome"}})).then(scripted_turn{"I do not know."});
        const heard_run heard = hear_file(file_of("turn_agent", "'prompt': 'Well?', 'tools': ['weather'], " + guards,
                                                  "'answer'"), registry_with(model));
        BOOST_TEST(heard.result.message() == "finished");
        BOOST_TEST(heard.hears("\"action\":\"refuse\""));
        return last_of(model->requests().at(1), weft::role::tool);
    };
    BOOST_TEST(answer_of(calls).find("it does not pass the check 'places'") != std::string::npos);
    const std::string withheld = answer_of(results);
    BOOST_TEST(withheld.find("The result is withheld: it does not pass the check 'dry'") != std::string::npos);
    BOOST_TEST(withheld.find("rain") == std::string::npos);
    BOOST_TEST(tells(file_of("react", "'prompt': 'x', 'guards': {'input': [{'name': 'x', 'words': ['y'], 'action': "
                                      "'refuse'}]}"), "guards.input[0].action: only calls"));
    BOOST_TEST(tells(file_of("react", "'prompt': 'x', 'guards': {'tool_call': [{'name': 'x', 'words': ['y'], 'action': "
                                      "'pass'}]}"), "guards.tool_call[0].action: is 'trip' or 'refuse'"));
}

namespace {

weft::task<void> run_guarded_kind(std::string kind, std::string settings, scripted_turn says)
{
    using namespace std::chrono_literals;
    const auto is_check = [](const weft::chat_request& request) { return request.model == "small"; };
    const auto model = script();
    model->then(scripted_turn{}.wait(200ms).text(R"({"trips": false})").when(is_check), 4);
    model->otherwise(says.wait(300ms));
    const std::string guards = "'guards': {'input': [{'name': 'x', 'rule': 'y', 'model': 'small'}], 'output': [{"
                               "'name': 'x', 'rule': 'y', 'model': 'small'}]}";
    const weft::loaded_graph loaded =
        weft::load_graph(spec_text(file_of(kind, settings + guards, "'answer'")), registry_with(model));
    const weft::engine engine{loaded.what};
    weft::run_request request;
    request.journal(std::make_shared<unsettled_journal>());
    const weft::run_result result = co_await engine.run(std::move(request));
    if (result.status == weft::run_status::cancelled) throw weft::error{errc::cancelled};
    BOOST_REQUIRE(result.message() == "finished");
}

}  // namespace

BOOST_AUTO_TEST_CASE(guarded_kinds_can_be_destroyed_and_stopped_at_every_suspension_point)
{
    const std::string asks = "'prompt': 'Well?', ";
    const std::vector<std::tuple<std::string, std::string, scripted_turn>> kinds{
        {"turn_agent", asks, scripted_turn{"Fine."}},
        {"event_loop", asks, sets_answer("Fine.")},
        {"agent", asks, scripted_turn{"Fine. <AGENT_DONE>ok</AGENT_DONE>"}},
        {"pattern", pattern_settings_of("sequence", "'members': [{'name': 'x'}]"), scripted_turn{"Fine."}}};
    for (const auto& [kind, settings, says] : kinds) BOOST_TEST_CONTEXT(kind)
    {
        const auto make = [&] { return run_guarded_kind(kind, settings, says); };
        BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 3u);
        BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) > 2u);
    }
}

BOOST_AUTO_TEST_SUITE_END()
