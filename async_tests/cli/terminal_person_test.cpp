#include <boost/test/unit_test.hpp>

#include "terminal/terminal_person.hpp"

#include <weft/base/error.hpp>
#include <weft/testing/simulation.hpp>

#include <string>

using weft_cli::answer_in;
using weft_cli::question_text;
using weft_cli::terminal_person;

BOOST_AUTO_TEST_SUITE(terminal_person_test)

namespace {

weft::human_question question_of(weft::question_form form, std::vector<std::string> options = {})
{
    weft::human_question question;
    question.node = "review";
    question.text = "What now?";
    question.form = form;
    question.options = std::move(options);
    return question;
}

weft::task<boost::json::value> ask(terminal_person* whom, weft::human_question question)
{
    boost::json::value answer = co_await whom->ask(std::move(question));
    co_return answer;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_question_is_shown_with_what_may_be_answered)
{
    BOOST_TEST(question_text(question_of(weft::question_form::text)) == "\nreview asks: What now?\n> ");
    BOOST_TEST(question_text(question_of(weft::question_form::approval)) == "\nreview asks: What now? [y/n]\n> ");
    weft::human_question again = question_of(weft::question_form::choice, {"send", "stop"});
    again.refused = "'sned' is none of the options";
    BOOST_TEST(question_text(again) ==
               "\nreview asks: What now?\n  1  send\n  2  stop\n('sned' is none of the options)\n> ");
}

BOOST_AUTO_TEST_CASE(a_question_cannot_steer_the_terminal)
{
    weft::human_question question = question_of(weft::question_form::text);
    question.text = "\x1b[2JWipe?";
    BOOST_TEST(question_text(question).find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_choice_is_answered_by_its_number_or_its_words)
{
    const auto choice = question_of(weft::question_form::choice, {"send", "stop"});
    BOOST_TEST(answer_in("2\n", choice) == "stop");
    BOOST_TEST(answer_in(" send \r\n", choice) == "send");
    BOOST_TEST(answer_in("3\n", choice) == "3");  // is asked again
    BOOST_TEST(answer_in("0\n", choice) == "0");
    BOOST_TEST(answer_in("\n", choice) == "");
    BOOST_TEST(answer_in("2\n", question_of(weft::question_form::text)) == "2");
}

BOOST_AUTO_TEST_CASE(an_answer_given_beforehand_is_used_once_for_each_question)
{
    terminal_person whom{{{"review", "send"}}};
    weft::testing::simulation sim{1};
    BOOST_TEST(sim.run(ask(&whom, question_of(weft::question_form::text))) == "send");
    weft::human_question again = question_of(weft::question_form::text);
    again.asked = 1;
    again.refused = "it is too short";
    BOOST_CHECK_EXCEPTION((void)sim.run(ask(&whom, again)), weft::error, [](const weft::error& e) {
        return e.where() == "--answer review" && e.detail() == "does not fit: it is too short";
    });
}

BOOST_AUTO_TEST_SUITE_END()
