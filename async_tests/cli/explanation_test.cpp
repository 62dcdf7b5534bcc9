#include "files.hpp"
#include "graph/explanation.hpp"
#include "terminal/text_table.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(explanation_test)

namespace {

std::string explained(std::string_view name)
{
    const weft_cli::graph_file file = weft_cli::graph_file_reader{{}}.read(sample(name));
    return weft_cli::explanation_of(file.loaded.value());
}

/** Without the blanks that put columns below each other. */
std::string with_single_blanks(std::string text)
{
    text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }), text.end());
    return text;
}

std::string explained_text(const std::string& text)
{
    weft::node_registry registry;
    return with_single_blanks(weft_cli::explanation_of(weft::load_graph(json_text(text), registry)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(keys_have_types_reducers_and_what_they_begin_with)
{
    const std::string text = explained("review_loop.json");
    BOOST_TEST(text.starts_with("review loop\nWrites, has it judged"));
    BOOST_TEST(has(text, "\n  topic    string\n"));
    BOOST_TEST(has(text, "\n  best     number   updates join by max\n"));
    BOOST_TEST(has(text, "\n  score    number   begins as 0\n"));
}

BOOST_AUTO_TEST_CASE(nodes_have_kinds_and_what_holds_for_them)
{
    const std::string text = explained("review_loop.json");
    BOOST_TEST(has(text, "write    function  calls write; reads topic, remarks; writes draft; 2 attempts, the second "
                         "after 500ms; at most 5 visits; must leave behind: len(draft) >= 5; is told what it wrote "
                         "before\n"));
    BOOST_TEST(has(text, "publish  join      speaks with a person\n"));
    BOOST_TEST(has(explained("section.json"), "look up   function  calls search; writes sources\n"));
}

BOOST_AUTO_TEST_CASE(joins_and_ways_are_those_of_the_graph)
{
    const std::string text = explained("report.json");
    BOOST_TEST(has(text, "branches meet at write (quorum)"));
    BOOST_TEST(has(text, "llm -> legal"));
}

BOOST_AUTO_TEST_CASE(limits_say_whether_the_file_sets_them)
{
    const std::string text = with_single_blanks(explained("review_loop.json"));
    BOOST_TEST(has(text, "node visits of a run 40\n"));
    BOOST_TEST(has(text, "at these two limits return_with_flag\n"));
    BOOST_TEST(has(text, "nodes that run at once 64 (default)\n"));
    BOOST_TEST(has(text, "time for one attempt 2m\n"));
    BOOST_TEST(has(text, "visits of one node in a row none (default)\n"));
    BOOST_TEST(has(text, "time for the run 30m\n"));
    BOOST_TEST(has(text, "budget none (default)\n"));
}

BOOST_AUTO_TEST_CASE(defaults_of_hive_are_in_force)
{
    const std::string text = explained_text("{'name': 'h', 'defaults': 'hive', 'nodes': [{'name': 'x', 'kind': 'join'}]"
                                            ", 'edges': [{'from': '__start__', 'to': 'x'}]}");
    BOOST_TEST(has(text, "x join 3 attempts, the second after 1s\n"));
    BOOST_TEST(has(text, "node visits of a run 100 (default)\n"));
    BOOST_TEST(has(text, "defaults of hive\n"));
    BOOST_TEST(has(text, "Keys of the state\n none\n"));
}

BOOST_AUTO_TEST_CASE(goals_are_told)
{
    const std::string text = explained("triage.json");
    BOOST_TEST(has(text, "\nGoal: answered\n  The customer has an answer.\n"));
    BOOST_TEST(has(text, "  has_answer    weight 2     met"));
    BOOST_TEST(has(text, "met when answer is not None and len(answer) > 0\n"));
    BOOST_TEST(has(text, "  no_apology    should hold"));
    BOOST_TEST(!has(explained("hello.json"), "Goal"));
}

BOOST_AUTO_TEST_CASE(columns_of_a_table_begin_below_each_other)
{
    BOOST_TEST(weft_cli::table_of({{"a", "b", "c"}, {"日本", ""}, {"x\x1b[1m", "yy", ""}}) ==
               "  a      b   c\n  日本\n  x [1m  yy\n");
    BOOST_TEST(weft_cli::table_of({}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
