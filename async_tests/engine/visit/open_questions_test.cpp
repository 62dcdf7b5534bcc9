#include <boost/test/unit_test.hpp>

#include "engine/visit/open_questions.hpp"
#include "graph/graphs.hpp"

#include <weft/base/error.hpp>

using weft::answer_state;
using weft::question;
using weft::open_questions;

BOOST_AUTO_TEST_SUITE(open_questions_test)

namespace {

const question send = question::approval("Send it?");
const weft::wall_time now{std::chrono::hours{1}};

/** Questions with the frontier that keeps them. */
struct questions_of_a_run {
    questions_of_a_run() : where{weft::state{weft_tests::plain_graph("a", "^a").build().layout()}}, all{where} {}
    weft::frontier where;
    open_questions all;

    [[nodiscard]] std::string open() const
    {
        std::string line;
        for (const weft::open_question& one : all.questions()) line += (line.empty() ? "" : " ") + one.address;
        return line;
    }
    /** How an answer is received. */
    std::string tell(const std::string& address, const boost::json::value& value)
    {
        try {
            return std::string{all.answer(address, value) == answer_state::accepted ? "accepted" : "already answered"};
        } catch (const weft::error& wrong) {
            return std::string{name_of(wrong.code())} + ": " + wrong.detail();
        }
    }
    std::string give(const weft::question_answers& answers)
    {
        try {
            all.give(answers);
        } catch (const weft::error& wrong) {
            return std::string{name_of(wrong.code())};
        }
        return "given";
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_answer_counts)
{
    questions_of_a_run at;
    at.all.open("a#1/ask#0", send, now);
    BOOST_TEST(at.open() == "a#1/ask#0");
    BOOST_TEST(at.tell("a#1/ask#0", true) == "accepted");
    BOOST_TEST(at.open() == "");
    BOOST_TEST(at.tell("a#1/ask#0", false) == "already answered");
    BOOST_TEST(*at.all.answer_for("a#1/ask#0", send) == boost::json::value(true));
}

BOOST_AUTO_TEST_CASE(an_answer_that_does_not_fit_leaves_the_question_open)
{
    questions_of_a_run at;
    at.all.open("a#1/ask#0", send, now);
    BOOST_TEST(at.tell("a#1/ask#0", "yes").starts_with("invalid_answer"));
    BOOST_TEST(at.open() == "a#1/ask#0");
    BOOST_TEST(at.tell("a#1/ask#0", true) == "accepted");
}

BOOST_AUTO_TEST_CASE(an_unknown_address_is_told_which_are_open)
{
    questions_of_a_run at;
    BOOST_TEST(at.tell("x", true) == "unknown_question: no question is open");
    at.all.open("a#1/ask#0", send, now);
    at.all.open("b#1/ask#0", send, now);
    BOOST_TEST(at.tell("x", true) == "unknown_question: these questions are open: 'a#1/ask#0', 'b#1/ask#0'");
}

BOOST_AUTO_TEST_CASE(a_visit_that_is_over_leaves_nothing_but_the_memory_of_its_answers)
{
    questions_of_a_run at;
    at.all.open("a#1/ask#0", send, now);
    at.all.open("a#1/in#1/ask#0", send, now);
    at.all.open("a#10/ask#0", send, now);
    BOOST_TEST(at.tell("a#1/ask#0", true) == "accepted");
    at.all.settle("a#1");
    BOOST_TEST(at.open() == "a#10/ask#0");
    BOOST_TEST(!at.all.answer_for("a#1/ask#0", send));
    BOOST_TEST(at.tell("a#1/ask#0", true) == "already answered");
    BOOST_TEST(at.tell("a#1/in#1/ask#0", true).starts_with("unknown_question"));
}

BOOST_AUTO_TEST_CASE(a_question_that_is_asked_again_keeps_its_time)
{
    questions_of_a_run at;
    BOOST_TEST((at.all.open("a#1/ask#0", send, now) == now));
    BOOST_TEST((at.all.open("a#1/ask#0", send, now + std::chrono::hours{1}) == now));
    BOOST_TEST(at.open() == "a#1/ask#0");
    at.all.withdraw("a#1/ask#0");
    BOOST_TEST(at.open() == "");
}

BOOST_AUTO_TEST_CASE(answers_of_a_resume_are_taken_all_or_none)
{
    questions_of_a_run at;
    at.all.open("a#1/ask#0", send, now);
    at.all.open("b#1/ask#0", send, now);
    BOOST_TEST(at.give({{"a#1/ask#0", true}, {"b#1/ask#0", 3}}) == "invalid_answer");
    BOOST_TEST(at.give({{"a#1/ask#0", true}, {"c#1/ask#0", true}}) == "unknown_question");
    BOOST_TEST(at.open() == "a#1/ask#0 b#1/ask#0");
    BOOST_TEST(at.give({{"a#1/ask#0", true}}) == "given");
    BOOST_TEST(at.open() == "b#1/ask#0");
    BOOST_TEST(at.give({{"a#1/ask#0", true}}) == "given");               // the same again is no contradiction
    BOOST_TEST(at.give({{"a#1/ask#0", false}}) == "unknown_question");   // another one is
}

BOOST_AUTO_TEST_CASE(answers_wait_for_questions_that_are_not_known_yet)
{
    questions_of_a_run at;
    BOOST_TEST(at.give({{"a#1/ask#0", "yes"}, {"b#1/ask#0", true}}) == "given");
    BOOST_TEST(*at.all.answer_for("b#1/ask#0", send) == boost::json::value(true));
    BOOST_TEST(!at.all.answer_for("a#1/ask#0", send));  // it does not fit
    at.all.open("a#1/ask#0", send, now);
    BOOST_TEST(at.open() == "a#1/ask#0");
    BOOST_TEST(at.all.find("a#1/ask#0")->refused.starts_with("a#1/ask#0, $: "));
    BOOST_TEST(at.tell("a#1/ask#0", true) == "accepted");
}

BOOST_AUTO_TEST_CASE(a_copy_of_the_frontier_has_the_questions_and_the_answers)
{
    questions_of_a_run at;
    at.all.open("a#1/ask#0", send, now);
    at.all.open("b#1/ask#0", send, now);
    BOOST_TEST(at.tell("a#1/ask#0", true) == "accepted");
    weft::frontier copy{at.where};
    open_questions other{copy};
    BOOST_TEST(other.questions().size() == 1u);
    BOOST_TEST(*other.answer_for("a#1/ask#0", send) == boost::json::value(true));
}

BOOST_AUTO_TEST_SUITE_END()
