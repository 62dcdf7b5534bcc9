#include <boost/test/unit_test.hpp>

#include "engine/scheduler/question_desk.hpp"
#include "graph/graphs.hpp"

#include <weft/base/error.hpp>

using weft::answer_state;
using weft::question;
using weft::question_desk;

BOOST_AUTO_TEST_SUITE(question_desk_test)

namespace {

const question send = question::approval("Send it?");
const weft::wall_time now{std::chrono::hours{1}};

/** A desk with its frontier. */
struct desk_at {
    desk_at() : where{weft::state{weft_tests::plain_graph("a", "^a").build().layout()}}, desk{where} {}
    weft::frontier where;
    question_desk desk;

    [[nodiscard]] std::string open() const
    {
        std::string line;
        for (const weft::open_question& one : desk.questions()) line += (line.empty() ? "" : " ") + one.address;
        return line;
    }
    /** How an answer is received. */
    std::string tell(const std::string& address, const boost::json::value& value)
    {
        try {
            return std::string{desk.answer(address, value) == answer_state::accepted ? "accepted" : "already answered"};
        } catch (const weft::error& wrong) {
            return std::string{name_of(wrong.code())} + ": " + wrong.detail();
        }
    }
    std::string give(const weft::question_answers& answers)
    {
        try {
            desk.give(answers);
        } catch (const weft::error& wrong) {
            return std::string{name_of(wrong.code())};
        }
        return "given";
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_answer_counts)
{
    desk_at at;
    at.desk.open("a#1/ask#0", send, now);
    BOOST_TEST(at.open() == "a#1/ask#0");
    BOOST_TEST(at.tell("a#1/ask#0", true) == "accepted");
    BOOST_TEST(at.open() == "");
    BOOST_TEST(at.tell("a#1/ask#0", false) == "already answered");
    BOOST_TEST(*at.desk.answer_for("a#1/ask#0", send) == boost::json::value(true));
}

BOOST_AUTO_TEST_CASE(an_answer_that_does_not_fit_leaves_the_question_open)
{
    desk_at at;
    at.desk.open("a#1/ask#0", send, now);
    BOOST_TEST(at.tell("a#1/ask#0", "yes").starts_with("invalid_answer"));
    BOOST_TEST(at.open() == "a#1/ask#0");
    BOOST_TEST(at.tell("a#1/ask#0", true) == "accepted");
}

BOOST_AUTO_TEST_CASE(an_unknown_address_is_told_which_are_open)
{
    desk_at at;
    BOOST_TEST(at.tell("x", true) == "unknown_question: no question is open");
    at.desk.open("a#1/ask#0", send, now);
    at.desk.open("b#1/ask#0", send, now);
    BOOST_TEST(at.tell("x", true) == "unknown_question: these questions are open: 'a#1/ask#0', 'b#1/ask#0'");
}

BOOST_AUTO_TEST_CASE(a_visit_that_is_over_leaves_nothing_but_the_memory_of_its_answers)
{
    desk_at at;
    at.desk.open("a#1/ask#0", send, now);
    at.desk.open("a#1/in#1/ask#0", send, now);
    at.desk.open("a#10/ask#0", send, now);
    BOOST_TEST(at.tell("a#1/ask#0", true) == "accepted");
    at.desk.settle("a#1");
    BOOST_TEST(at.open() == "a#10/ask#0");
    BOOST_TEST(!at.desk.answer_for("a#1/ask#0", send));
    BOOST_TEST(at.tell("a#1/ask#0", true) == "already answered");
    BOOST_TEST(at.tell("a#1/in#1/ask#0", true).starts_with("unknown_question"));
}

BOOST_AUTO_TEST_CASE(a_question_that_is_asked_again_keeps_its_time)
{
    desk_at at;
    BOOST_TEST((at.desk.open("a#1/ask#0", send, now) == now));
    BOOST_TEST((at.desk.open("a#1/ask#0", send, now + std::chrono::hours{1}) == now));
    BOOST_TEST(at.open() == "a#1/ask#0");
    at.desk.withdraw("a#1/ask#0");
    BOOST_TEST(at.open() == "");
}

BOOST_AUTO_TEST_CASE(answers_of_a_resume_are_taken_all_or_none)
{
    desk_at at;
    at.desk.open("a#1/ask#0", send, now);
    at.desk.open("b#1/ask#0", send, now);
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
    desk_at at;
    BOOST_TEST(at.give({{"a#1/ask#0", "yes"}, {"b#1/ask#0", true}}) == "given");
    BOOST_TEST(*at.desk.answer_for("b#1/ask#0", send) == boost::json::value(true));
    BOOST_TEST(!at.desk.answer_for("a#1/ask#0", send));  // it does not fit
    at.desk.open("a#1/ask#0", send, now);
    BOOST_TEST(at.open() == "a#1/ask#0");
    BOOST_TEST(at.desk.find("a#1/ask#0")->refused.starts_with("a#1/ask#0, $: "));
    BOOST_TEST(at.tell("a#1/ask#0", true) == "accepted");
}

BOOST_AUTO_TEST_CASE(a_copy_of_the_frontier_has_the_questions_and_the_answers)
{
    desk_at at;
    at.desk.open("a#1/ask#0", send, now);
    at.desk.open("b#1/ask#0", send, now);
    BOOST_TEST(at.tell("a#1/ask#0", true) == "accepted");
    weft::frontier copy{at.where};
    question_desk other{copy};
    BOOST_TEST(other.questions().size() == 1u);
    BOOST_TEST(*other.answer_for("a#1/ask#0", send) == boost::json::value(true));
}

BOOST_AUTO_TEST_SUITE_END()
