#include <weft/agent/chat_agent/completion.hpp>

#include <weft/base/json.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(completion_test)

using weft::completion;
using weft::completion_kind;

namespace {

/** How a reply stands, with what the block says, and then what people read. */
std::string outcome_of(const std::string& reply)
{
    const completion found = weft::read_completion(reply);
    std::string text = weft::to_json(found.what).as_string().c_str();
    for (const std::string& part : {found.summary, found.blocker, found.requirements, found.status})
        if (!part.empty()) text += " (" + part + ")";
    if (found.needs_input) text += " needs input";
    return text + " | " + weft::visible_reply(reply, found);
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_8_each_block_is_read_with_its_fields_and_taken_out_of_the_text)
{
    BOOST_TEST(outcome_of("All set.\n<AGENT_DONE>\nSent the report.\nNeeds user input: no\n</AGENT_DONE>") ==
               "done (Sent the report.) | All set.");
    BOOST_TEST(outcome_of("<AGENT_DONE><KEY_RESULT>42</KEY_RESULT>\nmore\nNeeds user input: Yes</AGENT_DONE>") ==
               "done (42) needs input | 42");
    BOOST_TEST(outcome_of("I tried.\n<AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON>"
                          "<UNBLOCK_REQUIREMENTS>an API key</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>") ==
               "blocked (no key) (an API key) | I tried.\n\nno key\n\nan API key");
    BOOST_TEST(outcome_of("Halfway.<AGENT_CONTINUE><STATUS_REPORT>reading</STATUS_REPORT></AGENT_CONTINUE>") ==
               "carry_on (reading) | Halfway.");
    BOOST_TEST(outcome_of("<AGENT_CONTINUE><STATUS_MESSAGE>reading</STATUS_MESSAGE></AGENT_CONTINUE>") ==
               "carry_on (reading) | reading");
}

BOOST_AUTO_TEST_CASE(SUL_8_blocked_goes_before_done_before_continue)
{
    const std::string done = "<AGENT_DONE>d</AGENT_DONE>";
    const std::string blocked = "<AGENT_BLOCKED><BLOCKER_REASON>b</BLOCKER_REASON></AGENT_BLOCKED>";
    const std::string more = "<AGENT_CONTINUE><STATUS_REPORT>c</STATUS_REPORT></AGENT_CONTINUE>";
    BOOST_TEST(outcome_of(more + done + blocked) == "blocked (b) | b");
    BOOST_TEST(outcome_of(more + done) == "done (d) | d");
    BOOST_TEST(outcome_of("<AGENT_DONE>" + blocked + "</AGENT_DONE>") == "blocked (b) | b");
    BOOST_TEST(outcome_of("<AGENT_DONE>first</AGENT_DONE> then <AGENT_DONE>last</AGENT_DONE>") ==
               "done (last) | then");
}

BOOST_AUTO_TEST_CASE(SUL_8_case_does_not_matter_and_what_is_malformed_says_nothing)
{
    BOOST_TEST(outcome_of("<agent_done>ok</Agent_Done>") == "done (ok) | ok");
    BOOST_TEST(outcome_of("I will write <AGENT_DONE> at the end") == "in_progress | I will write  at the end");
    BOOST_TEST(outcome_of("text </AGENT_DONE> <AGENT_DONE>") == "in_progress | text");
    BOOST_TEST(outcome_of("<AGENT_DONE >x</AGENT_DONE>") == "in_progress | <AGENT_DONE >x");
    BOOST_TEST(outcome_of("AGENT_DONE") == "in_progress | AGENT_DONE");
    BOOST_TEST(outcome_of("") == "in_progress | ");
}

BOOST_AUTO_TEST_CASE(SUL_8_a_block_without_fields_says_what_it_can)
{
    BOOST_TEST(outcome_of("<AGENT_DONE></AGENT_DONE>") == "done | Done.");
    BOOST_TEST(outcome_of("<AGENT_DONE>\n\n  first\nsecond</AGENT_DONE>") == "done (first) | first");
    BOOST_TEST(outcome_of("<AGENT_BLOCKED></AGENT_BLOCKED>") == "blocked | Blocked.");
    BOOST_TEST(outcome_of("<AGENT_BLOCKED>Who are you?</AGENT_BLOCKED>") == "blocked (Who are you?) | Who are you?");
    BOOST_TEST(outcome_of("<AGENT_CONTINUE></AGENT_CONTINUE>") == "carry_on | Continuing.");
}

BOOST_AUTO_TEST_CASE(SUL_8_what_the_instructions_teach_is_what_is_read)
{
    const std::string text{weft::completion_instructions()};
    for (const char* tag : {"<AGENT_DONE>", "<AGENT_BLOCKED>", "<BLOCKER_REASON>", "<UNBLOCK_REQUIREMENTS>",
                            "<AGENT_CONTINUE>", "<STATUS_REPORT>"})
        BOOST_TEST(text.find(tag) != std::string::npos, tag);
    BOOST_TEST((weft::read_completion(text).what == completion_kind::blocked));
}

BOOST_AUTO_TEST_SUITE_END()
