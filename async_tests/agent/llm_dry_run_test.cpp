#include <boost/test/unit_test.hpp>

#include "agents.hpp"

#include <weft/agent/core/agent_event.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(llm_dry_run_test)

namespace {

seen_run rehearse(std::string_view node)
{
    return run_members(one_node(node), agent_registry(nullptr));
}

/** Visits a node of these members three times and gives what it wrote to `lines`. */
std::string three_visits(std::string_view node)
{
    return run_members("'state': [{'name': 'lines', 'type': 'list', 'reducer': 'append'}, {'name': 'draft', 'type': "
                       "'string'}], 'nodes': [{'name': 'n', " + std::string{node} + "}, {'name': 'keep', 'kind': "
                                  "'set', "
                       "'settings': {'expressions': {'lines': 'draft'}}}], 'edges': [{'from': '__start__', 'to': 'n'}, "
                       "{'from': 'n', 'to': 'keep'}, {'from': 'keep', 'to': 'n', 'when': 'len(lines) < 3'}]",
                       agent_registry(nullptr)).value("lines");
}

}  // namespace

BOOST_AUTO_TEST_CASE(scripted_replies_are_used_visit_by_visit_and_the_last_one_again)
{
    BOOST_TEST(three_visits("'kind': 'llm', 'writes': ['draft'], 'settings': {'scripted': ['a', 'b']}") ==
               R"(["a","b","b"])");
}

BOOST_AUTO_TEST_CASE(scripted_replies_are_read_like_any_reply)
{
    const seen_run read = rehearse("'kind': 'llm', 'writes': ['score', 'count'], 'settings': {'scripted': "
                                   "['```{\\\"score\\\": 0.5, \\\"count\\\": 2}```']}");
    BOOST_TEST(read.result.state.get(score_key) == 0.5);
    const seen_run wrong = rehearse("'kind': 'llm', 'writes': ['score'], 'settings': {'scripted': ['high']}");
    BOOST_TEST((wrong.code() == weft::errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(an_attempt_repeats_the_reply_of_its_visit)
{
    const seen_run seen = rehearse("'kind': 'llm', 'writes': ['score'], 'retry': {'attempts_max': 2}, 'settings': "
                                   "{'scripted': ['high', '{\\\"score\\\": 1}']}");
    BOOST_TEST((seen.code() == weft::errc::invalid_model_reply));
    BOOST_TEST(seen.result.retries == 1u);
}

BOOST_AUTO_TEST_CASE(a_made_up_text_says_so_and_what_would_have_been_asked)
{
    const seen_run seen = rehearse("'kind': 'llm', 'writes': ['draft'], 'settings': {'system': 'You write.', 'prompt': "
                                   "'About {topic}.'}");
    BOOST_TEST(seen.value("draft") == "\"(A rehearsal: no model is configured. The node 'n' would have asked: You "
                                      "write.\\n\\nAbout rivers.)\"");
    BOOST_TEST(seen.all(weft::agent_event::usage) == "");
}

BOOST_AUTO_TEST_CASE(made_up_texts_do_not_swell_in_loops)
{
    BOOST_TEST(three_visits("'kind': 'llm', 'writes': ['draft'], 'reads': ['draft'], 'settings': {'prompt': "
                            "'{draft}{draft}{draft}'}").size() < 1500u);
}

BOOST_AUTO_TEST_CASE(replies_are_emitted_word_by_word)
{
    const seen_run seen =
        rehearse("'kind': 'llm', 'writes': ['draft'], 'settings': {'scripted': ['Dear  you,\\nhi ']}");
    const std::vector<std::string> expected{"output: Dear", "output:   you,", "output: \nhi", "output:  "};
    BOOST_TEST(seen.emitted == expected, boost::test_tools::per_element());
    BOOST_TEST(seen.value("draft") == R"("Dear  you,\nhi ")");
}

BOOST_AUTO_TEST_CASE(a_made_up_object_has_plain_values)
{
    const std::string keys = "'kind': 'llm', 'writes': ['draft', 'score', 'count', 'good', 'meta', 'tags', 'what']";
    const seen_run seen = rehearse(keys);
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST(boost::json::serialize(seen.result.state.to_json()) ==
               R"({"topic":"rivers","draft":"","score":0E0,"tags":[""],"count":0,"good":false,"meta":{},"what":""})");
    const seen_run owed = rehearse(keys + ", 'outputs': {'required': true}");
    BOOST_TEST(owed.result.message() == "finished");
    BOOST_TEST(owed.value("draft") == "\"rehearsed\"");
}

BOOST_AUTO_TEST_SUITE_END()
