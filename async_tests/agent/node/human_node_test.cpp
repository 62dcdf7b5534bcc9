#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/graph/analysis.hpp>
#include <weft/testing/async_test_case.hpp>

#include <stdexcept>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(human_node_test)

namespace {

std::string asking(std::string_view key, std::string_view settings = "'question': 'What?'")
{
    return "'kind': 'human', 'writes': ['" + std::string{key} + "'], 'settings': {" + std::string{settings} + "}";
}

seen_run run_with(const std::string& node, scripted_person& person)
{
    return run_members(one_node(node), agent_registry(nullptr, &person));
}

/** What the key has after these answers; the message of the run if it failed. */
std::string value_after(const std::string& node, std::string_view key, std::vector<boost::json::value> answers)
{
    scripted_person person{std::move(answers)};
    const seen_run seen = run_with(node, person);
    return seen.result.why ? std::string{seen.result.message()} : seen.value(key);
}

constexpr std::string_view choice = "'question': 'Which?', 'options': ['Send', 'Again']";
constexpr std::string_view approval = "'question': 'Good?', 'form': 'approval'";

}  // namespace

BOOST_AUTO_TEST_CASE(the_person_is_told_what_to_answer)
{
    scripted_person person{{"x"}};
    const seen_run seen = run_with(asking("draft", "'question': 'Like {topic}?'"), person);
    BOOST_REQUIRE(person.asked.size() == 1u);
    const weft::human_question& asked = person.asked[0];
    BOOST_TEST(asked.node == "n");
    BOOST_TEST(asked.text == "Like rivers?");
    BOOST_TEST((asked.form == weft::question_form::text));
    BOOST_TEST(asked.key == "draft");
    BOOST_TEST(asked.expected == "a text");
    BOOST_TEST(asked.visit == 1u);
    BOOST_TEST(asked.asked == 0u);
    BOOST_TEST(asked.refused == "");
    BOOST_TEST(seen.all(weft::agent_event::question) == "Like rivers?");
    BOOST_TEST(seen.value("draft") == "\"x\"");
}

BOOST_AUTO_TEST_CASE(texts_are_converted_to_the_type_of_the_key)
{
    BOOST_TEST(value_after(asking("draft"), "draft", {" as it is "}) == "\" as it is \"");
    BOOST_TEST(value_after(asking("draft"), "draft", {42}) == "\"42\"");
    BOOST_TEST(value_after(asking("draft"), "draft", {""}) == "\"\"");
    BOOST_TEST(value_after(asking("count"), "count", {"42"}) == "42");
    BOOST_TEST(value_after(asking("count"), "count", {42}) == "42");
    BOOST_TEST(value_after(asking("good"), "good", {"Yes "}) == "true");
    BOOST_TEST(value_after(asking("meta"), "meta", {"{\"a\": 1}"}) == "{\"a\":1}");
    BOOST_TEST(value_after(asking("tags"), "tags", {"new"}) == "[\"new\"]");
    BOOST_TEST(value_after(asking("what"), "what", {"[1]"}) == "\"[1]\"");
}

BOOST_AUTO_TEST_CASE(an_answer_that_does_not_fit_is_asked_again_with_the_reason)
{
    scripted_person person{{"many", true, "7"}};
    BOOST_TEST(run_with(asking("count"), person).value("count") == "7");
    BOOST_REQUIRE(person.asked.size() == 3u);
    BOOST_TEST(person.asked[1].asked == 1u);
    BOOST_TEST(person.asked[1].refused.starts_with("'many' is not a whole number: "));
    BOOST_TEST(person.asked[2].refused.starts_with("'true' is not a whole number: "));
}

BOOST_AUTO_TEST_CASE(after_three_more_questions_the_node_fails)
{
    scripted_person person{{"many"}};
    const seen_run seen = run_with(asking("count") + ", 'retry': {'attempts_max': 5}", person);
    BOOST_TEST((seen.code() == weft::errc::unexpected_json));
    BOOST_TEST(seen.tells("node 'n', key 'count'"));
    BOOST_TEST(seen.tells("no answer fitted, asked 4 times; the last: 'many' is not a whole number"));
    BOOST_TEST(person.asked.size() == 4u);  // and no further attempt
    BOOST_TEST(seen.value("count") == "nothing");
}

BOOST_AUTO_TEST_CASE(a_choice_is_one_of_the_options)
{
    BOOST_TEST(value_after(asking("draft", choice), "draft", {"Again"}) == "\"Again\"");
    BOOST_TEST(value_after(asking("draft", choice), "draft", {" send\n"}) == "\"Send\"");
    BOOST_TEST(value_after(asking("draft", choice), "draft", {"never", "Send"}) == "\"Send\"");
    scripted_person person{{"never"}};
    const seen_run seen = run_with(asking("draft", choice), person);
    BOOST_TEST(seen.tells("'never' is none of 'Send', 'Again'"));
    BOOST_TEST((person.asked[0].options == std::vector<std::string>{"Send", "Again"}));
    BOOST_TEST((person.asked[0].form == weft::question_form::choice));
    BOOST_TEST(value_after(asking("count", "'question': '?', 'options': ['1', '20']"), "count", {20}) == "20");
    const std::string ambiguous = asking("draft", "'question': '?', 'options': ['a', 'A ']");
    BOOST_TEST(value_after(ambiguous, "draft", {"A", "a"}) == "\"a\"");
}

BOOST_AUTO_TEST_CASE(an_approval_is_a_boolean)
{
    for (const char* word : {"yes", "Y", " ok", "approve", "TRUE"})
        BOOST_TEST(value_after(asking("good", approval), "good", {word}) == "true", word);
    for (const char* word : {"no", "n", "reject", "False\n"})
        BOOST_TEST(value_after(asking("good", approval), "good", {word}) == "false", word);
    BOOST_TEST(value_after(asking("good", approval), "good", {false}) == "false");
    BOOST_TEST(value_after(asking("good", approval), "good", {"maybe", 1, true}) == "true");
    BOOST_TEST(value_after(asking("what", approval), "what", {"yes"}) == "true");
}

BOOST_AUTO_TEST_CASE(without_a_person_the_node_fails_and_says_so)
{
    const seen_run seen = run_members(one_node(asking("draft")), agent_registry(nullptr));
    BOOST_TEST((seen.code() == weft::errc::invalid_configuration));
    BOOST_TEST(seen.tells("no person is there to be asked"));
}

BOOST_AUTO_TEST_CASE(what_the_person_throws_fails_the_node)
{
    class refuser final : public weft::human {
        weft::task<boost::json::value> ask(weft::human_question) override
        {
            co_await weft::sleep_for(1s);
            throw std::runtime_error{"closed the window"};
        }
    } person;
    const seen_run seen = run_members(one_node(asking("draft")), agent_registry(nullptr, &person));
    BOOST_TEST((seen.code() == weft::errc::node_failed));
    BOOST_TEST(seen.tells("closed the window"));
}

BOOST_AUTO_TEST_CASE(a_timeout_withdraws_the_question)
{
    scripted_person person{{"x"}};
    const seen_run seen = run_with(asking("draft") + ", 'timeout': '30s'", person);
    BOOST_TEST((seen.code() == weft::errc::node_timeout));
    BOOST_TEST((seen.result.elapsed < 1min));
}

WEFT_ASYNC_TEST_CASE(a_run_may_be_destroyed_while_the_person_thinks)
{
    scripted_person person{{"many", 7}};
    const weft::loaded_graph loaded =
        weft::load_graph(spec_text(one_node(asking("count"))), agent_registry(nullptr, &person));
    const weft::engine engine{loaded.what};
    const weft::run_result result = co_await engine.run(weft::run_request{});
    BOOST_TEST(result.message() == "finished");
}

BOOST_AUTO_TEST_CASE(a_choice_whose_answers_all_have_an_edge_needs_no_otherwise)
{
    const auto rules = [](std::vector<std::string> answers) {
        weft::graph_builder builder{"g"};
        builder.state(weft::state_key<std::string>{"verdict"}, weft::state_key<std::string>{"draft"})
            .node("ask", weft::human_node{nullptr, {.question = "Send?", .options = {"send", "again"}}, "verdict"})
            .edge(weft::start, "ask");
        for (const std::string& answer : answers) builder.edge_when("ask", weft::end, "verdict == '" + answer + "'");
        std::string text;
        for (const weft::finding& f : weft::analyse(builder.build())) text.append(f.rule).append(" ");
        return text;
    };
    BOOST_TEST(rules({"again"}) == "no_otherwise ");
    BOOST_TEST(rules({"again", "send"}) == "");
}

BOOST_AUTO_TEST_CASE(P11_what_people_answer_is_written)
{
    weft::graph_builder builder{"g"};
    builder.state(weft::state_key<std::string>{"verdict"}).node("s", [] {});
    for (const char* const name : {"a", "b"})
        builder.node(name, weft::human_node{nullptr, {.question = "Well?"}, "verdict"}).edge("s", name);
    builder.edge(weft::start, "s");
    const weft::graph built = builder.build();
    BOOST_REQUIRE(built.warnings().size() == 1u);
    BOOST_TEST(built.warnings()[0].rule == "possible_write_conflict");
}

BOOST_AUTO_TEST_CASE(settings_that_contradict_each_other_are_refused)
{
    const auto person = std::make_shared<scripted_person>(std::vector<boost::json::value>{"x"});
    const auto fault = [&](weft::human_settings settings) -> std::string {
        try {
            (void)weft::human_node{person, std::move(settings), "x"};
        } catch (const weft::error& e) {
            return std::string{weft::name_of(e.code())} + ": " + e.detail();
        }
        return "none";
    };
    using form = weft::question_form;
    BOOST_TEST(fault({.question = "Q"}) == "none");
    BOOST_TEST(fault({.question = "Q", .options = {"a"}}) == "none");
    BOOST_TEST(fault({.question = ""}) == "invalid_configuration: the question is empty: write one");
    BOOST_TEST(fault({.question = "{"}).starts_with("invalid_configuration: line 1, column 1"));
    BOOST_TEST(fault({.question = "Q", .form = form::choice}).ends_with("a choice needs options: list them"));
    BOOST_TEST(fault({.question = "Q", .options = {"a"}, .form = form::text}).find("only a choice has options") !=
               std::string::npos);
    BOOST_TEST(fault({.question = "Q", .options = {"a", "a"}}).ends_with("'a' is there twice"));
    BOOST_TEST(fault({.question = "Q", .options = {" "}}).find("blank") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
