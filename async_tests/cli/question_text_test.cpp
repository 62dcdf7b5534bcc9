#include "files.hpp"
#include "graph/run_input.hpp"
#include "store/question_text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace weft_tests;
using weft_cli::answers_to;
using weft_cli::usage_error;

BOOST_AUTO_TEST_SUITE(question_text_test)

namespace {

std::vector<weft::open_question> three_questions()
{
    return {{"plan#1/review#2/ask#0", weft::question::selection("What now?", {"send", "stop"}), {}},
            {"sign#1/ask#0", weft::question::approval("Sign it?"), {}},
            {"sign#1/ask#1", weft::question{"Where?"}, {}}};
}

/** What a person is told who answers so. */
std::string refusal(const std::vector<weft::open_question>& open, std::vector<std::string> words)
{
    try {
        (void)answers_to(open, words);
    } catch (const usage_error& e) {
        return e.what();
    }
    return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_node_that_asks_stands_before_the_question_in_its_address)
{
    BOOST_TEST(weft_cli::node_of_address("review#1/ask#0") == "review");
    BOOST_TEST(weft_cli::node_of_address("outer#1/plan#2/ask#0") == "plan");
    BOOST_TEST(weft_cli::node_of_address("split#1.3/shard#1/confirm:call_7#0") == "shard");
}

BOOST_AUTO_TEST_CASE(an_answer_goes_to_its_address_or_to_the_only_question_of_its_node)
{
    const auto answers = answers_to(three_questions(), {"plan#1/review#2/ask#0=2", "sign#1/ask#0=no"});
    BOOST_TEST(answers.size() == 2u);
    BOOST_TEST(answers.at("plan#1/review#2/ask#0") == "stop");
    BOOST_TEST(answers.at("sign#1/ask#0") == false);
    BOOST_TEST(answers_to(three_questions(), {"review=se"}).at("plan#1/review#2/ask#0") == "send");
    BOOST_TEST(answers_to(three_questions(), {"sign#1/ask#1=a=b"}).at("sign#1/ask#1") == "a=b");
}

BOOST_AUTO_TEST_CASE(P18_an_answer_without_an_address_needs_that_there_is_only_one_question)
{
    const std::vector<weft::open_question> one{three_questions().front()};
    BOOST_TEST(answers_to(one, {"send"}).at("plan#1/review#2/ask#0") == "send");
    const std::string told = refusal(three_questions(), {"send"});
    BOOST_TEST(has(told, "which question"), told);
    BOOST_TEST(has(told, "sign#1/ask#1"), told);
    BOOST_TEST(has(refusal({}, {"send"}), "no question is open"));
}

BOOST_AUTO_TEST_CASE(what_is_not_meant_is_told)
{
    BOOST_TEST(has(refusal(three_questions(), {"sign#1/ask#2=x"}), "did you mean 'sign#1/ask#"));
    BOOST_TEST(has(refusal(three_questions(), {"sign=yes"}), "asks 2 questions"));
    BOOST_TEST(has(refusal(three_questions(), {"review=perhaps"}), "does not fit"));
    BOOST_TEST(has(refusal(three_questions(), {"review=send", "plan#1/review#2/ask#0=stop"}), "answered twice"));
    const std::vector<weft::open_question> one{{"a#1/ask#0", weft::question{"Why?"}, {}}};
    BOOST_TEST(has(refusal(one, {"b=because"}), "nothing asks 'b'"));  // never an answer to something else
}

BOOST_AUTO_TEST_CASE(people_see_what_may_be_answered_and_how)
{
    const std::string text = weft_cli::questions_text(three_questions());
    BOOST_TEST(has(text, "  plan#1/review#2/ask#0\n      What now?\n        1  send\n        2  stop\n"), text);
    BOOST_TEST(has(text, "Sign it? [y/n]"), text);
    const std::string commands =
        weft_cli::answering_commands(three_questions(), "trip", " --graph g.json", weft_cli::store_place{});
    BOOST_TEST(has(commands, "  weft resume trip --graph g.json --answer 'plan#1/review#2/ask#0=send'"), commands);
    BOOST_TEST(has(commands, "  weft answer trip 'plan#1/review#2/ask#0=send'\n"), commands);
}

BOOST_AUTO_TEST_CASE(a_question_cannot_steer_the_terminal_here_either)
{
    BOOST_TEST(!has(weft_cli::question_text(weft::question{"\x1b[2JWipe?"}), "\x1b"));
}

BOOST_AUTO_TEST_SUITE_END()
