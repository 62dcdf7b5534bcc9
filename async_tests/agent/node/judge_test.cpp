#include <weft/agent/node/judge.hpp>

#include <weft/base/json.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(judge_test)

using weft::judgement;
using weft::turn_facts;
using weft::verdict;

namespace {

std::string text_of(const verdict& from)
{
    std::string text = weft::to_json(from.action).as_string().c_str();
    if (!from.feedback.empty()) text += ": " + from.feedback;
    return text;
}

/** What the rules make of a turn; "model" if a model is to judge. */
std::string judged(const turn_facts& turn)
{
    verdict result;
    return weft::judge_by_rules(turn, result) ? text_of(result) : "model";
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_33_the_rules_judge_in_their_order)
{
    turn_facts turn;
    BOOST_TEST(judged(turn) == "accept");
    turn.has_criteria = true;
    BOOST_TEST(judged(turn) == "model");
    turn.outputs = 2;
    BOOST_TEST(judged(turn).starts_with("retry: Task incomplete. No output has been set yet"));
    turn.outputs_set = 1;
    BOOST_TEST(judged(turn) == "model");
    turn.missing = {"answer", "sources"};
    BOOST_TEST(judged(turn).starts_with(
        "retry: Task incomplete. Required outputs not yet produced: [answer, sources]"));
    turn.called_tools = true;
    BOOST_TEST(judged(turn) == "retry");
    turn.called_tools = false;
    turn.skips_judge = true;
    BOOST_TEST(judged(turn) == "retry");
    turn.is_marked_complete = true;
    BOOST_TEST(judged(turn) == "accept");

    turn_facts talk;
    talk.is_client_facing = true;
    BOOST_TEST(judged(talk) == "retry");
    talk.outputs = 1;
    talk.outputs_set = 1;
    BOOST_TEST(judged(talk) == "accept");
}

BOOST_AUTO_TEST_CASE(HIV_33_a_judge_that_accepts_without_the_outputs_is_overruled)
{
    BOOST_TEST(text_of(weft::with_outputs_checked(verdict{}, {})) == "accept");
    BOOST_TEST(text_of(weft::with_outputs_checked(verdict{}, {"answer"})).starts_with("retry: Task incomplete."));
    verdict no;
    no.action = judgement::escalate;
    no.feedback = "hopeless";
    BOOST_TEST(text_of(weft::with_outputs_checked(no, {"answer"})) == "escalate: hopeless");
}

BOOST_AUTO_TEST_CASE(HIV_33_what_a_model_writes_is_read_and_garbage_accepts)
{
    const verdict retry = weft::read_verdict("ACTION: RETRY\nCONFIDENCE: 0.8\nFEEDBACK: Name two sources.\nAnd dates.");
    BOOST_TEST(text_of(retry) == "retry: Name two sources.\nAnd dates.");
    BOOST_TEST(retry.confidence == 0.8);
    BOOST_TEST(retry.by == "model");
    BOOST_TEST(weft::feedback_text(retry) == "[Judge feedback]: Name two sources.\nAnd dates.");

    const verdict marked = weft::read_verdict("**Feedback:** none\n- **Action**: Escalate.\nConfidence: 75%");
    BOOST_TEST(text_of(marked) == "escalate: none");
    BOOST_TEST(marked.confidence == 0.75);
    BOOST_TEST(text_of(weft::read_verdict("action: accept")) == "accept");

    for (const char* garbage : {"", "I like it.", "ACTION: MAYBE", "ACTION RETRY", "{\"action\": \"RETRY\"}"}) {
        const verdict read = weft::read_verdict(garbage);
        BOOST_TEST((read.action == judgement::accept), garbage);
        BOOST_TEST(read.confidence == 0.5);
        BOOST_TEST(read.feedback == "");
    }
    BOOST_TEST(weft::read_verdict("ACTION: RETRY\nCONFIDENCE: very").confidence == 0.5);
    BOOST_TEST(weft::read_verdict("ACTION: RETRY\nCONFIDENCE: 7").confidence == 0.5);
}

BOOST_AUTO_TEST_SUITE_END()
