#include <boost/test/unit_test.hpp>

#include "agent/playbooks.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(playbook_graph_test)

BOOST_AUTO_TEST_CASE(SUL_15_an_agent_is_a_run_of_its_own_and_a_response_tells_what_it_did)
{
    const auto model = scripted({"It rains. " + done_block});
    const auto what = playbook_of("p",
                                  "{'id': 'a', 'subtype': 'agent', 'label': 'Look', "
                                  "'prompt': 'Weather for {{trigger}}'}, "
                                  "{'id': 'r', 'subtype': 'response', 'prompt': '{{Look.result}} {{Look.threadId}}'}",
                                  {"t>a", "a>r"});
    const agent_run run = run_of(what, options_of(model));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(response_of(run) == "It rains. pb/a#1");
    const std::string asked = model->requests().at(0).messages.back().text();
    BOOST_TEST(asked.starts_with("Weather for go"));
    BOOST_TEST(asked.find("Suggested next action") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(SUL_15_a_blocked_agent_says_so_and_one_that_fails_fails_the_run)
{
    const auto what = playbook_of("p", "{'id': 'a', 'subtype': 'agent', 'prompt': 'Do it.'}", {"t>a"});
    BOOST_TEST(left_by(run_of(what, options_of(scripted({blocked_block}))), "a").starts_with("\"[BLOCKED] no key"));
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.fails(weft::errc::model_unauthorized));
    const agent_run failed = run_of(what, options_of(model));
    BOOST_TEST((failed.result.status == weft::run_status::failed));
    BOOST_TEST(failed.result.message().find("did not come to an end") != std::string::npos);
    BOOST_REQUIRE(failed.result.why);
    BOOST_TEST((failed.result.why->code == weft::errc::model_unauthorized));
}

BOOST_AUTO_TEST_CASE(SUL_15_tool_call_condition_and_wait)
{
    const auto what = playbook_of("p",
                                  "{'id': 'c', 'subtype': 'tool-call', 'tool': 'shout', 'arguments': {'text': 'x'}}, "
                                  "{'id': 'i', 'subtype': 'condition', 'condition': '{{c.result}} contains loud'}, "
                                  "{'id': 'w', 'subtype': 'wait', 'amount': 2, 'unit': 'hours'}, "
                                  "{'id': 'no', 'subtype': 'response', 'prompt': 'no'}",
                                  {"t>c", "c>i", "i.condition-true>w", "i.condition-false>no"});
    const agent_run run = run_of(what, options_of(nullptr));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(left_by(run, "c") == "\"LOUD\"");
    BOOST_TEST(left_by(run, "i") == "true");
    BOOST_TEST((run.result.elapsed >= 2h));
    BOOST_TEST(left_by(run, "no") == "nothing");
}

BOOST_AUTO_TEST_CASE(SUL_15_a_router_asks_a_model)
{
    const auto what = playbook_of("p",
                                  "{'id': 'r', 'subtype': 'router', 'prompt': 'Who?', 'routes': ['sales', 'support']}, "
                                  "{'id': 'a', 'subtype': 'response', 'prompt': 'A'}, "
                                  "{'id': 'b', 'subtype': 'response', 'prompt': 'B'}",
                                  {"t>r", "r.route-0>a", "r.route-1>b"});
    BOOST_TEST(response_of(run_of(what, options_of(scripted({"Support"})))) == "B");
    BOOST_TEST(response_of(run_of(what, options_of(scripted({"dunno", "no idea"})))) == "A");
}

BOOST_AUTO_TEST_CASE(SUL_15_a_loop_goes_round_to_its_limit)
{
    const auto what = playbook_of("p",
                                  "{'id': 'l', 'subtype': 'loop', 'max_iterations': 3}, "
                                  "{'id': 'c', 'subtype': 'tool-call', 'tool': 'shout'}, "
                                  "{'id': 'e', 'subtype': 'response', 'prompt': 'end'}",
                                  {"t>l", "l.loop-body>c", "c>l", "l.loop-exit>e"});
    const agent_run run = run_of(what, options_of(nullptr));
    BOOST_TEST(run.result.visits_of("c") == 3u);
    const boost::json::value left = boost::json::parse(left_by(run, "l"));
    BOOST_TEST(left.at("totalIterations").as_int64() == 3);
    BOOST_TEST(left.at("exitReason").as_string() == "max_iterations");
    BOOST_TEST(boost::json::serialize(left.at("iterationResults")) == R"([["LOUD"],["LOUD"],["LOUD"]])");
    BOOST_TEST(left.at("conversation").as_string().starts_with("Iteration 1:\nLOUD"));
    BOOST_TEST(response_of(run) == "end");
}

BOOST_AUTO_TEST_CASE(SUL_15_a_loop_ends_when_its_condition_holds_or_a_model_says_so)
{
    const std::string body = "{'id': 'c', 'subtype': 'tool-call', 'tool': 'shout'}";
    const std::vector<std::string> edges{"t>l", "l.loop-body>c", "c>l"};
    const auto by_template = playbook_of(
        "p", "{'id': 'l', 'subtype': 'loop', 'condition': '{{c.result}} contains loud'}, " + body, edges);
    const agent_run met = run_of(by_template, options_of(nullptr));
    BOOST_TEST(met.result.visits_of("c") == 1u);
    BOOST_TEST(left_by(met, "l").find("condition_met") != std::string::npos);
    const auto by_model = playbook_of("p", "{'id': 'l', 'subtype': 'loop', 'condition': 'It is loud enough.', "
                                           "'condition_mode': 'llm'}, " + body, edges);
    const auto model = scripted({"No.", "Yes, it is."});
    BOOST_TEST(run_of(by_model, options_of(model)).result.visits_of("c") == 2u);
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(SUL_15_a_loop_without_a_body_ends_at_once)
{
    const auto what = playbook_of("p",
                                  "{'id': 'l', 'subtype': 'loop'}, "
                                  "{'id': 'e', 'subtype': 'response', 'prompt': 'end'}",
                                  {"t>l", "l.loop-exit>e"});
    const agent_run run = run_of(what, options_of(nullptr));
    BOOST_TEST(left_by(run, "l").find("no_body_connected") != std::string::npos);
    BOOST_TEST(response_of(run) == "end");
}

BOOST_AUTO_TEST_CASE(SUL_15_a_model_makes_the_task_of_an_agent_and_its_result)
{
    const auto what = playbook_of("p",
                                  "{'id': 'a', 'subtype': 'agent', 'prompt': 'Look at {{trigger}}.', "
                                  "'before': 'Be exact.', 'after': 'In one word.'}",
                                  {"t>a"});
    const auto model = scripted({"Look at go, closely.", "All of it is green. " + done_block, "Green"});
    const agent_run run = run_of(what, options_of(model));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(left_by(run, "a") == "\"Green\"");
    const std::vector<weft::chat_request> asked = model->requests();
    BOOST_REQUIRE(asked.size() == 3u);
    BOOST_TEST(asked[0].messages.back().text().find("Be exact.") == 0u);
    BOOST_TEST(asked[1].messages.back().text().find("Look at go, closely.") == 0u);
    BOOST_TEST(asked[2].messages.back().text().find("All of it is green.") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(SUL_15_functions_integrations_prompts_and_notifications)
{
    const auto what = playbook_of("p",
                                  "{'id': 'f', 'subtype': 'function', 'tool': 'shout'}, "
                                  "{'id': 'i', 'subtype': 'integration-call', 'tool': 'shout'}, "
                                  "{'id': 'o', 'subtype': 'orchestrator-prompt', 'prompt': 'How is {{f.result}}?'}, "
                                  "{'id': 'n', 'subtype': 'desktop-notification', 'prompt': 'It is {{o.result}}.'}",
                                  {"t>f", "f>i", "i>o", "o>n"});
    const agent_run run = run_of(what, options_of(scripted({"fine"})));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(left_by(run, "i") == "\"LOUD\"");
    BOOST_TEST(left_by(run, "n") == "\"It is fine.\"");
    BOOST_TEST(std::count(run.emitted.begin(), run.emitted.end(), "notification: It is fine.") == 1);
}

BOOST_AUTO_TEST_CASE(SUL_16_branches_that_fail_do_not_matter_if_one_succeeds)
{
    const std::string nodes = "{'id': 'f', 'subtype': 'parallel'}, "
                              "{'id': 'a', 'subtype': 'tool-call', 'tool': 'breaks'}, "
                              "{'id': 'm', 'subtype': 'merge'}, ";
    const std::vector<std::string> edges{"t>f", "f>a", "f>b", "a>m", "b>m"};
    const agent_run partial = run_of(
        playbook_of("p", nodes + "{'id': 'b', 'subtype': 'tool-call', 'tool': 'shout'}", edges), options_of(nullptr));
    BOOST_TEST(partial.result.message() == "finished");
    BOOST_TEST(left_by(partial, "m").starts_with(R"({"b":"LOUD","failed":[)"));
    const agent_run none = run_of(
        playbook_of("p", nodes + "{'id': 'b', 'subtype': 'tool-call', 'tool': 'breaks'}", edges), options_of(nullptr));
    BOOST_TEST((none.result.status == weft::run_status::failed));
    BOOST_TEST(left_by(none, "m") == "nothing");
}

BOOST_AUTO_TEST_CASE(SUL_15_sub_workflows_lie_in_each_other_and_their_failure_goes_up)
{
    auto library = std::make_shared<weft::playbook_library>();
    library->emplace("inner", playbook_of("inner", "{'id': 'r', 'subtype': 'response', 'prompt': 'got {{trigger}}'}",
                                          {"t>r"}));
    library->emplace("broken", playbook_of("broken", "{'id': 'c', 'subtype': 'tool-call', 'tool': 'breaks'}", {"t>c"}));
    library->emplace("round",
                     playbook_of("round", "{'id': 's', 'subtype': 'sub-workflow', 'workflow': 'round'}", {"t>s"}));
    weft::playbook_options options = options_of(nullptr);
    options.library = library;
    const auto calling = [](const std::string& whom) {
        return playbook_of("outer", "{'id': 's', 'subtype': 'sub-workflow', 'prompt': 'a {{trigger}}', 'workflow': '" +
                                        whom + "'}", {"t>s"});
    };
    BOOST_TEST(left_by(run_of(calling("inner"), options), "s") == "\"got a go\"");
    BOOST_TEST((run_of(calling("broken"), options).result.status == weft::run_status::failed));
    BOOST_CHECK_EXCEPTION((void)weft::playbook_graph(calling("round"), options), weft::playbook_error,
                          [](const weft::playbook_error& e) {
                              return e.mistakes().at(0).path == "$.nodes[1].workflow" &&
                                     e.mistakes()[0].text.find("comes back to itself") != std::string::npos;
                          });
    BOOST_CHECK_THROW((void)weft::playbook_graph(calling("nobody"), options), weft::playbook_error);
}

BOOST_AUTO_TEST_CASE(SUL_15_user_input_waits_for_a_person)
{
    const auto what = playbook_of("p", "{'id': 'u', 'subtype': 'user-input', 'prompt': 'Which {{trigger}}?'}", {"t>u"});
    const agent_run run = run_of(what, options_of(nullptr));
    BOOST_TEST((run.result.status == weft::run_status::paused));
    BOOST_REQUIRE(run.result.questions.size() == 1u);
    BOOST_TEST(run.result.questions[0].asked.text == "Which go?");
}

BOOST_AUTO_TEST_CASE(SUL_17_an_agent_that_hangs_fails_in_bounded_time)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->otherwise(scripted_turn{}.wait(5h).text(done_block));
    weft::playbook_options options = options_of(model);
    options.agent.timeout = 24h;
    const auto what = playbook_of("p", "{'id': 'a', 'subtype': 'agent', 'prompt': 'Do it.'}", {"t>a"});
    const agent_run run = run_of(what, options);
    BOOST_TEST((run.result.status == weft::run_status::failed));
    BOOST_TEST((run.result.elapsed < 10min));
    BOOST_TEST(run.result.message().find("no sign of life for 480 s") != std::string::npos);
    BOOST_TEST(std::count(run.emitted.begin(), run.emitted.end(), "warning: the agent is silent (3)") == 1);
}

BOOST_AUTO_TEST_CASE(SUL_17_a_tool_that_hangs_fails_in_bounded_time_too)
{
    weft::playbook_options options = options_of(nullptr);
    weft::tool_set tools;
    tools.add("hang", "Hangs.", []() -> weft::task<std::string> {
        co_await weft::sleep_for(5h);
        co_return "done";
    });
    options.agent.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    options.agent.tool_options.timeout = 24h;
    const auto what = playbook_of("p", "{'id': 'c', 'subtype': 'tool-call', 'tool': 'hang'}", {"t>c"});
    const agent_run run = run_of(what, options);
    BOOST_TEST((run.result.status == weft::run_status::failed));
    BOOST_TEST((run.result.elapsed < 10min));
}

BOOST_AUTO_TEST_CASE(SUL_17_a_decision_has_five_minutes)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->otherwise(scripted_turn{}.wait(5h).text("sales"));
    const auto what = playbook_of(
        "p", "{'id': 'r', 'subtype': 'router', 'prompt': 'Who?', 'routes': ['sales']}", {"t>r"});
    const agent_run run = run_of(what, options_of(model));
    BOOST_TEST((run.result.status == weft::run_status::failed));
    BOOST_TEST((run.result.elapsed < 6min));
}

BOOST_AUTO_TEST_CASE(what_is_missing_around_a_playbook_is_told_at_once)
{
    const auto what = playbook_of("p", "{'id': 'a', 'subtype': 'agent', 'prompt': 'x'}, "
                                       "{'id': 'c', 'subtype': 'tool-call', 'tool': 'shuot'}", {"t>a", "a>c"});
    BOOST_CHECK_EXCEPTION((void)weft::playbook_graph(what, options_of(nullptr)), weft::playbook_error,
                          [](const weft::playbook_error& e) { return e.mistakes().size() == 2; });
}

BOOST_AUTO_TEST_SUITE_END()
