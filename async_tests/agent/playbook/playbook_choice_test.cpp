#include <boost/test/unit_test.hpp>

#include "agent/playbooks.hpp"

using namespace weft_tests;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(playbook_choice_test)

namespace {

/** A condition behind a tool whose result is LOUD; `yes` and `no` say so. */
weft::playbook_definition condition_of(const std::string& members)
{
    return playbook_of("p",
                       "{'id': 'c', 'subtype': 'tool-call', 'tool': 'shout', 'label': 'Shout'}, "
                       "{'id': 'i', 'subtype': 'condition', " + members + "}, "
                       "{'id': 'yes', 'subtype': 'response', 'prompt': 'yes'}, "
                       "{'id': 'no', 'subtype': 'response', 'prompt': 'no'}",
                       {"t>c", "c>i", "i.condition-true>yes", "i.condition-false>no"});
}

std::string enum_of(const weft::chat_request& asked)
{
    BOOST_REQUIRE(asked.output.has_value());
    return boost::json::serialize(asked.output->schema.at("properties").at("answer").at("enum"));
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_23_a_condition_in_words_is_asked_of_the_model_by_a_yes_no_schema)
{
    const weft::playbook_definition what = condition_of("'condition': 'The answer was loud.'");
    const auto model = scripted({R"({"answer": "yes", "reasoning": "It is in capitals."})"});
    BOOST_TEST(response_of(run_of(what, options_of(model))) == "yes");
    const weft::chat_request asked = model->requests().at(0);
    BOOST_TEST(enum_of(asked) == R"(["yes","no"])");
    const std::string question = asked.messages.back().text();
    for (const char* const part : {"The answer was loud.", "started with: go", "- Shout: LOUD"})
        BOOST_TEST(question.find(part) != std::string::npos, part);
    BOOST_TEST(response_of(run_of(what, options_of(scripted({"No, it was not."})))) == "no");
    BOOST_TEST(response_of(run_of(what, options_of(scripted({R"({"answer": false})"})))) == "no");
}

BOOST_AUTO_TEST_CASE(SUL_23_an_answer_that_is_neither_is_asked_for_once_more)
{
    const weft::playbook_definition what = condition_of("'condition': 'The answer was loud.'");
    const auto mended = scripted({"Hm.", "yes"});
    BOOST_TEST(response_of(run_of(what, options_of(mended))) == "yes");
    BOOST_TEST(mended->requests().at(1).messages.back().text().starts_with("That names none of them."));
    const auto silent = scripted({"Hm.", "Well."});
    const agent_run run = run_of(what, options_of(silent));
    BOOST_TEST(response_of(run) == "no");
    BOOST_TEST(std::count(run.emitted.begin(), run.emitted.end(),
                          "warning: the model chose none of the answers that there are") == 1);
    silent->assert_complete();
}

BOOST_AUTO_TEST_CASE(SUL_23_a_condition_that_compares_texts_asks_nobody)
{
    BOOST_TEST(response_of(run_of(condition_of("'condition': '{{Shout.result}} contains loud'"),
                                  options_of(scripted({})))) == "yes");
    BOOST_TEST(response_of(run_of(condition_of("'condition': 'The answer was loud.', 'condition_mode': 'template'"),
                                  options_of(scripted({})))) == "no");
    const auto model = scripted({"yes"});
    BOOST_TEST(response_of(run_of(condition_of("'condition': '{{Shout.result}}', 'condition_mode': 'llm'"),
                                  options_of(model))) == "yes");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(SUL_23_a_condition_in_words_without_a_model_is_refused)
{
    const auto path_of = [](const weft::playbook_error& e) { return e.mistakes().at(0).path == "$.nodes[2]"; };
    BOOST_CHECK_EXCEPTION(
        (void)weft::playbook_graph(condition_of("'condition': 'The answer was loud.'"), options_of(nullptr)),
        weft::playbook_error, path_of);
    BOOST_CHECK_EXCEPTION((void)condition_of("'condition': 'x', 'condition_mode': 'guess'"), weft::playbook_error,
                          [](const weft::playbook_error& e) {
                              return e.mistakes().at(0).path == "$.nodes[2].condition_mode";
                          });
}

BOOST_AUTO_TEST_CASE(SUL_23_a_router_is_held_to_its_routes_and_asked_once_more)
{
    const auto what = playbook_of("p",
                                  "{'id': 'r', 'subtype': 'router', 'prompt': 'Who?', 'routes': ['sales', 'support']}, "
                                  "{'id': 'a', 'subtype': 'response', 'prompt': 'A'}, "
                                  "{'id': 'b', 'subtype': 'response', 'prompt': 'B'}",
                                  {"t>r", "r.route-0>a", "r.route-1>b"});
    const auto model = scripted({"Nobody.", R"(It is {"answer": "Support", "reasoning": "broken, not for sale"})"});
    BOOST_TEST(response_of(run_of(what, options_of(model))) == "B");
    BOOST_TEST(enum_of(model->requests().at(0)) == R"(["sales","support"])");
    BOOST_TEST(model->requests().at(0).messages.back().text().find("started with: go") != std::string::npos);
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(SUL_23_the_model_that_decides_sees_the_talk_of_the_agent_that_runs_the_playbook)
{
    const weft::playbook_definition what = condition_of("'condition': 'The person is in a hurry.'");
    const auto model = scripted({"yes"});
    weft::run_request request{"pb"};
    weft::conversation talk;
    (void)talk.add(weft::message::user("Quick, please!"), {});
    request.input(weft::playbook_keys::trigger, boost::json::value("go"));
    request.input(weft::playbook_keys::conversation, std::move(talk));
    const agent_run run =
        run_agent_graph(weft::playbook_graph(what, options_of(model)), std::move(request));
    BOOST_TEST(response_of(run) == "yes");
    const weft::chat_request asked = model->requests().at(0);
    BOOST_REQUIRE(asked.messages.size() == 3u);  // system, what was said, the question
    BOOST_TEST(asked.messages[1].text() == "Quick, please!");
}

BOOST_AUTO_TEST_SUITE_END()
